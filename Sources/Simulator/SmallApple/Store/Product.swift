/// A product that the small App Store sells, with its price in each currency.
package struct Product: Sendable, Hashable {
    /// Appended to the bundle id.
    let suffix: String
    /// The payload's spelling (apple sheet 3.3).
    let type: String
    /// Milliunits by currency: JPY 480 is 480000 (apple sheet 00).
    let prices: [String: Int64]
    /// For subscriptions.
    let periodDays: Int64
    /// A purchase made with the Advanced Commerce API: the SKU that its items name.
    let sku: String?

    init(_ suffix: String, _ type: String, _ prices: [String: Int64], periodDays: Int64 = 0, sku: String? = nil) {
        self.suffix = suffix
        self.type = type
        self.prices = prices
        self.periodDays = periodDays
        self.sku = sku
    }

    static let autoRenewable = "Auto-Renewable Subscription"

    package static let all = [
        Product(
            "coins500", "Consumable",
            ["USD": 4990, "EUR": 5990, "JPY": 800_000, "VND": 129_000_000, "GBP": 4990, "BRL": 29_900]),
        Product(
            "coins5000", "Consumable",
            ["USD": 39_990, "EUR": 44_990, "JPY": 6_000_000, "VND": 999_000_000, "GBP": 39_990, "BRL": 249_900]),
        Product(
            "boost", "Consumable",
            ["USD": 1990, "EUR": 2290, "JPY": 300_000, "VND": 49_000_000, "GBP": 1990, "BRL": 9900]),
        Product(
            "pro", "Non-Consumable",
            ["USD": 29_990, "EUR": 34_990, "JPY": 4_500_000, "VND": 749_000_000, "GBP": 29_990, "BRL": 179_900]),
        Product(
            "atlas", "Non-Consumable",
            ["USD": 9990, "EUR": 11_990, "JPY": 1_500_000, "VND": 249_000_000, "GBP": 9990, "BRL": 59_900]),
        Product(
            "season", "Non-Renewing Subscription",
            ["USD": 14_990, "EUR": 17_990, "JPY": 2_200_000, "VND": 379_000_000, "GBP": 14_990, "BRL": 89_900]),
        Product(
            "monthly", autoRenewable,
            ["USD": 9990, "EUR": 10_990, "JPY": 1_500_000, "VND": 249_000_000, "GBP": 9990, "BRL": 49_900],
            periodDays: 30),
        Product(
            "yearly", autoRenewable,
            ["USD": 79_990, "EUR": 89_990, "JPY": 11_800_000, "VND": 1_990_000_000, "GBP": 79_990, "BRL": 399_900],
            periodDays: 365),
        Product(
            "generic.consumable", "Consumable",
            ["USD": 4990, "EUR": 4990, "JPY": 700_000, "VND": 119_000_000, "GBP": 4990, "BRL": 24_900],
            sku: "course.swift.101"),
        Product(
            "generic.subscription", autoRenewable,
            ["USD": 12_990, "EUR": 12_990, "JPY": 1_800_000, "VND": 299_000_000, "GBP": 11_990, "BRL": 64_900],
            periodDays: 30, sku: "channel.letters"),
    ]

    /// The first ordinary product of a type.
    static func first(ofType type: String) -> Product { all.first { $0.type == type && $0.sku == nil } ?? all[0] }
}
