/// How many decimals Apple takes in amounts of a currency, and amounts as people write them.
///
/// Amounts are milliunits throughout: 4.99 USD is 4990, 500 JPY is 500000.
/// Source: Advanced Commerce API, Specifying prices (read 2026-08); stated for prices, kept for refunds.
package enum CurrencyDecimals {
    private static let none: Set<String> = [
        "CLP", "COP", "DKK", "HKD", "HUF", "IDR", "INR", "JPY", "KRW", "KZT", "MXN", "NGN", "NOK", "PHP", "PKR", "RUB",
        "SEK", "THB", "TWD", "TZS", "VND",
    ]
    private static let two: Set<String> = [
        "AED", "AUD", "BGN", "BRL", "CAD", "CHF", "CNY", "CZK", "EGP", "EUR", "GBP", "ILS", "MYR", "NZD", "PEN", "PLN",
        "QAR", "RON", "SAR", "SGD", "TRY", "USD", "ZAR",
    ]

    /// 0 or 2; nil for currencies that Apple does not list.
    package static func decimals(of currency: String) -> Int? {
        if none.contains(currency) { return 0 }
        return two.contains(currency) ? 2 : nil
    }

    /// Milliunits between two amounts that Apple takes; nil for currencies that it does not list.
    package static func step(of currency: String) -> Int64? {
        decimals(of: currency).map { $0 == 0 ? 1000 : 10 }
    }

    /// `4.99 EUR`, `500 JPY`: as many decimals as the currency has, and more where the amount needs them.
    package static func text(_ milliunits: Int64, _ currency: String?) -> String {
        let sign = milliunits < 0 ? "-" : ""
        let size = milliunits.magnitude
        let fraction = Int(size % 1000)
        var digits = String(1000 + fraction).dropFirst()
        let least = currency.flatMap(decimals) ?? 2
        while digits.count > least, digits.last == "0" { digits.removeLast() }
        let number = digits.isEmpty ? "\(size / 1000)" : "\(size / 1000).\(digits)"
        return sign + number + (currency.map { " \($0)" } ?? "")
    }

    /// Milliunits of what a person wrote: digits with at most one point or comma and at most three digits after it.
    ///
    /// - Returns: nil for anything else, signs and spaces between digits among it.
    package static func milliunits(_ text: String) -> Int64? {
        let parts = text.split(omittingEmptySubsequences: false) { $0 == "." || $0 == "," }
        guard (1...2).contains(parts.count), let whole = parts.first, (1...15).contains(whole.utf8.count),
            parts.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }), let units = Int64(whole)
        else { return nil }
        guard parts.count == 2 else { return units * 1000 }
        guard (1...3).contains(parts[1].utf8.count) else { return nil }
        let padded = parts[1] + String(repeating: "0", count: 3 - parts[1].utf8.count)
        return Int64(padded).map { units * 1000 + $0 }
    }
}
