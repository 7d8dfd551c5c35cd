import FoundationEssentials
import Refunds
import Time

/// Whose purchase a case is about, where it does not say so: who may have bought it, and what a person chose.
struct CustomerChoice {
    let slug: String
    let caseID: UUID
    let bundleID: String
    let consent: CaseConsent
    let canChoose: Bool
    let typed: [String: String]
    let wrong: [String: String]

    @HTMLBuilder var html: HTML {
        if let chosen = consent.chosen {
            p(.class("quiet")) {
                "\(chosen.name) chose them "
                TimeText(chosen.at).shortHTML
                ": "
                NameText(chosen.note).html
            }
            if canChoose { takeBack(chosen) }
        }
        if consent.isForAPerson {
            if canChoose { form } else if !consent.guesses.isEmpty { guesses }
        }
        if consent.namings.contains(where: { $0.withdrawnAt != nil }) { history }
    }

    private func takeBack(_ chosen: CustomerNaming) -> HTML {
        Web.form(.post, .action(.caseCustomer(slug, caseID))) {
            HiddenFields(fields: [("naming", chosen.id.text)]).html
            button(.class("button"), .type("submit"), .name("do"), .value("take-back")) { "It was somebody else" }
        }
    }

    /// A form that was not taken is seen again, with what is wrong.
    @HTMLBuilder private var form: HTML {
        if wrong["customer"] != nil || wrong["customerNote"] != nil {
            details(.class("opening"), .open) { choosing }
        } else {
            details(.class("opening")) { choosing }
        }
    }

    @HTMLBuilder private var choosing: HTML {
        summary { "Who bought it?" }
        p(.class("quiet")) {
            "The purchase names no customer, and nothing near it does. Whoever is chosen counts for this case and for every later one of the purchase; nobody is chosen by itself."
        }
        Web.form(.class("step-form"), .post, .action(.caseCustomer(slug, caseID))) {
            if !consent.guesses.isEmpty {
                Choices(
                    legend: "They bought the same product within a day of it", name: "candidate",
                    choices: consent.guesses.map { guess in
                        .init(
                            value: guess.customer, text: guess.customer,
                            more: "bought it \(TimeText(guess.boughtAt).short)")
                    }, chosen: typed["candidate"]
                ).html
            }
            Field(
                consent.guesses.isEmpty ? "appAccountToken" : "Or another appAccountToken", name: "customer",
                help: "As the app gave it at other purchases of the customer.", error: wrong["customer"],
                .type("text"), .maxlength(200), .autocomplete("off"), .noSpellcheck,
                .value(typed["customer"] ?? "")
            ).html
            TextArea(
                label: "How you know", name: "customerNote", text: typed["customerNote"] ?? "", rows: 2,
                help: "Stays with the case, with your name. It is not sent to Apple.",
                error: wrong["customerNote"]
            ).html
            button(.class("button"), .type("submit"), .name("do"), .value("choose")) { "They bought it" }
        }
    }

    private var guesses: HTML {
        details(.class("opening")) {
            summary { "Who may have bought it" }
            p(.class("quiet")) {
                "The purchase names no customer. These bought the same product within a day of it; nobody is chosen by itself."
            }
            ul(.class("plain-list")) {
                for guess in consent.guesses {
                    li {
                        a(.class("mono"), .href(.consent(slug, bundleID: bundleID, .customer(guess.customer)))) {
                            NameText(guess.customer).html
                        }
                        span(.class("subtext")) {
                            "bought it "
                            TimeText(guess.boughtAt).shortHTML
                        }
                    }
                }
            }
        }
    }

    private var history: HTML {
        details(.class("opening")) {
            summary { "Named before, and taken back" }
            ul(.class("plain-list")) {
                for naming in consent.namings where naming.withdrawnAt != nil {
                    li {
                        span(.class("mono")) { NameText(naming.customer).html }
                        span(.class("subtext")) {
                            "\(naming.name), \(TimeText(naming.at).short); taken back by \(naming.withdrawnName ?? "somebody"), \(naming.withdrawnAt.map { TimeText($0).short } ?? "")"
                        }
                    }
                }
            }
        }
    }
}
