import Journal
import Refunds
import Tenants
import Time

/// How evidence of an app comes: its server is asked, use is reckoned, files are sent.
struct EvidencePage {
    let frame: Frame
    let slug: String
    let model: EvidenceModel
    let canChange: Bool
    let now: Moment
    var notice: Notice?
    /// A secret just made.
    var newSecret: Redacted<String>?
    var upload: FileUpload?
    /// Why a field was not taken, by its name.
    var wrong: [String: String] = [:]
    /// What was sent with a form that was not taken.
    var typed: [String: String] = [:]

    var app: App { model.app }
    private var place: Site { .evidence(slug, bundleID: app.bundleID, .now) }

    static func words(for member: String) -> String {
        switch member {
        case "callbackURL": "the callback URL"
        case "seen": "these settings"
        case "productID": "the product ID"
        case "days": "the number of days"
        case "asked": "whether it is asked"
        case "model": "how use is reckoned"
        default: member
        }
    }

    var html: HTML {
        Layout(frame, title: "Evidence of \(app.name)").console {
            nav(.class("crumbs"), .ariaLabel("Way back")) { a(.href(.apps(slug))) { "Apps" } }
            PageHeader("Evidence of \(app.name)") {
                "What replies to Apple rest on: what the app's server reports by itself, what it says when it is asked, files, and what is reckoned from them. What nobody knows stays unknown."
            }.html
            if let notice { notice.html }
            if let newSecret { secretOnce(newSecret) }
            if let upload { UploadReport(upload: upload, subject: "transactionId").html }
            callback
            models
            if canChange { files }
        }
    }

    // MARK: The callback

    private func secretOnce(_ secret: Redacted<String>) -> HTML {
        section(.class("panel"), .ariaLabelledBy("secret-title")) {
            h2(.id("secret-title")) { "The secret" }
            CopyField(label: "The secret, shown this once", id: "callback-secret", text: secret.reveal()).html
            p(.class("quiet")) {
                "Standard Webhooks: the server checks webhook-signature over webhook-id, webhook-timestamp and the body with it. Code for that exists for every language."
            }
        }
    }

    private var callback: HTML {
        section(.class("panel step"), .ariaLabelledBy("callback-title")) {
            h2(.id("callback-title")) { "The app's server is asked" }
            p(.class("step-lead")) {
                "When Apple asks about a purchase, we ask your server: a signed POST with the transaction, the product, the customer's reason and the deadline. Its answer counts at once, and the reply goes out with it."
            }
            Facts([
                ("Asked", HTML(text: standing)), ("URL", url), ("Secret", secretLine),
                ("Last answer", model.standing.lastSuccessAt.map { TimeText($0).relativeHTML(to: now) }),
                ("Last trouble", trouble),
                ("Waiting", model.waiting == 0 ? nil : HTML(text: "\(model.waiting) for an answer")),
            ]).html
            if canChange {
                form
                secretForm
                if app.callbackURL != nil, app.callbackSecret != nil {
                    Web.form(.class("step-form"), .post, .action(place)) {
                        div(.class("step-actions")) {
                            button(.class("button"), .type("submit"), .name("do"), .value("test")) { "Test" }
                        }
                        p(.class("quiet")) {
                            "Asks about a purchase that is nobody's, and keeps nothing of the answer."
                        }
                    }
                }
            }
        }
    }

    private var standing: String {
        if app.isAsked { return "yes, at every request" }
        if app.evidence == .callback { return "not yet: \(app.callbackURL == nil ? "a URL" : "a secret") is missing" }
        return "no"
    }

    /// Such addresses often hold a token: who may not change it sees the host alone.
    private var url: HTML? {
        app.callbackURL.map { text in
            if canChange { return span(.class("mono")) { text } }
            let parts = text.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: true)
            return span(.class("mono")) { parts.count > 1 ? "\(parts[0])//\(parts[1])/…" : "…" }
        }
    }

    private var secretLine: HTML {
        guard let at = app.callbackSecretAt else { return span(.class("quiet")) { "none yet" } }
        return span {
            span(.class("mono")) { "whsec_••••••••" }
            span(.class("subtext")) {
                "made "
                TimeText(at).shortHTML
                if now < at + TenantStore.callbackOverlap {
                    "; those that signed before sign too for a day"
                }
            }
        }
    }

    private var trouble: HTML? {
        guard model.standing.failures > 0, let error = model.standing.lastError else { return nil }
        return span {
            Badge(text: "\(model.standing.failures) in a row", tone: .bad).html
            " "
            NameText(error).html
            if let at = model.standing.lastErrorAt {
                span(.class("subtext")) { TimeText(at).relativeHTML(to: now) }
            }
        }
    }

    private var form: HTML {
        details(
            .class("opening"),
            wrong["callbackURL"] != nil || wrong["seen"] != nil || app.callbackURL == nil
                ? .open : .id("change-callback")
        ) {
            summary { "Change" }
            Web.form(.class("step-form"), .post, .action(place)) {
                SeenField(app, .callback).html
                Choices(
                    legend: "Is the server asked?", name: "asked",
                    choices: [
                        .init(value: "yes", text: "Yes, at every request"),
                        .init(value: "no", text: "No", more: "What it reports by itself still counts."),
                    ], chosen: typed["asked"] ?? (app.evidence == .callback ? "yes" : "no"), error: wrong["asked"]
                ).html
                Field(
                    "URL of the server", name: "callbackURL",
                    help: "https; it answers within ten seconds, and redirects are not followed.",
                    error: wrong["callbackURL"], .type("url"), .maxlength(2048), .autocomplete("off"),
                    .value(typed["callbackURL"] ?? app.callbackURL ?? ""), .placeholder("https://")
                ).html
                div(.class("step-actions")) {
                    button(.class("button button-main"), .type("submit"), .name("do"), .value("callback")) { "Save" }
                }
            }
        }
    }

    /// Which secret a form replaces: one that is sent twice makes one new secret.
    var secretMark: String { app.callbackSecret.map { "\($0)" } ?? "none" }

    private var secretForm: HTML {
        details(.class("opening"), wrong["sure"] != nil || app.callbackSecret == nil ? .open : .id("change-secret")) {
            summary { app.callbackSecret == nil ? "Make the secret" : "Replace the secret" }
            Web.form(.class("step-form"), .post, .action(place)) {
                input(.type("hidden"), .name("made"), .value(secretMark))
                if app.callbackSecret == nil {
                    p(.class("quiet")) { "What is asked is signed with it, so that your server knows who asks." }
                } else {
                    if let error = wrong["sure"] { p(.class("field-help", .bad)) { error } }
                    Tick(text: "The server gets the new secret within a day; until then both sign.", name: "sure").html
                }
                div(.class("step-actions")) {
                    button(.class("button"), .type("submit"), .name("do"), .value("secret")) {
                        app.callbackSecret == nil ? "Make the secret" : "Make another secret"
                    }
                }
            }
        }
    }

    // MARK: Models

    private var models: HTML {
        section(.class("panel step"), .ariaLabelledBy("models-title")) {
            h2(.id("models-title")) { "How use is reckoned" }
            p(.class("step-lead")) {
                "Where your server reports no share, it can be reckoned for a product: from credits or items that are reported, or from the time since the purchase. A newer report of a share goes before it. Of auto-renewable subscriptions Apple reckons the time itself, and no share is sent."
            }
            if model.models.isEmpty {
                p(.class("quiet")) { "No product's use is reckoned." }
            } else {
                DataTable(
                    caption: "Products whose use is reckoned",
                    columns: [
                        .init("Product") { product in span(.class("mono")) { NameText(product.productID).html } },
                        .init("Reckoned by") { product in span { Words.sentence(product.model?.text ?? "") } },
                    ], rows: model.models
                ).html
            }
            if canChange { modelForm }
        }
    }

    private var isModelWrong: Bool { wrong["productID"] != nil || wrong["days"] != nil || wrong["model"] != nil }

    private var modelForm: HTML {
        details(.class("opening"), isModelWrong ? .open : .id("change-model")) {
            summary { "Set one product" }
            Web.form(.class("step-form"), .post, .action(place)) {
                Field(
                    "Product ID", name: "productID", error: wrong["productID"], .required, .maxlength(200),
                    .noSpellcheck, .value(typed["productID"] ?? "")
                ).html
                Choices(
                    legend: "Its use is", name: "model",
                    choices: [
                        .init(
                            value: "credits", text: "Credits used of credits granted",
                            more: "From creditsUsed and creditsGranted in reports."),
                        .init(
                            value: "items", text: "Items used of items granted",
                            more: "From itemsUsed and itemsGranted in reports."),
                        .init(
                            value: "time", text: "The share of its days that has passed",
                            more: "For passes and non-renewing subscriptions."),
                        .init(value: "none", text: "Not reckoned", more: "A reported share counts, or it is unknown."),
                    ], chosen: typed["model"] ?? "credits", error: wrong["model"]
                ).html
                Field(
                    "Days", name: "days", help: "Only for time.", error: wrong["days"], .type("number"), .min(1),
                    .max(3660), .value(typed["days"] ?? "")
                ).html
                div(.class("step-actions")) {
                    button(.class("button"), .type("submit"), .name("do"), .value("model")) { "Save" }
                }
            }
        }
    }

    // MARK: Files

    private var files: HTML {
        section(.class("panel step"), .ariaLabelledBy("file-title")) {
            h2(.id("file-title")) { "Send a file" }
            p(.class("step-lead")) {
                "Reports of delivery and use as comma-separated values: a header with the API's names, a row for each transaction, at most \(UsageFile.rowsMax) rows and 1 MiB. A row that is wrong harms no other, and the same file again changes nothing."
            }
            CodeBlock(
                "transactionId,deliveryStatus,consumptionPercentage,observedAt\n2000000900000001,DELIVERED,25000,\(now.milliseconds)",
                label: "Example"
            ).html
            p(.class("quiet")) {
                "Columns: \(UsageFile.columns.joined(separator: ", ")). transactionId and observedAt must be there."
            }
            Web.form(.class("step-form"), .post, .multipart, .action(place)) {
                HiddenFields(fields: [("do", "upload")]).html
                div(.class("field")) {
                    Web.label(.class("field-label"), .for("field-file")) { "File" }
                    input(.id("field-file"), .type("file"), .name("file"), .accept(".csv,.txt"))
                }
                button(.class("button"), .type("submit")) { "Send" }
            }
        }
    }
}
