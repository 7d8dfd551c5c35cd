import Refunds
import Tenants
import Time

/// On what consent the replies of a case rest: a part of the case's page.
struct ConsentSection {
    let slug: String
    let story: CaseStory
    let consent: CaseConsent
    var canChoose = false
    /// What was typed in a form that was not taken, by its field.
    var typed: [String: String] = [:]
    var wrong: [String: String] = [:]

    var html: HTML {
        section(.class("panel"), .id("consent"), .ariaLabelledBy("consent-title")) {
            div(.class("panel-head")) {
                h2(.id("consent-title")) { "Consent" }
                a(.href(.consent(slug, bundleID: story.bundleID, whose))) { "All of this customer" }
            }
            for one in consent.rescissions where one.stops {
                Notice(
                    .attention, "A parent withdrew consent, as Apple told \(TimeText(one.signedAt).short).",
                    more: "Nothing is sent until somebody decides otherwise.",
                    link: (.consent(slug, bundleID: story.bundleID, .now), "Decide")
                ).html
            }
            for reply in consent.replies {
                p {
                    "The request of "
                    TimeText(reply.requestedAt).shortHTML
                    " was answered, allowed by \(allowed(reply))"
                }
            }
            if let match = consent.match {
                p(.class("quiet")) {
                    "The purchase names no customer: "
                    span(.class("mono")) { NameText(match.customer).html }
                    " is \(match.by.text)."
                }
            }
            CustomerChoice(
                slug: slug, caseID: story.line.id, bundleID: story.bundleID, consent: consent, canChoose: canChoose,
                typed: typed, wrong: wrong
            ).html
            if consent.entries.isEmpty {
                p(.class("quiet")) { "Nothing was reported about the customer or the purchase." }
            } else {
                ConsentTable(
                    caption: "What was reported about the customer and the purchase, oldest first",
                    changes: consent.entries.map(\.change)
                ).html
            }
        }
    }

    private var whose: ConsentShown {
        (story.line.customer ?? consent.match?.customer).map { .customer($0) } ?? .purchase(story.line.transactionID)
    }

    /// The entry in words.
    private func allowed(_ reply: CaseConsent.Reply) -> String {
        guard let number = reply.changeNo else {
            if case .allFrom(let moment, _) = consent.app.consent {
                return "the agreement of everybody who bought since \(TimeText(moment).short)."
            }
            return "the agreement of everybody, as the app was set then."
        }
        guard let entry = consent.entries.first(where: { $0.change.changeNo == number })?.change else {
            return "entry \(number) of the ledger."
        }
        var words = "entry \(number): the customer agreed \(TimeText(entry.givenAt).short)"
        if let wording = entry.wording { words += ", to the wording \"\(wording)\"" }
        if let source = entry.source { words += ", source \(source)" }
        return words + "."
    }
}
