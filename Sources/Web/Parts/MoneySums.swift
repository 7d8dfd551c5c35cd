/// Sums by currency, one beside the other: they are never added up.
struct MoneySums {
    /// Milliunits by currency.
    let sums: [String: Int64]

    init(_ sums: [String: Int64]) { self.sums = sums }

    var html: HTML {
        if sums.isEmpty { return HTML(text: "unknown") }
        return span {
            for (index, sum) in sums.sorted(by: { $0.key < $1.key }).enumerated() {
                if index > 0 { " · " }
                MoneyText(milliunits: sum.value, currency: sum.key).html
            }
        }
    }
}
