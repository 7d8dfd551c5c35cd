import Refunds
import Tenants
import Time

/// What an app's customers agreed to: what its lack costs, what Apple takes back, one customer's history, the wordings.
struct ConsentPage {
    let frame: Frame
    let slug: String
    let app: App
    let book: ConsentBook
    let names: AuditNames
    let now: Moment
    let canAdd: Bool
    let canDecide: Bool
    var notice: Notice?
    /// What became of a file that was just sent.
    var upload: FileUpload?
    /// The customer, or the purchase, that was asked for.
    var asked: String?
    var askedPurchase: String?
    /// Nil where nobody can have that name.
    var history: ConsentHistory?
    /// What was typed in a form that was not taken.
    var typed: [String: String] = [:]
    var wrong: [String: String] = [:]

    private var place: Site { .consent(slug, bundleID: app.bundleID, .now) }

    var html: HTML {
        Layout(frame, title: "Consent of \(app.name)").console {
            nav(.class("crumbs"), .ariaLabel("Way back")) { a(.href(.apps(slug))) { "Apps" } }
            PageHeader("Consent of \(app.name)") {
                "Nothing is sent to Apple about a customer who did not agree before asking for the refund."
            }.html
            if let notice { notice.html }
            if let upload { UploadReport(upload: upload, subject: "Customer or purchase").html }
            cost
            if !book.rescissions.isEmpty { rescissions }
            look
            if asked != nil || askedPurchase != nil, wrong.isEmpty { found }
            wordings
            files
        }
    }

    // MARK: Files

    private var files: HTML {
        section(.class("panel step"), .id("files"), .ariaLabelledBy("files-title")) {
            h2(.id("files-title")) { "Files" }
            p(.class("step-lead")) {
                "Everything that was ever reported about consent, as comma-separated values. Such a file can be sent back, here or to another installation."
            }
            div(.class("filters-actions")) {
                a(.class("button"), .href(.consentExport(slug, bundleID: app.bundleID, .plain))) { "CSV" }
                a(.class("button"), .href(.consentExport(slug, bundleID: app.bundleID, .spreadsheet))) {
                    "CSV for spreadsheets"
                }
            }
            if canAdd {
                h3 { "Send a file" }
                p(.class("quiet")) {
                    "Columns: \(ConsentFile.columns.joined(separator: ", ")). consented and recordedAt must be there, and in each row appAccountToken or transactionId. Each row stands for itself, and the same file again changes nothing. Consent counts for requests that are signed after its recordedAt."
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

    // MARK: What its lack costs

    private var cost: HTML {
        let cost = book.cost
        return section(.class("panel"), .ariaLabelledBy("cost-title")) {
            h2(.id("cost-title")) { "What lack of consent costs" }
            if cost.withheld == 0 {
                p(.class("quiet")) {
                    cost.requests == 0
                        ? "Apple asked about no purchase of this app in \(ConsentCost.days) days."
                        : "Nothing: none of \(counted(cost.requests)) in \(ConsentCost.days) days lacked it."
                }
            } else {
                Facts([
                    (
                        "Not answered",
                        span {
                            "\(cost.isAtLeast ? "at least " : "")\(counted(cost.withheld)) of \(cost.requests) in \(ConsentCost.days) days"
                        }
                    ),
                    ("What they had paid", MoneySums(cost.price).html),
                    ("Refunded by Apple", HTML(text: counted(cost.refunded))),
                    ("What those had paid", cost.refunded == 0 ? nil : MoneySums(cost.refundedPrice).html),
                ]).html
                p {
                    a(.href(.cases(slug, withheld))) { "These cases" }
                    span(.class("quiet")) { " · Prices as Apple signed them; not for accounting." }
                }
            }
        }
    }

    private var withheld: CaseListQuery {
        var query = CaseListQuery()
        query.state = .withheld
        query.app = app.bundleID
        return query
    }

    private func counted(_ n: Int) -> String { n == 1 ? "1 request" : "\(n) requests" }

    // MARK: What Apple takes back

    private var rescissions: HTML {
        section(.class("panel"), .id("rescissions"), .ariaLabelledBy("rescissions-title")) {
            h2(.id("rescissions-title")) { "Withdrawn by a parent" }
            p(.class("step-lead")) {
                "Apple told that a parent withdrew consent for what a child does in the app. Requests about what was bought under that appTransactionId are not answered until somebody decides."
            }
            RescissionTable(
                slug: slug, app: app, rescissions: book.rescissions, names: names, canDecide: canDecide
            ).html
        }
    }

    // MARK: One customer

    private var look: HTML {
        section(.class("panel"), .ariaLabelledBy("look-title")) {
            h2(.id("look-title")) { "One customer" }
            Web.form(.class("step-form"), .get, .action(place)) {
                Field(
                    "appAccountToken", name: "customer", help: "The app's own word for the customer.",
                    error: wrong["customer"], .type("text"), .maxlength(200), .autocomplete("off"),
                    .value(asked ?? "")
                ).html
                Field(
                    "Or a transaction", name: "purchase", help: "For buyers without a token.",
                    error: wrong["purchase"], .type("text"), .maxlength(64), .autocomplete("off"),
                    .value(askedPurchase ?? "")
                ).html
                button(.class("button"), .type("submit")) { "Look up" }
            }
        }
    }

    private var found: HTML {
        section(.class("panel"), .id("customer"), .ariaLabelledBy("customer-title")) {
            h2(.id("customer-title")) {
                "Consent of "
                span(.class("mono")) { asked ?? "the buyer of \(askedPurchase ?? "")" }
            }
            if let state = history?.state {
                standing(state)
            } else {
                p(.class("quiet")) { "Nothing was ever reported." }
            }
            if let all = generally { p(.class("quiet")) { all } }
            if let rescissions = history?.rescissions, !rescissions.isEmpty {
                RescissionTable(
                    slug: slug, app: app, rescissions: rescissions, names: names, canDecide: canDecide
                ).html
            }
            if let cases = history?.cases, !cases.isEmpty { caseList(cases) }
        }
    }

    private var generally: String? {
        guard case .allFrom(let moment, _) = app.consent else { return nil }
        return
            "Besides, everybody who bought since \(TimeText(moment).short) agreed, by the app's setting; the customer's own word goes before it."
    }

    @HTMLBuilder
    private func standing(_ state: ConsentLedger.State) -> HTML {
        let newest = state.history.last { $0.consented == state.consented && $0.givenAt == state.givenAt }
        Facts([
            (
                "State",
                Badge(text: state.consented ? "Agreed" : "Withdrawn", tone: state.consented ? .good : .attention).html
            ),
            ("Since", TimeText(state.givenAt).fullHTML),
            ("Wording", newest.flatMap(\.wording).map { HTML(text: $0) }),
            ("Source", newest.flatMap(\.source).map { HTML(text: $0) }),
        ]).html
        ConsentTable(caption: "Everything that was reported, oldest first", changes: state.history).html
    }

    private func caseList(_ cases: [CaseLine]) -> HTML {
        DataTable(
            caption: "Cases of this customer, newest first",
            columns: [
                .init("Case") { line in
                    a(.href(.refundCase(slug, line.id))) { NameText(line.productID).html }
                    span(.class("subtext mono")) { line.transactionID }
                },
                .init("State") { line in
                    Badge(line.state).html
                    if let reason = line.stateReason { span(.class("subtext")) { Words.stateReason(reason) } }
                },
                .init("Signed") { line in TimeText(line.listedAt).shortHTML },
            ], rows: cases
        ).html
    }

    // MARK: Wordings

    private var wordings: HTML {
        section(.class("panel step"), .id("wordings"), .ariaLabelledBy("wordings-title")) {
            h2(.id("wordings-title")) { "Wordings" }
            p(.class("step-lead")) {
                "The texts that customers agreed to. Reports of consent name a version; a changed text is a version of its own, and none is ever changed or removed."
            }
            for unknown in book.unknownWordings {
                Notice(
                    .attention,
                    "\(unknown.count == 1 ? "A report names" : "\(unknown.count) reports name") the wording \"\(unknown.version)\", whose text is not kept.",
                    more:
                        "\(unknown.count == 1 ? "It counts" : "They count") all the same. Keep the text here, under exactly this version."
                ).html
            }
            if book.wordings.isEmpty {
                p(.class("quiet")) { "None is kept yet." }
            }
            for wording in book.wordings {
                details(.class("opening")) {
                    summary {
                        span(.class("mono")) { NameText(wording.version).html }
                        span(.class("quiet")) { " since \(TimeText(wording.shownFrom).short.prefix(10))" }
                    }
                    p(.class("answer-text")) { wording.text }
                    p(.class("quiet")) {
                        "Kept \(TimeText(wording.madeAt).short) by \(wording.author.flatMap { names.people[$0.rawValue] } ?? "the command line")."
                    }
                }
            }
            if canAdd { form }
        }
    }

    private var form: HTML {
        Web.form(.class("step-form"), .post, .action(place)) {
            h3 { "Keep a wording" }
            div(.class("field-row")) {
                Field(
                    "Version", name: "version", help: "As reports name it in wordingVersion.",
                    error: wrong["wordingVersion"], .type("text"), .maxlength(500), .autocomplete("off"),
                    .value(typed["version"] ?? "")
                ).html
                Field(
                    "Shown since", name: "from", help: "A day, in UTC.", error: wrong["wordingFrom"], .type("date"),
                    .value(typed["from"] ?? "")
                ).html
            }
            TextArea(
                label: "Text, exactly as customers saw it", name: "text", text: typed["text"] ?? "", rows: 6,
                error: wrong["wordingText"]
            ).html
            button(.class("button button-main"), .type("submit"), .name("do"), .value("wording")) { "Keep it" }
        }
    }
}
