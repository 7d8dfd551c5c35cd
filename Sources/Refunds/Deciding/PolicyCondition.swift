import AppStore
import Time

/// Something that is so, or not, of a purchase and its request. All conditions of a rule must be so.
package enum PolicyCondition: Sendable, Hashable {
    /// A word is one of some, or none of them.
    case word(Word, isNot: Bool, [String])
    /// A number is at least something, or below it. What is not known is neither.
    case size(Size, isBelow: Bool, PolicyQuantity)

    /// What is compared with words. The names are those of the language.
    package enum Word: String, Sendable, Hashable, CaseIterable {
        case reason, product, type, currency, storefront, environment, delivery, use, offer, customer
    }

    /// What is compared with a number. The names are those of the language.
    package enum Size: String, Sendable, Hashable, CaseIterable {
        case price, spent
        case use, elapsed
        case age
        case timeLeft = "time-left"
        case requests, refunds

        enum Unit { case money, share, duration, count }

        var unit: Unit {
            switch self {
            case .price, .spent: .money
            case .use, .elapsed: .share
            case .age, .timeLeft: .duration
            case .requests, .refunds: .count
            }
        }
    }

    package func holds(_ facts: PurchaseFacts) -> Bool {
        switch self {
        case .word(let word, let isNot, let allowed):
            let words = word.words(of: facts)
            return allowed.contains { Self.fits($0, words, word) } != isNot
        case .size(let size, let isBelow, let limit):
            guard let value = size.value(of: facts, in: limit.currency) else { return false }
            return isBelow ? value < limit.number : value >= limit.number
        }
    }

    /// What it saw, for people; nil: unknown.
    package func seen(_ facts: PurchaseFacts) -> String? {
        switch self {
        case .word(let word, _, _): word.words(of: facts).first
        case .size(let size, _, let limit):
            size.value(of: facts, in: limit.currency).map {
                PolicyQuantity(number: $0, unit: size.unit, currency: limit.currency).text
            }
        }
    }

    /// The name of what it looks at.
    package var subject: String {
        switch self {
        case .word(let word, _, _): word.rawValue
        case .size(let size, _, _): size.rawValue
        }
    }

    /// As it is written in a policy; read back by `PolicyText`.
    package var text: String {
        switch self {
        case .word(let word, let isNot, let allowed):
            "\(word.rawValue) is \(isNot ? "not " : "")\(allowed.joined(separator: " or "))"
        case .size(let size, let isBelow, let limit):
            "\(size.rawValue) \(isBelow ? "below" : "at least") \(limit.text)"
        }
    }

    /// Product identifiers may end with a star; every other word is compared to the letter.
    private static func fits(_ allowed: String, _ words: [String], _ word: Word) -> Bool {
        guard word == .product, allowed.hasSuffix("*") else { return words.contains(allowed) }
        return words.contains { $0.hasPrefix(allowed.dropLast()) }
    }
}

extension PolicyCondition.Word {
    /// The words that exist; nil where anybody may make some.
    package var known: [String]? {
        switch self {
        case .reason: ConsumptionRequestReason.allCases.map(\.rawValue) + ["none"]
        case .product, .currency, .storefront: nil
        case .type: ["auto-renewable", "non-renewing", "consumable", "non-consumable", "unknown"]
        case .environment: Environment.allCases.map(\.rawValue)
        case .delivery:
            ["delivered", "undelivered", "unreported"] + DeliveryStatus.allCases.dropFirst().map(\.rawValue)
        case .use: PurchaseFacts.Use.allCases.map(\.word)
        case .offer: ["none", "introductory", "promotional", "code", "win-back", "free-trial"]
        case .customer: ["known", "unknown"]
        }
    }

    /// What is so of a purchase, the word for people first.
    func words(of facts: PurchaseFacts) -> [String] {
        switch self {
        case .reason: [facts.reason?.raw ?? "none"]
        case .product: facts.circumstances.product.map { [$0] } ?? []
        case .type:
            switch facts.type?.known {
            case .autoRenewableSubscription: ["auto-renewable"]
            case .nonRenewingSubscription: ["non-renewing"]
            case .consumable: ["consumable"]
            case .nonConsumable: ["non-consumable"]
            case nil: ["unknown"]
            }
        case .currency: facts.circumstances.currency.map { [$0] } ?? []
        case .storefront: facts.circumstances.storefront.map { [$0] } ?? []
        case .environment: [facts.circumstances.environment.rawValue]
        case .delivery:
            switch facts.delivery?.value {
            case nil: ["unreported"]
            case .delivered?: ["delivered"]
            case let status?: [status.rawValue, "undelivered"]
            }
        case .use: [facts.use.word]
        case .offer:
            switch facts.circumstances.offer?.known {
            case nil: [facts.circumstances.offer.map { String($0.raw) } ?? "none"] + trial(facts)
            case .introductory: ["introductory"] + trial(facts)
            case .promotional: ["promotional"] + trial(facts)
            case .offerCode: ["code"] + trial(facts)
            case .winBack: ["win-back"] + trial(facts)
            }
        case .customer: [facts.circumstances.isCustomerKnown ? "known" : "unknown"]
        }
    }

    private func trial(_ facts: PurchaseFacts) -> [String] {
        facts.circumstances.isFreeTrial ? ["free-trial"] : []
    }
}

extension PolicyCondition.Size {
    /// In the unit of the quantity: milliunits of a currency, thousandths of a percent, milliseconds, or how many.
    func value(of facts: PurchaseFacts, in currency: String?) -> Int64? {
        let seen = facts.circumstances
        switch self {
        case .price: return seen.currency == currency ? seen.price : nil
        // Who bought nothing in a currency spent nothing in it.
        case .spent: return seen.spent.flatMap { spent in currency.map { spent[$0] ?? 0 } }
        case .use: return facts.share.map { Int64($0.value) }
        case .elapsed:
            guard let from = seen.purchasedAt, let to = seen.expiresAt, from < to else { return nil }
            let (passed, whole) = (facts.requestSignedAt - from, to - from)
            return min(100_000, max(0, passed.wholeMilliseconds * 100_000 / max(1, whole.wholeMilliseconds)))
        case .age: return seen.purchasedAt.map { max(0, (facts.requestSignedAt - $0).wholeMilliseconds) }
        case .timeLeft: return seen.timeLeft.map { max(0, $0.wholeMilliseconds) }
        case .requests: return seen.earlierRequests.map(Int64.init)
        case .refunds: return seen.earlierRefunds.map(Int64.init)
        }
    }
}

/// A number with its unit, as policies write it: `50.00 USD`, `33%`, `48 hours`, `2`.
package struct PolicyQuantity: Sendable, Hashable {
    /// Milliunits, thousandths of a percent, milliseconds, or how many.
    package let number: Int64
    let unit: PolicyCondition.Size.Unit
    package let currency: String?

    package var text: String {
        switch unit {
        case .money: return CurrencyDecimals.text(number, currency)
        case .share:
            let fraction = String(number % 1000 + 1000).dropFirst()
            let digits = fraction.reversed().drop { $0 == "0" }.reversed()
            return digits.isEmpty ? "\(number / 1000)%" : "\(number / 1000).\(String(digits))%"
        case .duration:
            for (name, size) in Self.durations.reversed() where number % size == 0 && number >= size {
                return "\(number / size) \(name)\(number == size ? "" : "s")"
            }
            return "\(number / 60_000) minutes"
        case .count: return String(number)
        }
    }

    /// Milliseconds of what a duration may be written in.
    static let durations: [(name: String, milliseconds: Int64)] = [
        ("minute", 60_000), ("hour", 3_600_000), ("day", 86_400_000),
    ]
}

extension PurchaseFacts.Use {
    /// As policies write it.
    package var word: String {
        switch self {
        case .unknown: "unknown"
        case .notAtAll: "none"
        case .inPart: "part"
        case .usedUp: "full"
        }
    }
}
