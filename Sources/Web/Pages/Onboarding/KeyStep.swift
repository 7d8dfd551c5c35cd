import Refunds
import Tenants
import Time

/// Step 2: the .p8, dropped, chosen or pasted. What was saved is known by its fingerprint and never shown again.
struct KeyStep {
    let page: SetupPage
    private var model: SetupModel { page.model }

    var html: HTML {
        Step(
            .key, of: page,
            lead:
                "Apple lets you download an In-App Purchase key once, as a .p8 file. It is tried, sealed under this installation's master key, and never shown again, in any form, to anyone."
        ) {
            page.answer(to: .key)
            for twins in KeyTwins.among(model.keys.map(\.info)) { twins.notice.html }
            if !model.keys.isEmpty { keys }
            if page.canChange {
                if model.canSeal {
                    if model.keys.isEmpty || page.answer?.part == .key && page.answer?.tone == .bad {
                        form
                    } else {
                        details(.class("opening")) {
                            summary { "Add another key" }
                            form
                        }
                    }
                } else {
                    Notice(
                        .bad, "This installation has no master key.",
                        more:
                            "Whoever runs it makes one: refund-desk master-key new --file …, and sets REFUND_DESK_MASTER_KEY_FILE. Until then no key can be kept safely, so none is taken."
                    ).html
                }
            }
        }.html
    }

    private var keys: HTML {
        ul(.class("plain-list")) {
            for key in model.keys {
                li(.class("side-card")) {
                    div(.class("side-card-head")) {
                        strong { span(.class("mono")) { key.info.keyID } }
                        badge(key).html
                    }
                    Facts([
                        ("Public key", span(.class("mono")) { key.info.fingerprint }),
                        ("Issuer ID", span(.class("mono")) { key.info.issuerID }),
                        (
                            "Serves",
                            HTML(text: key.info.app == nil ? "every app of the tenant" : "this app alone")
                        ),
                        ("Signs now", HTML(text: signs(key))),
                        ("At Apple", key.standings.isEmpty ? nil : standings(key)),
                        ("Added", TimeText(key.info.createdAt).shortHTML),
                        (
                            "Safe to revoke at Apple",
                            HTML(text: (key.isSafeToRevoke ? "Yes. " : "Not yet. ") + key.why)
                        ),
                    ]).html
                }
            }
        }
    }

    private func badge(_ key: KeyStory) -> Badge {
        if key.info.state == .retired { return Badge(text: "Retired", tone: .plain) }
        if !key.opens { return Badge(text: "Unreadable", tone: .bad) }
        let places = model.environments(signedBy: key)
        let isEverywhere = places.count == model.environments.count
        if key.info.state == .retiring {
            return places.isEmpty
                ? Badge(text: "Kept for grace", tone: .plain)
                : Badge(text: "Signs meanwhile", tone: .attention)
        }
        if places.isEmpty { return Badge(text: "Does not sign here", tone: .plain) }
        return Badge(text: isEverywhere ? "Signs" : "Signs in \(places.joined(separator: " and "))", tone: .good)
    }

    /// Which key signs is one question for each environment: an older one signs where Apple refuses the newest.
    private func signs(_ key: KeyStory) -> String {
        let places = model.environments(signedBy: key).joined(separator: " and ")
        let newest = model.keys.first?.info.keyID ?? "the newest"
        let end = key.info.retiresAt.map { " until \(TimeText($0).short)" } ?? ""
        switch key.info.state {
        case .active:
            if !places.isEmpty { return "in \(places)" }
            return key.info.id == model.keys.first?.info.id
                ? "nowhere: Apple refuses it, and an older key signs meanwhile"
                : "not for this app: \(newest) is newer"
        case .retiring:
            return places.isEmpty
                ? "no: \(newest) does. Kept\(end), and used where Apple refuses \(newest)"
                : "in \(places), while Apple refuses \(newest) there. Kept\(end), or longer where nothing else is taken"
        case .retired: return "no: it was wiped"
        }
    }

    /// What live calls and tries of any app told of the key.
    private func standings(_ key: KeyStory) -> HTML {
        HTMLBuilder.buildArray(
            key.standings.map { standing in
                let name = model.app.environmentLabel(standing.isSandbox ? .sandbox : .production)
                return div {
                    "\(name): "
                    if let since = standing.refusedSince {
                        "refused since "
                        TimeText(since).shortHTML
                    } else if let at = standing.acceptedAt {
                        "accepted, last "
                        TimeText(at).shortHTML
                    } else {
                        "not told yet"
                    }
                }
            })
    }

    private var form: HTML {
        Web.form(.class("step-form"), .post, .multipart, page.action(.key)) {
            ol(.class("numbered")) {
                li {
                    "App Store Connect → Users and Access → Integrations → In-App Purchase. Not the App Store Connect API tab: those keys open other doors."
                }
                li { "Generate a key, download SubscriptionKey_….p8, and note the issuer ID above the list." }
            }
            div(.class("drop"), .nicety("drop")) {
                label(.class("field-label"), .for("field-file")) { "Key file: drop it here, or choose it" }
                input(.id("field-file"), .type("file"), .name("file"), .accept(".p8,.pem,.key,.txt"))
                span(.class("drop-name")) {}
            }
            details(.class("opening")) {
                summary { "Paste its text instead" }
                TextArea(
                    label: "Text of the .p8 file", name: "pasted", text: "", rows: 5,
                    help: "Whatever the clipboard did to line breaks is put right.", isCode: true
                ).html
            }
            div(.class("field-row")) {
                Field(
                    "Key ID", name: "keyID", help: "Ten capital letters and digits. Empty: read from the file's name.",
                    error: page.wrong("keyID", in: .key), .value(page.typed("keyID", in: .key)), .maxlength(64),
                    .autocomplete("off"), .noSpellcheck, .placeholder("2X9R4HXF34")
                ).html
                Field(
                    "Issuer ID", name: "issuerID", help: "A UUID; the same for all keys of your team.",
                    error: page.wrong("issuerID", in: .key), .required, .maxlength(64), .autocomplete("off"),
                    .noSpellcheck,
                    .value(page.typed("issuerID", in: .key, else: model.keys.first?.info.issuerID ?? "")),
                    .placeholder("57246542-96fe-1a63-e053-0824d011072a")
                ).html
            }
            // A simulator's key must not become the newest key of the tenant's real apps.
            if model.app.isRehearsal {
                input(.type("hidden"), .name("serves"), .value("app"))
            } else {
                Choices(
                    legend: "It serves", name: "serves",
                    choices: [
                        .init(
                            value: "all", text: "Every app of the tenant",
                            more: "Apple's keys belong to the team, so one is enough."),
                        .init(
                            value: "app", text: "\(model.app.name) alone",
                            more: "When this app belongs to another team."),
                    ], chosen: page.typed("serves", in: .key, else: "all")
                ).html
            }
            button(.class("button button-main"), .type("submit")) { "Check, try and save" }
        }
    }
}
