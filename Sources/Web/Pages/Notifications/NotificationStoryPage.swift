import Refunds
import Tenants
import Time

/// One notification with everything in it that was verified.
struct NotificationStoryPage {
    let frame: Frame
    let slug: String
    let story: NotificationStory
    let app: App?

    var html: HTML {
        let line = story.line
        return Layout(frame, title: "\(line.type), notification").console {
            nav(.class("crumbs"), .ariaLabel("Way back")) {
                a(.href(.notifications(slug, NotificationListQuery()))) { "Notifications" }
            }
            PageHeader(
                line.type,
                lead: { span(.class("mono")) { line.id.text } },
                beside: { Badge(line).html }
            ).html
            if line.type == "TEST", line.source == "posted" {
                Notice(.good, "The address works.", more: "Apple's test notification arrived and was verified.").html
            }
            if !line.isUnderstood {
                Notice(
                    .attention, "Not understood: this type is newer than this program.",
                    more: "It was verified and is kept in Apple's words. No case was changed by it."
                ).html
            }
            if line.standing == .setAside {
                Notice(
                    .bad, "Set aside: it contradicts itself.",
                    more:
                        "What is signed inside does not agree with what is signed outside. Nothing was done with it; the reason stands in the quarantine."
                ).html
            }
            section(.class("panel"), .ariaLabel("About this notification")) {
                Facts([
                    ("notificationUUID", span(.class("mono")) { line.id.text }),
                    ("Subtype", line.subtype.map { HTML(text: $0) }),
                    ("Standing", HTML(text: standing)),
                    ("App", app.map { HTML(text: "\($0.name), \($0.bundleID)") }),
                    (
                        "Environment",
                        HTML(
                            text: app?.environmentLabel(line.isSandbox ? .sandbox : .production) ?? line.environment)
                    ),
                    ("Signed", TimeText(line.signedAt).fullHTML),
                    ("Received", TimeText(line.receivedAt).fullHTML),
                    (
                        "Source",
                        HTML(text: source)
                    ),
                    ("Deliveries", HTML(text: "\(line.deliveries)")),
                    ("Apple's attempts", attempts),
                    ("transactionId", line.transactionID.map { id in span(.class("mono")) { id } }),
                    ("Case", story.caseID.map { id in a(.href(.refundCase(slug, id))) { "Open the case" } }),
                ]).html
            }
            section(.class("panel"), .ariaLabelledBy("payload")) {
                h2(.id("payload")) { "Verified payload" }
                if let payload = story.payload {
                    CodeBlock(payload, label: "The payload").html
                } else {
                    p(.class("quiet")) { "No longer kept. What it said about the transaction stands on the case." }
                }
            }
            for (index, part) in story.parts.enumerated() {
                section(.class("panel"), .ariaLabelledBy("part-\(index)")) {
                    h2(.id("part-\(index)")) { part.name }
                    p(.class("quiet")) { "Signed on its own; verified, and decoded here." }
                    CodeBlock(part.json, label: part.name).html
                }
            }
        }
    }

    /// How Apple fared with one that had to be fetched.
    private var attempts: HTML? {
        if line.source == "posted" { return nil }
        if story.sendAttempts.isEmpty { return HTML(text: "none is listed") }
        return span {
            for attempt in story.sendAttempts {
                span(.class("subtext")) {
                    if let at = attempt.at { TimeText(at).shortHTML } else { "at an unknown time" }
                    " "
                    span(.class("mono")) { attempt.result }
                }
            }
        }
    }

    private var line: NotificationLine { story.line }

    private var source: String {
        let sender = app?.isRehearsal == true ? "the simulator" : "Apple"
        return switch story.line.source {
        case "history": "\(sender)'s notification history"
        case "import": "\(sender)'s notification history, of the time before the app was added"
        default: "posted by \(sender)"
        }
    }

    private var standing: String {
        switch story.line.standing {
        case .stored: "Received and verified; what it carries is being worked on."
        case .acted: "Worked on: it changed a case or what is known of a transaction."
        case .nothingToDo: "Kept as it is: nothing had to be done about it."
        case .setAside: "Kept in quarantine, acted on by nobody."
        }
    }
}
