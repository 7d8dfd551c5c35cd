import Refunds
import Tenants
import Time

/// Step 2: the .p8, dropped, chosen or pasted. What was saved is known by its fingerprint and never shown again.
struct KeyStep {
    let page: SetupPage
    private var model: SetupModel { page.model }
    private var isRehearsal: Bool { model.app.isRehearsal }

    var html: HTML {
        Step(
            .key, of: page,
            lead: isRehearsal
                ? "A key that the simulator made: POST /control/keys gives the .p8 text, its key ID and its issuer ID. It is tried, sealed under this installation's master key, and never shown again."
                : "Apple lets you download an In-App Purchase key once, as a .p8 file. It is tried, sealed under this installation's master key, and never shown again, in any form, to anyone."
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
                        ("For this app", isTried(key) ? own(key) : nil),
                        ("For other apps", others(key)),
                        ("Added", TimeText(key.info.createdAt).shortHTML),
                        (
                            isRehearsal ? "Safe to revoke" : "Safe to revoke at Apple",
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

    /// Which key signs is one question for each environment: another signs where the one that is meant to is refused, or
    /// was not accepted yet.
    private func signs(_ key: KeyStory) -> String {
        let places = model.environments(signedBy: key).joined(separator: " and ")
        let lead = model.keys.first
        let end = key.info.retiresAt.map { " until \(TimeText($0).short)" } ?? ""
        if key.info.state == .retired { return "no: it was wiped" }
        let kept = key.info.state == .retiring ? " Kept\(end), or longer where nothing else is taken." : ""
        guard let lead, lead.info.id != key.info.id else {
            return places.isEmpty
                ? "nowhere yet: \(asker) has not accepted it for this app, and another key signs meanwhile"
                : "in \(places)"
        }
        guard places.isEmpty else {
            return "in \(places), until \(asker) accepts \(lead.info.keyID) there for this app.\(kept)"
        }
        if key.info.state == .retiring {
            return "no: \(lead.info.keyID) does. Kept\(end), and used where \(lead.info.keyID) is refused"
        }
        return lead.info.app != nil && key.info.app == nil
            ? "not for this app: \(lead.info.keyID) is this app's own" : "not for this app: \(lead.info.keyID) is newer"
    }

    private var asker: String { isRehearsal ? "the simulator" : "Apple" }

    private func isTried(_ key: KeyStory) -> Bool { !key.standings.isEmpty || !key.proofs.isEmpty }

    /// What live calls and tries told of the key for this app.
    private func own(_ key: KeyStory) -> HTML {
        HTMLBuilder.buildArray(
            model.environments.map { environment in
                let standing = key.standing(for: model.app.id, isSandbox: environment.id == .sandbox)
                return div {
                    "\(environment.name): "
                    if let since = standing?.refusedSince, standing?.isRefusedElsewhere == false {
                        "refused since "
                        TimeText(since).shortHTML
                    } else if let at = standing?.acceptedAt {
                        "accepted, last "
                        TimeText(at).shortHTML
                        if standing?.isRefusedElsewhere == true { "; refused for another app since then" }
                    } else {
                        "not tried yet"
                    }
                }
            })
    }

    /// The same for the other apps that it serves: those show whether the key itself is well.
    private func others(_ key: KeyStory) -> HTML? {
        let proofs = key.proofs.filter { $0.app != model.app.id && ($0.acceptedAt != nil || $0.refusedSince != nil) }
        guard !proofs.isEmpty else { return nil }
        var html = HTMLBuilder.buildArray(
            proofs.prefix(6).map { proof in
                div {
                    span(.class("mono")) { proof.bundleID }
                    ", \(proof.environment): \(proof.isAccepted ? "accepted" : "refused")"
                }
            })
        if proofs.count > 6 { html.append(div { "and \(proofs.count - 6) more" }) }
        return html
    }

    private var form: HTML {
        Web.form(.class("step-form"), .post, .multipart, page.action(.key)) {
            if !isRehearsal {
                ol(.class("numbered")) {
                    li {
                        "App Store Connect → Users and Access → Integrations → In-App Purchase. Not the App Store Connect API tab: those keys open other doors."
                    }
                    li { "Generate a key, download SubscriptionKey_….p8, and note the issuer ID above the list." }
                }
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
                    "Issuer ID", name: "issuerID",
                    help: isRehearsal
                        ? "A UUID; the simulator gave it with the key." : "A UUID; the same for all keys of your team.",
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
                            more:
                                "Apple's keys belong to the team, so one is enough. Apps that have a key of their own keep it; a key that works goes on signing for an app until Apple has accepted the new one for it."
                        ),
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
