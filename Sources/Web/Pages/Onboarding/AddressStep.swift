import Journal
import Refunds
import Tenants
import Time

/// Step 4: who gets Apple's notifications today, our URL and where it goes, and a TEST notification through it.
struct AddressStep {
    let page: SetupPage
    private var model: SetupModel { page.model }

    var html: HTML {
        Step(
            .url, of: page,
            lead: isRehearsal
                ? "The simulator sends the app's notifications to one URL: this one."
                : "App Store Connect knows one URL for each environment. If something of yours listens there today, it keeps hearing everything."
        ) {
            receiver
            address
            test
        }.html
    }

    private var isRehearsal: Bool { model.app.isRehearsal }

    // MARK: The other receiver

    private var receiver: HTML {
        div(.class("step-part")) {
            h3 { "Is there another receiver today?" }
            page.answer(to: .receiver, .redelivery)
            if case .relay(let host, let standing, let newest) = model.receiver {
                log(host, standing, newest)
            }
            if page.canChange { form }
        }
    }

    private var chosen: String? {
        switch model.receiver {
        case .notAsked: nil
        case .nobody: "no"
        case .relay: "yes"
        }
    }

    private var form: HTML {
        Web.form(.class("step-form"), .post, page.action(.receiver)) {
            SeenField(page.model.app, .receiver).html
            Choices(
                legend: "Who gets them now", name: "hasOther",
                choices: [
                    .init(
                        value: "no", text: isRehearsal ? "Nobody" : "Nobody: App Store Connect has no URL for this app"),
                    .init(
                        value: "yes", text: "Our own backend, or a subscription service",
                        more: "Every original notification is passed on byte for byte, with retries for three days."),
                ], chosen: page.typed("hasOther", in: .receiver, else: chosen ?? "")
            ).html
            Field(
                "Its URL", name: "relayURL",
                help: chosen == "yes"
                    ? "Leave it empty to keep the one that is sealed here."
                    : "\(isRehearsal ? "Where they go today" : "The URL that stands in App Store Connect today"). Only with the second choice. It is sealed, because such addresses often hold a token.",
                error: page.wrong("relayURL", in: .receiver), .type("url"), .maxlength(2048), .autocomplete("off"),
                .value(page.typed("relayURL", in: .receiver)), .placeholder("https://")
            ).html
            Notice(
                .attention, "Switch off its own refund answers, if it has them.",
                more:
                    "Two services that both send consumption information about one refund contradict each other. In a subscription service it is usually called refund handling or consumption requests."
            ).html
            button(.class("button"), .type("submit")) { "Save" }
        }
    }

    private func log(_ host: String, _ standing: RelayStanding, _ newest: [RelayLine]) -> HTML {
        var html = Facts([
            ("Passed on to", span(.class("mono")) { host }),
            (
                "Last delivered",
                HTML(text: standing.lastSuccessAt.map { TimeText($0).short } ?? "nothing yet")
            ),
            (
                "Trouble",
                standing.isInTrouble ? HTML(text: standing.lastError ?? "it does not answer") : nil
            ),
            (
                "Queue",
                HTML(text: "\(standing.waiting) waiting, \(standing.givenUp) given up")
            ),
        ]).html
        guard !newest.isEmpty else { return html }
        html.append(
            details(.class("opening"), page.answer?.part == .redelivery ? .open : .id("delivery-log")) {
                summary { "Delivery log" }
                if page.canChange, standing.waiting + standing.givenUp > 0 {
                    Web.form(.class("step-actions"), .post, page.action(.redelivery)) {
                        button(.class("button"), .type("submit")) { "Try all again that were not delivered" }
                    }
                }
                DataTable(
                    caption: "The newest notifications that were passed on",
                    columns: [
                        .init("Notification") { line in span(.class("mono")) { line.type ?? "forgotten" } },
                        .init("Received") { line in TimeText(line.createdAt).shortHTML },
                        .init("State") { line in
                            Badge(
                                text: Words.sentence(line.state.rawValue.replacing("-", with: " ")),
                                tone: tone(line.state)
                            ).html
                        },
                        .init("Attempts", isNumber: true) { line in span { "\(line.attempts)" } },
                        .init("Answer") { line in
                            span { line.status.map { "\($0)" } ?? line.error ?? "–" }
                        },
                    ], rows: newest
                ).html
            })
        return html
    }

    private func tone(_ state: RelayLine.State) -> Tone {
        switch state {
        case .delivered: .good
        case .givenUp: .bad
        case .waiting: .active
        }
    }

    // MARK: Our URL

    private var address: HTML {
        div(.class("step-part")) {
            h3 { "Our URL" }
            switch model.addresses {
            case .shown(let tokens):
                if tokens.isEmpty {
                    Notice(
                        .bad, "All URLs of this app are retired.",
                        more: "Make one: refund-desk inbox add --tenant \(page.slug) --bundle-id \(model.app.bundleID)."
                    ).html
                }
                for (index, token) in tokens.enumerated() {
                    CopyField(
                        label: index == 0 ? "Notification URL" : "An older URL, still in use",
                        id: "notification-url-\(index)", text: "\(page.publicURL)/n/\(token.reveal())"
                    ).html
                }
                where_
            case .counted(let count):
                p(.class("quiet")) {
                    count == 1
                        ? "One URL is in use. It is a secret: owners and admins see it."
                        : "\(count) URLs are in use. They are secrets: owners and admins see them."
                }
            case .unreadable:
                Notice(
                    .bad, "The URL cannot be read.",
                    more:
                        "It was sealed under a master key that this installation does not have any more. Deliveries to it still arrive. refund-desk doctor names the row."
                ).html
            }
        }
    }

    private var where_: HTML {
        if isRehearsal {
            return ol(.class("numbered")) {
                li {
                    "At the simulator, register the app with it: PUT /control/apps/\(model.app.bundleID), "
                    code { "notificationURL" }
                    " is this URL, "
                    code { "appAppleId" }
                    " any number, "
                    code { "issuerId" }
                    " the one of the key in step 2. Then try the key again there."
                }
                li { "app-store-simulator --help describes the rest." }
            }
        }
        return ol(.class("numbered")) {
            li { "App Store Connect → Apps → \(model.app.name) → App Information → App Store Server Notifications." }
            li { "Production Server URL: paste it, choose Version 2, save." }
            li { "Sandbox Server URL: the same URL, Version 2, save." }
        }
    }

    // MARK: A test

    private var test: HTML {
        div(.class("step-part")) {
            h3 { "First notification" }
            p(.class("step-lead")) {
                "\(isRehearsal ? "The simulator" : "Apple") sends a TEST notification when asked. This page changes by itself when it arrives."
            }
            page.answer(to: .test, .appleID)
            live
            if page.canChange, !model.keys.isEmpty {
                Web.form(.class("step-actions"), .post, page.action(.test)) {
                    for environment in model.environments {
                        button(
                            .class("button"), .type("submit"), .name("environment"), .value(environment.id.rawValue)
                        ) { model.app.isRehearsal ? "Send a test" : "Send a \(environment.name) test" }
                    }
                }
            }
        }
    }

    /// One press where Apple's own notification named another Apple ID than the one that was typed.
    private var correction: HTML {
        guard page.canChange, let appleID = model.refused?.words.appleID, !model.isAppleIDProven else { return .empty }
        return Web.form(.class("step-actions"), .post, page.action(.appleID)) {
            input(.type("hidden"), .name("appleID"), .value("\(appleID)"))
            button(.class("button button-main"), .type("submit")) { "Set the Apple ID to \(appleID)" }
        }
    }

    private var isAwaiting: Bool { model.environments.contains { $0.test?.state == .asked } }

    var live: HTML {
        let cards = HTMLBuilder.buildArray(model.environments.map(card))
        let warning =
            model.versionOneAt.map {
                Notice(
                    .bad, "Version 1 notifications arrive here.",
                    more:
                        "The last one \(TimeText($0).short). Version 1 is not signed, so it is refused. \(isRehearsal ? "Register the app at the simulator with notificationVersion 2." : "In App Store Connect, at the same place, choose Version 2 for this environment.")"
                ).html
            } ?? .empty
        var inside = warning
        if let refused = model.refused {
            inside.append(
                Notice(
                    .bad, refused.words.summary, more: "\(refused.words.advice) Refused \(TimeText(refused.at).short)."
                ).html)
            inside.append(correction)
        }
        inside.append(div(.class("pair")) { cards })
        return isAwaiting
            ? div(.class("steps"), .live("test"), .role("status"), .awaits) { inside }
            : div(.class("steps"), .live("test"), .role("status")) { inside }
    }

    private func card(_ environment: SetupEnvironment) -> HTML {
        div(.class("side-card")) {
            div(.class("side-card-head")) {
                strong { environment.name }
                badge(environment).html
            }
            if let test = environment.test {
                p { test.words.summary }
                if let advice = test.words.advice { p { strong { advice } } }
                span(.class("subtext")) {
                    "asked "
                    TimeText(test.askedAt).shortHTML
                }
            }
            if let at = environment.lastNotification {
                span(.class("subtext")) {
                    "last notification "
                    TimeText(at).shortHTML
                }
            } else if environment.test == nil {
                p(.class("quiet")) { "Nothing has arrived yet." }
            }
        }
    }

    private func badge(_ environment: SetupEnvironment) -> Badge {
        switch environment.test?.state {
        case .arrived: Badge(text: "Received", tone: .good)
        case .asked: Badge(text: "On its way", tone: .active)
        case .notArrived: Badge(text: "Did not arrive", tone: .bad)
        case .refused: Badge(text: "Not sent", tone: .bad)
        case nil:
            environment.lastNotification == nil
                ? Badge(text: "Silent so far", tone: .plain) : Badge(text: "Receives", tone: .good)
        }
    }
}
