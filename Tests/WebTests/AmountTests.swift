import Testing

@testable import Web

/// Amounts that people type, in the decimals of their currency.
@Suite struct `Amounts` {
    @Test(
        arguments: [
            ("JPY", "500", 500_000), ("JPY", "1", 1000), ("KRW", "3300", 3_300_000), ("INR", "99", 99_000),
            ("EUR", "12.50", 12_500), ("EUR", "12,50", 12_500), ("EUR", "12.5", 12_500), ("EUR", "12", 12_000),
            ("USD", "0.01", 10), ("USD", "0", 0), ("KWD", "1.250", 1250), ("KWD", "1,25", 1250), ("KWD", "0.001", 1),
            ("XYZ", "2.50", 2500), ("VND", "2147483", 2_147_483_000),
        ] as [(String, String, Int64)])
    func `what is written in the currency's decimals is read to the last digit`(
        currency: String, text: String, milliunits: Int64
    ) {
        #expect(AmountText(text, currency).reading == .milliunits(milliunits))
    }

    @Test(
        arguments: [
            ("JPY", "12.50", "JPY has no decimals"), ("JPY", "1,000", "JPY has no decimals"),
            ("JPY", "5.0", "JPY has no decimals"), ("INR", "99.00", "INR has no decimals"),
            ("EUR", "12.505", "EUR has 2 decimals"), ("EUR", "1,000", "EUR has 2 decimals"),
            ("EUR", "1.000,00", "digits only"), ("EUR", "1 000", "digits only"), ("EUR", "-5", "digits only"),
            ("EUR", "+5", "digits only"), ("EUR", "€5", "digits only"), ("EUR", "5 EUR", "digits only"),
            ("EUR", ".5", "digits only"), ("EUR", "5.", "digits only"), ("EUR", "1e3", "digits only"),
            ("EUR", "٥", "digits only"), ("EUR", "", "digits only"), ("EUR", "NaN", "digits only"),
            ("EUR", "99999999999999999999", "digits only"), ("KWD", "1,250", "could be read as a whole number"),
            ("KWD", "1.2500", "digits only"),
        ])
    func `what could mean something else is refused, and it says how to write it`(
        currency: String, text: String, words: String
    ) {
        guard case .wrong(let said) = AmountText(text, currency).reading else {
            Issue.record("\(text) \(currency) was read")
            return
        }
        #expect(said.contains(words), "\(said)")
    }

    @Test func `the example that stands beside a field can be read`() {
        for currency in ["JPY", "EUR", "KWD", "XYZ"] {
            let amount = AmountText("", currency)
            guard case .milliunits = AmountText(amount.example, currency).reading else {
                Issue.record("\(amount.example) \(currency)")
                continue
            }
        }
    }
}
