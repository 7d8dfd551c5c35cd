import FoundationEssentials
import Refunds
import Time

/// On the page of a case: what is fixed for its customer, and what a draft would have said.
struct CaseBesidePanel {
    let slug: String
    let bundleID: String
    let customer: String?
    let beside: CaseBeside
    let canChange: Bool
    let now: Moment

    var html: HTML {
        if customer == nil, beside.draft == nil { return .empty }
        return section(.class("panel"), .ariaLabelledBy("beside-title")) {
            h2(.id("beside-title")) { "Answers beside the rules" }
            if let override = beside.override {
                Facts([
                    ("For this customer", HTML(text: Words.sentence(Words.override(override.action)))),
                    ("Why", NameText(override.reason).html),
                    ("By", HTML(text: "\(override.authorName), \(TimeText(override.madeAt).short)")),
                    ("Until", HTML(text: until(override))),
                ]).html
            } else if customer != nil {
                p(.class("quiet")) { "Nothing is fixed for this customer: the rules decide." }
            }
            if let customer, canChange || beside.override != nil {
                p {
                    a(.href(.customers(slug, bundleID: bundleID, customer: customer))) {
                        beside.override == nil ? "Fix an answer for this customer" : "Change or remove it"
                    }
                }
            }
            if let draft = beside.draft {
                Facts([
                    (
                        "Draft \(draft.number)",
                        HTML(
                            text:
                                "\(draft.answer == draft.live ? "agrees" : "would have differed"): \(Words.answer(draft.answer)), by its rule \(draft.rule)\(draft.asks ? ", after asking a person" : "")"
                        )
                    )
                ]).html
            }
        }
    }

    private func until(_ override: CustomerOverride) -> String {
        guard let day = override.lastDay else { return "for ever" }
        return "\(day) included" + (override.counts(at: now) ? "" : ": over, the rules decide again")
    }
}

extension Words {
    /// What is fixed for a customer.
    static func override(_ action: CustomerOverride.Action) -> String { self.action(action.action) }
}
