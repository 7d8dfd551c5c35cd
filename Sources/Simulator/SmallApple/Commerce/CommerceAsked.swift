/// What a well-formed body asks for.
struct CommerceAsked: Sendable, Hashable {
    struct Item: Sendable, Hashable {
        let sku: String
        let reason: String
        /// FULL, PRORATED or CUSTOM.
        let type: String
        /// Milliunits; with CUSTOM only.
        let amount: Int64?
        let revokes: Bool
    }

    let kind: CommerceKind
    /// Empty but for a refund.
    var items: [Item] = []
    /// Of a revocation; a refund has one for each item.
    var reason: String?
    var type: String?
    var riskingPreference: Bool?
    var storefront: String?
    var currency: String?

    var simulatesDecline: Bool { ([reason] + items.map(\.reason)).contains(CommerceReader.simulatedDecline) }
}
