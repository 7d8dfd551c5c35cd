import Refunds

/// What can stand in a rule, for whoever writes one.
struct PolicyReference {
    private struct Line {
        let name: String
        let forms: String
        let words: String
    }

    private var lines: [Line] {
        PolicyCondition.Word.allCases.map { word in
            let values = word.known.map { $0.joined(separator: ", ") } ?? Self.example(word)
            return Line(name: word.rawValue, forms: "is …, is not …", words: "\(Self.words(word)) \(values)")
        }
            + PolicyCondition.Size.allCases.map { size in
                Line(name: size.rawValue, forms: "at least …, below …", words: Self.words(size))
            }
    }

    var html: HTML {
        details(.class("opening")) {
            summary { "What can stand in a rule" }
            p {
                "A rule is "
                code { "if CONDITION and CONDITION then ACTION" }
                "; the last one is "
                code { "otherwise ACTION" }
                ". Several values are joined by \"or\". What is not known is neither at least nor below anything. A line that begins with # is a remark."
            }
            DataTable(
                caption: "Conditions",
                columns: [
                    .init("Looks at") { line in code { line.name } },
                    .init("Form") { line in span { line.forms } },
                    .init("Means") { line in span { NameText(line.words).html } },
                ], rows: lines
            ).html
            p { "Actions:" }
            ul(.class("plain-list")) {
                for (action, words) in Self.actions {
                    li {
                        code { action }
                        span(.class("subtext")) { words }
                    }
                }
            }
        }
    }

    private static let actions = [
        ("prefer DECLINE", "The facts, and that Apple should decline. GRANT_FULL and GRANT_PRORATED likewise."),
        ("send facts only", "The facts, without a preference."),
        ("send nothing", "The request stays unanswered, on purpose."),
        (
            "send nothing until delivery is reported",
            "Unanswered until your backend reports the delivery; then the rules are asked again."
        ),
        (
            "ask a person, else prefer DECLINE",
            "The case waits for somebody; if nobody answers, the second action is taken half an hour before the deadline."
        ),
    ]

    private static func example(_ word: PolicyCondition.Word) -> String {
        switch word {
        case .product: "com.example.coins.100; a star at the end stands for anything."
        case .currency: "three letters, such as EUR."
        default: "three letters, such as USA."
        }
    }

    private static func words(_ word: PolicyCondition.Word) -> String {
        switch word {
        case .reason: "What the customer told Apple:"
        case .product: "The product's identifier:"
        case .type: "The product's type:"
        case .currency: "The currency that was paid in:"
        case .storefront: "The App Store's country:"
        case .environment: "Apple's environment:"
        case .delivery: "What your backend reported of the delivery:"
        case .use: "How much was used, as reported:"
        case .offer: "The offer it was bought with:"
        case .customer: "Whether the purchase names its customer (appAccountToken):"
        }
    }

    private static func words(_ size: PolicyCondition.Size) -> String {
        switch size {
        case .price: "The price paid, in one currency: 50.00 EUR. Other currencies do not fit."
        case .spent: "What the customer paid for other purchases known here, in one currency: 100 USD."
        case .use: "How much was used, as reported: 50%."
        case .elapsed: "How much of a subscription's period had passed at the request: 50%."
        case .age: "How old the purchase was at the request: 48 hours, 14 days."
        case .timeLeft: "What is left until the deadline: 2 hours."
        case .requests:
            "Other refund requests of the customer: 2. Without an appAccountToken, of the same subscription."
        case .refunds: "Other refunds of the customer: 1. Without an appAccountToken, of the same subscription."
        }
    }
}
