import FoundationEssentials
import Refunds
import Time

/// From what was typed to what is meant, against the rules and the purchase.
extension CommerceForm {
    func read(against purchase: CommercePurchase, at now: Moment) -> Reading {
        var own: [Trouble] = []
        let taken = rows.indices.filter { rows[$0].isTaken }
        var intention = CommerceIntention(
            kind: kind, environment: purchase.environment, transactionID: purchase.transactionID, note: note)
        switch kind {
        case .refund:
            intention.items = taken.map { item($0, purchase, &own) }
            for index in rows.indices where !rows[index].isTaken && !rows[index].amount.isEmpty {
                own.append(
                    Trouble(
                        field: "take-\(index)",
                        text: "An amount was typed for this item: choose the item, or leave its amount empty."))
            }
            // What goes back is meant in the currency that stands beside it.
            intention.currency = purchase.currency
        case .revoke:
            intention.refundReason = choice(reason, "reason", "Choose a reason.", &own)
            intention.refundType = choice(type, "type", "Choose the full or the prorated price.", &own)
        case .cancel: break
        }
        if kind != .cancel {
            switch risking {
            case "yes": intention.refundRiskingPreference = true
            case "no": intention.refundRiskingPreference = false
            default: own.append(Trouble(field: "risking", text: "Choose one of the two: it is asked each time."))
            }
        }
        if note.isEmpty {
            own.append(Trouble(field: "note", text: "Say in a sentence why: who looks at this later needs it."))
        }
        let troubles = CommerceRule.troubles(of: intention, against: purchase, at: now)
        // Where a field is not filled in, that alone is said of it.
        let open = Set(own.map(\.field))
        return Reading(
            intention: intention, isWhole: own.isEmpty,
            troubles: own + placed(troubles).filter { !open.contains($0.field) },
            warnings: troubles.filter { $0.severity == .warning }.map(\.text))
    }

    /// What the rules refuse, at the fields it is about.
    func placed(_ troubles: [CommerceTrouble]) -> [Trouble] {
        let taken = rows.indices.filter { rows[$0].isTaken }
        return troubles.filter { $0.severity == .refused }.map {
            Trouble(field: field(of: $0.member, taken), text: $0.text)
        }
    }

    /// One item as it is meant; what is missing counts as what changes least until it is there.
    private func item(_ index: Int, _ purchase: CommercePurchase, _ own: inout [Trouble]) -> CommerceItem {
        let row = rows[index]
        let reason: CommerceReason? = choice(row.reason, "reason-\(index)", "Choose a reason.", &own)
        let type: CommerceRefundType? = choice(row.type, "type-\(index)", "Choose how much goes back.", &own)
        if row.access != "ends", row.access != "stays" {
            own.append(Trouble(field: "access-\(index)", text: "Choose what becomes of the access."))
        }
        if let type, type != .custom, !row.amount.isEmpty {
            own.append(
                Trouble(
                    field: "amount-\(index)",
                    text:
                        "An amount goes with \u{201C}an amount of your own\u{201D} only: choose that, or leave the amount empty."
                ))
        }
        return CommerceItem(
            sku: row.sku, refundReason: reason ?? .other, refundType: type ?? .full,
            refundAmount: type == .custom ? amount(row, index, purchase, &own) : nil, revoke: row.access == "ends")
    }

    private func amount(_ row: Row, _ index: Int, _ purchase: CommercePurchase, _ own: inout [Trouble]) -> Int64? {
        let field = "amount-\(index)"
        guard let currency = purchase.currency else {
            own.append(
                Trouble(field: field, text: "Apple did not say in which currency this was paid. Choose the full price.")
            )
            return nil
        }
        if row.amount.isEmpty {
            own.append(Trouble(field: field, text: "A refund of your own amount needs the amount."))
            return nil
        }
        switch AmountText(row.amount, currency).reading {
        case .milliunits(let milliunits): return milliunits
        case .wrong(let text):
            own.append(Trouble(field: field, text: text))
            return nil
        }
    }

    private func choice<Word: RawRepresentable<String>>(
        _ text: String, _ field: String, _ missing: String, _ own: inout [Trouble]
    ) -> Word? {
        if let word = Word(rawValue: text) { return word }
        own.append(Trouble(field: field, text: missing))
        return nil
    }

    /// The field of a member as the rules name it: `items[1].refundAmount` is the amount of the second item taken.
    private func field(of member: String, _ taken: [Int]) -> String {
        switch member {
        case "items": return "items"
        case "refundReason": return "reason"
        case "refundType": return "type"
        case "refundRiskingPreference": return "risking"
        case "note": return "note"
        default: break
        }
        guard member.hasPrefix("items["), let close = member.firstIndex(of: "]"),
            let number = Int(member[member.index(member.startIndex, offsetBy: 6)..<close]),
            taken.indices.contains(number)
        else { return "" }
        let names = [
            "SKU": "take", "refundReason": "reason", "refundType": "type", "refundAmount": "amount", "revoke": "access",
        ]
        return names[String(member[member.index(close, offsetBy: 2)...])].map { "\($0)-\(taken[number])" } ?? ""
    }
}
