import Tenants

/// Where apps are added: one, several from a list, or a rehearsal app. For a tenant without any, the beginning.
struct NewAppPage {
    enum Form: String {
        case one, list, rehearsal
    }

    /// What came of a list.
    struct Outcome {
        let line: Int
        /// As it was given.
        let text: String
        let bundleID: String
        /// Nil: it was added.
        let trouble: String?
    }

    let frame: Frame
    let slug: String
    let isFirst: Bool
    /// The form that was just sent and not taken.
    var form: Form?
    var fields: [String: String] = [:]
    var trouble: String?
    var wrong: String?
    var outcomes: [Outcome] = []
    /// What was sent is none of the three forms.
    var unknownForm = false

    var html: HTML {
        Layout(frame, title: "Add an app").console {
            nav(.class("crumbs"), .ariaLabel("Way back")) { a(.href(.apps(slug))) { "Apps" } }
            PageHeader(isFirst ? "Add your first app" : "Add an app") {
                "Then one page leads through key, notification URL, consent and evidence to the first notification: about five minutes."
            }.html
            div(.class("steps")) {
                if unknownForm {
                    Notice(
                        .bad, "No app was added.",
                        more: "The choice of the form must be one of one, list, rehearsal: use the forms below."
                    ).html
                }
                if !outcomes.isEmpty { list }
                one
                several
                rehearsal
            }
        }
    }

    private func typed(_ name: String, in form: Form) -> String { self.form == form ? fields[name] ?? "" : "" }

    private func error(_ name: String, in form: Form) -> String? {
        self.form == form && wrong == name ? trouble : nil
    }

    private func notice(_ form: Form) -> HTML? {
        guard self.form == form, wrong == nil, let trouble else { return nil }
        return Notice(.bad, trouble).html
    }

    private var one: HTML {
        section(.class("panel"), .id("one"), .ariaLabelledBy("add-one")) {
            h2(.id("add-one")) { "One app" }
            notice(.one)
            Web.form(.class("step-form"), .post, .action(.newApp(slug))) {
                input(.type("hidden"), .name("form"), .value(Form.one.rawValue))
                div(.class("field-row")) {
                    Field(
                        "Bundle ID", name: "bundleID", help: "To the letter, as in App Store Connect.",
                        error: error("bundleID", in: .one), .required, .maxlength(155), .autocomplete("off"),
                        .noSpellcheck, .placeholder("com.example.app"), .value(typed("bundleID", in: .one))
                    ).html
                    Field(
                        "Name", name: "name", help: "For your own eyes; empty: the bundle ID.",
                        error: error("name", in: .one), .maxlength(200), .value(typed("name", in: .one))
                    ).html
                    Field(
                        "Apple ID", name: "appleID", help: "Digits, under App Information. Empty: learned by itself.",
                        error: error("appleID", in: .one), .inputmode("numeric"), .maxlength(40), .autocomplete("off"),
                        .value(typed("appleID", in: .one))
                    ).html
                }
                Choices(
                    legend: "Environments", name: "environments",
                    choices: [
                        .init(value: "both", text: "Production and Sandbox"),
                        .init(value: "sandbox", text: "Sandbox alone", more: "The app is not on sale yet."),
                    ], chosen: form == .one ? fields["environments"] ?? "both" : "both"
                ).html
                button(.class("button button-main"), .type("submit")) { "Add and set up" }
            }
        }
    }

    private var several: HTML {
        section(.class("panel"), .id("list"), .ariaLabelledBy("add-several")) {
            h2(.id("add-several")) { "Several apps" }
            p(.class("step-lead")) { "One key of your team serves all of its apps, so they can be added in one go." }
            notice(.list)
            Web.form(.class("step-form"), .post, .action(.newApp(slug))) {
                input(.type("hidden"), .name("form"), .value(Form.list.rawValue))
                TextArea(
                    label: "A line each: bundle ID, Apple ID, name", name: "list", text: typed("list", in: .list),
                    rows: 4,
                    help:
                        "Apple ID and name may be missing: com.example.reader, 6450000001, Reader. Commas, semicolons or tabs, with a line of column heads or without: as it comes out of a table.",
                    error: error("list", in: .list), isCode: true
                ).html
                button(.class("button"), .type("submit")) { "Add them" }
            }
        }
    }

    private var rehearsal: HTML {
        section(.class("panel"), .id("rehearsal"), .ariaLabelledBy("add-rehearsal")) {
            h2(.id("add-rehearsal")) { "A rehearsal app" }
            p(.class("step-lead")) {
                "For trying everything without Apple: it believes one root certificate and calls one address, those of a simulator, for good. It reads “Rehearsal” everywhere, is in no total, and pages nobody."
            }
            notice(.rehearsal)
            details(.class("opening"), form == .rehearsal ? .open : .id("open-rehearsal")) {
                summary { "Add a rehearsal app" }
                Web.form(.class("step-form"), .post, .multipart, .action(.newApp(slug))) {
                    input(.type("hidden"), .name("form"), .value(Form.rehearsal.rawValue))
                    div(.class("field-row")) {
                        field("Bundle ID", "bundleID", placeholder: "com.example.app.rehearsal")
                        field("Name", "name", placeholder: "")
                        field("Address of its simulator", "apiURL", placeholder: "http://127.0.0.1:9090")
                    }
                    div(.class("drop"), .nicety("drop")) {
                        label(.class("field-label"), .for("field-root")) {
                            "Its root certificate: the file in the simulator's folder roots"
                        }
                        input(.id("field-root"), .type("file"), .name("root"), .accept(".der,.cer,.pem,.crt"))
                        span(.class("drop-name")) {}
                    }
                    button(.class("button"), .type("submit")) { "Add and set up" }
                }
            }
        }
    }

    private func field(_ label: String, _ name: String, placeholder: String) -> HTML {
        let id = "rehearsal-\(name)"
        return div(.class("field")) {
            Web.label(.class("field-label"), .for(id)) { label }
            input(
                [
                    .class("input"), .id(id), .name(name), .maxlength(400), .autocomplete("off"), .noSpellcheck,
                    .placeholder(placeholder), .value(typed(name, in: .rehearsal)),
                ] + (error(name, in: .rehearsal) == nil ? [] : [.ariaInvalid, .ariaDescribedBy("\(id)-help")]))
            if let text = error(name, in: .rehearsal) { p(.class("field-help", .bad), .id("\(id)-help")) { text } }
        }
    }

    private var total: String {
        let (left, added) = (outcomes.count { $0.trouble != nil }, outcomes.count { $0.trouble == nil })
        let apps = added == 1 ? "1 app was added" : "\(added == 0 ? "No" : "\(added)") apps were added"
        if left == 0 { return "\(apps)." }
        return
            "\(apps). \(left == 1 ? "1 line was" : "\(left) lines were") not taken and stay\(left == 1 ? "s" : "") in the form below: put right what is said here, and send again."
    }

    private var list: HTML {
        section(.class("panel"), .ariaLabelledBy("outcomes")) {
            h2(.id("outcomes")) { "What came of the list" }
            p(.class("step-lead")) { total }
            ul(.class("plain-list")) {
                for outcome in outcomes {
                    li {
                        if let trouble = outcome.trouble {
                            Badge(text: "Line \(outcome.line)", tone: .bad).html
                            " "
                            span(.class("mono")) { String(outcome.text.prefix(80)) }
                            " \(Words.sentence(trouble))."
                        } else {
                            Badge(text: "Added", tone: .good).html
                            " "
                            a(.class("mono"), .href(.setup(slug, bundleID: outcome.bundleID, done: nil))) {
                                outcome.bundleID
                            }
                        }
                    }
                }
            }
        }
    }
}
