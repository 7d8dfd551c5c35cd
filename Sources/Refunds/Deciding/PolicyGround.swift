import AppStore
import Time

/// What conditions look at together: what is so of one ground says nothing of another.
enum PolicyGround: Sendable, Hashable {
    case word(PolicyCondition.Word)
    case size(PolicyCondition.Size)
    /// The price and its currency.
    case price
    /// How much is used, as a word and as a number.
    case use
    /// What was spent in one currency.
    case spent(in: String)

    /// More samples than that are not looked at.
    static let samplesMax = 256

    init(_ condition: PolicyCondition) {
        switch condition {
        case .word(.currency, _, _), .size(.price, _, _): self = .price
        case .word(.use, _, _), .size(.use, _, _): self = .use
        case .size(.spent, _, let limit): self = .spent(in: limit.currency ?? "")
        case .word(let word, _, _): self = .word(word)
        case .size(let size, _, _): self = .size(size)
        }
    }

    /// Purchases of every kind that the conditions can tell apart on this ground, the unknown among them; nil where they
    /// are too many.
    func samples(for conditions: [PolicyCondition]) -> [PurchaseFacts]? {
        let mentioned = Mentioned(conditions)
        guard let other = mentioned.other else { return nil }
        let changes = changes(mentioned, other)
        guard changes.count <= Self.samplesMax else { return nil }
        return changes.map { change in
            var facts = PurchaseFacts(type: nil, requestSignedAt: Self.asked, consent: .missing)
            change(&facts)
            return facts
        }
    }

    // MARK: small things

    private typealias Change = (inout PurchaseFacts) -> Void

    private static let asked = Moment(milliseconds: 0)

    /// What the conditions compare with.
    private struct Mentioned {
        var words: Set<String> = []
        /// By currency, where they have one.
        var limits: [String?: Set<Int64>] = [:]

        init(_ conditions: [PolicyCondition]) {
            for condition in conditions {
                switch condition {
                case .word(_, _, let allowed): words.formUnion(allowed)
                case .size(_, _, let limit): limits[limit.currency, default: []].insert(limit.number)
                }
            }
        }

        /// A character that no word has, so that what ends with it is no word, and begins with no other's beginning.
        var other: String? {
            let used = Set(words.joined().unicodeScalars)
            return (0xE000...0xF8FF).lazy.compactMap(Unicode.Scalar.init).first { !used.contains($0) }.map {
                String(Character($0))
            }
        }

        /// Conditions change at their limits: one number of each stretch between, and the unknown.
        func numbers(_ range: ClosedRange<Int64>, in currency: String? = nil, also more: Int64...) -> [Int64?] {
            let limits = limits[currency, default: []].union(more).union([range.lowerBound])
            return [nil] + limits.filter(range.contains).sorted()
        }
    }

    private func changes(_ mentioned: Mentioned, _ other: String) -> [Change] {
        switch self {
        case .word(let word): changes(word, mentioned, other)
        case .size(let size): changes(size, mentioned)
        case .price:
            Set(mentioned.limits.keys.compactMap { $0 }).union(mentioned.words).union([other]).flatMap { currency in
                mentioned.numbers(.min ... .max, in: currency).map { price -> Change in
                    { ($0.circumstances.currency, $0.circumstances.price) = (currency, price) }
                }
            } + [{ $0.circumstances.currency = nil }]
        case .use:
            mentioned.numbers(0...100_000, also: 1, 100_000).map { share in
                { $0.share = share.map { Evidence(Int($0), .setting) } }
            }
        case .spent(let currency):
            mentioned.numbers(.min ... .max, in: currency).map { amount in
                { $0.circumstances.spent = amount.map { [currency: $0] } }
            }
        }
    }

    private func changes(_ size: PolicyCondition.Size, _ mentioned: Mentioned) -> [Change] {
        let ever: ClosedRange<Int64> = 0...(.max)
        return switch size {
        case .age:
            mentioned.numbers(ever).map { age in
                { $0.circumstances.purchasedAt = age.map { Moment(milliseconds: -$0) } }
            }
        case .elapsed:
            // Of a period of 100,000 milliseconds each is a thousandth of a percent.
            mentioned.numbers(0...100_000).map { share in
                {
                    $0.circumstances.purchasedAt = share.map { Moment(milliseconds: -$0) }
                    $0.circumstances.expiresAt = share.map { Moment(milliseconds: 100_000 - $0) }
                }
            }
        case .timeLeft:
            mentioned.numbers(ever).map { left in { $0.circumstances.timeLeft = left.map { .milliseconds($0) } } }
        case .requests:
            mentioned.numbers(ever).map { n in { $0.circumstances.earlierRequests = n.map { Int($0) } } }
        case .refunds: mentioned.numbers(ever).map { n in { $0.circumstances.earlierRefunds = n.map { Int($0) } } }
        case .price, .spent, .use: []
        }
    }

    private func changes(_ word: PolicyCondition.Word, _ mentioned: Mentioned, _ other: String) -> [Change] {
        switch word {
        case .reason:
            let raw = mentioned.words.union(ConsumptionRequestReason.allCases.map(\.rawValue)).union([other])
            return [{ $0.reason = nil }] + raw.map { raw in { $0.reason = Known(raw) } }
        case .product:
            // What begins as a word with a star does, and as no longer one.
            let products = mentioned.words.map { $0.hasSuffix("*") ? $0.dropLast() + other : $0 } + [other]
            return [{ $0.circumstances.product = nil }]
                + products.map { product in { $0.circumstances.product = product } }
        case .type:
            return [{ $0.type = nil }] + ProductType.allCases.map { type in { $0.type = Known(type.rawValue) } }
        case .storefront:
            return [{ $0.circumstances.storefront = nil }]
                + mentioned.words.union([other]).map { text in { $0.circumstances.storefront = text } }
        case .environment:
            return Environment.allCases.map { environment in { $0.circumstances.environment = environment } }
        case .delivery:
            return [{ $0.delivery = nil }]
                + DeliveryStatus.allCases.map { status in { $0.delivery = Evidence(status, .setting) } }
        case .offer:
            let offers: [Known<OfferType>?] = [nil, Known(.max)] + OfferType.allCases.map { Known($0.rawValue) }
            return offers.flatMap { offer in
                [false, true].map { isTrial -> Change in
                    { ($0.circumstances.offer, $0.circumstances.isFreeTrial) = (offer, isTrial) }
                }
            }
        case .customer: return [false, true].map { isKnown in { $0.circumstances.isCustomerKnown = isKnown } }
        case .currency, .use: return []
        }
    }
}
