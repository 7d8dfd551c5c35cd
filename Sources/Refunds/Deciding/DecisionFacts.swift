import AppStore
import Time

/// What rules may look at, in a form that is kept with each decision and read back by the hundred thousand: a letter
/// and a value, divided by tabs. Letters of a newer release are passed over.
enum DecisionFacts {
    /// A fact that is longer is left out: no product or reason of Apple's comes near.
    private static let valueBytesMax = 1000
    private static let currenciesMax = 20

    static func text(_ facts: PurchaseFacts) -> String {
        let seen = facts.circumstances
        var fields: [String] = []
        func add(_ letter: Character, _ value: String?) {
            guard let value, value.utf8.count <= valueBytesMax, value.utf8.allSatisfy({ $0 >= 0x20 }) else { return }
            fields.append("\(letter)\(value)")
        }
        add("a", "\(facts.requestSignedAt.milliseconds)")
        add("t", facts.type?.raw)
        add("r", facts.reason?.raw)
        add("e", seen.environment == .sandbox ? "S" : "P")
        add("p", seen.product)
        add("m", seen.price.map { "\($0)" })
        add("c", seen.currency)
        add("s", seen.storefront)
        add("b", seen.purchasedAt.map { "\($0.milliseconds)" })
        add("x", seen.expiresAt.map { "\($0.milliseconds)" })
        add("o", seen.offer.map { "\($0.raw)" })
        if seen.isFreeTrial { add("f", "") }
        if seen.isCustomerKnown { add("k", "") }
        add("q", seen.earlierRequests.map { "\($0)" })
        add("h", seen.earlierRefunds.map { "\($0)" })
        if let spent = seen.spent {
            add("$", "")
            for (currency, amount) in spent.sorted(by: { $0.key < $1.key }).prefix(currenciesMax) {
                add("$", "\(amount) \(currency)")
            }
        }
        add("l", seen.timeLeft.map { "\($0.wholeMilliseconds)" })
        add("d", facts.delivery?.value.rawValue)
        add("u", facts.share.map { "\($0.value)" })
        return fields.joined(separator: "\t")
    }

    /// As rules see them; consent stood, or they would not have been asked.
    static func read(_ text: String) -> PurchaseFacts {
        let bytes = text.utf8
        var facts = PurchaseFacts(
            type: nil, requestSignedAt: Moment(milliseconds: 0),
            consent: .given(at: Moment(milliseconds: 0), changeNo: 0)
        )
        var seen = PurchaseFacts.Circumstances()
        var start = bytes.startIndex
        while start < bytes.endIndex {
            let letter = bytes[start]
            let from = bytes.index(after: start)
            if letter == 0x09 {
                start = from
                continue
            }
            var end = from
            while end < bytes.endIndex, bytes[end] != 0x09 { end = bytes.index(after: end) }
            let value = bytes[from..<end]
            start = end < bytes.endIndex ? bytes.index(after: end) : end
            switch letter {
            case UInt8(ascii: "a"): facts.requestSignedAt = moment(value) ?? facts.requestSignedAt
            case UInt8(ascii: "t"): facts.type = Known(string(value))
            case UInt8(ascii: "r"): facts.reason = Known(string(value))
            case UInt8(ascii: "e"): seen.environment = value.first == UInt8(ascii: "S") ? .sandbox : .production
            case UInt8(ascii: "p"): seen.product = string(value)
            case UInt8(ascii: "m"): seen.price = number(value)
            case UInt8(ascii: "c"): seen.currency = string(value)
            case UInt8(ascii: "s"): seen.storefront = string(value)
            case UInt8(ascii: "b"): seen.purchasedAt = moment(value)
            case UInt8(ascii: "x"): seen.expiresAt = moment(value)
            case UInt8(ascii: "o"): seen.offer = number(value).map { Known(Int32(clamping: $0)) }
            case UInt8(ascii: "f"): seen.isFreeTrial = true
            case UInt8(ascii: "k"): seen.isCustomerKnown = true
            case UInt8(ascii: "q"): seen.earlierRequests = number(value).map { Int($0) }
            case UInt8(ascii: "h"): seen.earlierRefunds = number(value).map { Int($0) }
            case UInt8(ascii: "$"): add(value, to: &seen.spent)
            case UInt8(ascii: "l"): seen.timeLeft = number(value).map { .milliseconds($0) }
            case UInt8(ascii: "d"):
                facts.delivery = DeliveryStatus(rawValue: string(value)).map { Evidence($0, .setting) }
            case UInt8(ascii: "u"): facts.share = number(value).map { Evidence(Int($0), .setting) }
            default: break
            }
        }
        facts.circumstances = seen
        return facts
    }

    private static func string(_ value: Substring.UTF8View) -> String { String(Substring(value)) }

    private static func moment(_ value: Substring.UTF8View) -> Moment? {
        number(value).map { Moment(milliseconds: $0) }
    }

    private static func add(_ value: Substring.UTF8View, to spent: inout [String: Int64]?) {
        var known = spent ?? [:]
        if let blank = value.firstIndex(of: 0x20), let amount = number(value[..<blank]) {
            known[string(value[value.index(after: blank)...])] = amount
        }
        spent = known
    }

    /// Digits, perhaps behind a minus; nil for anything else.
    private static func number(_ value: Substring.UTF8View) -> Int64? {
        var number: Int64 = 0
        var isNegative = false
        var digits = 0
        for byte in value {
            if byte == UInt8(ascii: "-"), digits == 0, !isNegative {
                isNegative = true
                continue
            }
            guard (0x30...0x39).contains(byte), digits < 18 else { return nil }
            number = number * 10 + Int64(byte - 0x30)
            digits += 1
        }
        return digits == 0 ? nil : isNegative ? -number : number
    }
}
