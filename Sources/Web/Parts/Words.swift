import Refunds

/// Our words for what stands in the database; Apple's words stay as they are, beside ours.
enum Words {
    static func label(_ state: CaseState) -> String {
        switch state {
        case .open: "Open"
        case .held: "Held"
        case .answered: "Answered"
        case .withheld: "Withheld"
        case .refused: "Refused"
        case .missed: "Missed"
        case .overtaken: "Overtaken"
        case .unasked: "Unasked"
        case .imported: "Imported"
        }
    }

    static func tone(_ state: CaseState) -> Tone {
        switch state {
        case .open: .active
        case .held: .attention
        case .answered: .good
        case .refused, .missed: .bad
        case .withheld, .overtaken, .unasked, .imported: .plain
        }
    }

    /// What a state means, in a sentence.
    static func meaning(_ state: CaseState) -> String {
        switch state {
        case .open: "The request is being worked on."
        case .held: "The request waits for a person."
        case .answered: "Apple accepted our reply."
        case .withheld: "Nothing is sent, on purpose."
        case .refused: "Apple refused our reply for good."
        case .missed: "The deadline passed before a reply was accepted."
        case .overtaken: "Apple decided before we answered."
        case .unasked: "Apple acted without asking us."
        case .imported: "History from before this app was connected. It is never answered."
        }
    }

    static func label(_ outcome: CaseOutcome) -> String {
        switch outcome {
        case .pending: "Pending"
        case .refunded: "Refunded"
        case .declined: "Declined"
        case .reversed: "Reversed"
        case .unheard: "No decision heard"
        }
    }

    static func tone(_ outcome: CaseOutcome) -> Tone {
        switch outcome {
        case .pending: .plain
        case .refunded: .attention
        case .declined: .good
        case .reversed: .active
        case .unheard: .plain
        }
    }

    /// Who looks after a case, as a filter says it.
    static func label(_ assigned: CaseListQuery.Assigned) -> String {
        switch assigned {
        case .mine: "Me"
        case .nobody: "Nobody"
        }
    }

    /// Why a case stands where it stands.
    static func stateReason(_ code: String) -> String {
        switch code {
        case "no-consent": "no consent"
        case "family-shared": "family-shared purchase"
        case "delivery-unreported": "delivery not reported"
        case "policy": "by policy"
        case "fetched-too-late": "fetched after its deadline"
        case "not-attempted": "never attempted"
        case "credentials-refused": "credentials refused"
        case "result-unknown": "result unknown"
        case "not-sent": "not sent"
        case "apple-unavailable": "Apple unavailable"
        default: code
        }
    }

    /// What to do about it, or what it means for the customer; nil where the reason says it all.
    static func stateReasonHelp(_ code: String) -> String? {
        switch code {
        case "no-consent":
            "The customer had not agreed, before asking for the refund, that data about this purchase is sent to Apple."
        case "family-shared": "Apple takes no data about copies that a family member or a seat holds."
        case "delivery-unreported":
            "The customer says it never came, and nobody reported that it did. Report deliveryStatus for this purchase."
        case "credentials-refused": "Apple answered 401 until the time was over. Look at the app's signing key."
        case "apple-unavailable": "Apple, or the way to Apple, failed until the time was over."
        case "result-unknown": "A call was sent and its answer never came. It may have been received."
        default: nil
        }
    }

    /// Apple's `consumptionRequestReason` in words; verbatim when it is new, and said when it is absent.
    static func reason(_ reason: String?) -> String {
        switch reason {
        case nil: "not given"
        case "UNINTENDED_PURCHASE": "Unintended purchase"
        case "FULFILLMENT_ISSUE": "Fulfillment issue"
        case "UNSATISFIED_WITH_PURCHASE": "Unsatisfied with purchase"
        case "LEGAL": "Legal"
        case "OTHER": "Other"
        case .some(let text): text
        }
    }

    static let reasons = ["UNINTENDED_PURCHASE", "FULFILLMENT_ISSUE", "UNSATISFIED_WITH_PURCHASE", "LEGAL", "OTHER"]

    /// Where a value came from.
    static func source(_ code: String) -> String {
        switch code {
        case "pushed", "report": "reported by the app's backend"
        case "setting", "app-setting": "by the app's setting"
        case "notification": "Apple's notification"
        case "transaction": "Apple's signed transaction"
        case "history": "Apple's notification history"
        case "refund-history": "Apple's refund history"
        case "import": "imported"
        default: code
        }
    }
}
