/// A country's App Store. The ids follow Apple's shape; nothing should depend on their values.
struct Storefront: Sendable, Hashable {
    /// ISO 3166-1 alpha-3.
    let country: String
    let id: String
    let currency: String
    /// Decimal text, as `taxRate` of Advanced Commerce has it.
    let taxRate: String
    let taxThousandths: Int64

    static let all = [
        Storefront(country: "USA", id: "143441", currency: "USD", taxRate: "0.00", taxThousandths: 0),
        Storefront(country: "DEU", id: "143443", currency: "EUR", taxRate: "0.19", taxThousandths: 190),
        Storefront(country: "FRA", id: "143442", currency: "EUR", taxRate: "0.20", taxThousandths: 200),
        Storefront(country: "JPN", id: "143462", currency: "JPY", taxRate: "0.10", taxThousandths: 100),
        Storefront(country: "VNM", id: "143471", currency: "VND", taxRate: "0.10", taxThousandths: 100),
        Storefront(country: "GBR", id: "143444", currency: "GBP", taxRate: "0.20", taxThousandths: 200),
        Storefront(country: "BRA", id: "143503", currency: "BRL", taxRate: "0.17", taxThousandths: 170),
    ]
}
