import HTTP

/// The query of Get Transaction History (apple sheet 4.4): several values of one key are alternatives, and
/// different keys must all fit.
struct HistoryFilter {
    private let startDate: Int64?
    private let endDate: Int64?
    private let productIDs: Set<String>
    private let types: Set<String>
    private let ownership: String?
    private let groups: Set<String>
    private let isRevoked: Bool?
    let isDescending: Bool
    /// The change after which a page begins.
    let after: Int64?
    /// A hash of all parameters but `revision`: they must be repeated unchanged.
    private let fingerprint: Int64

    /// Query spellings of the four types; the payload's spellings are not understood here.
    private static let typeNames = [
        "AUTO_RENEWABLE": "Auto-Renewable Subscription", "NON_RENEWABLE": "Non-Renewing Subscription",
        "CONSUMABLE": "Consumable", "NON_CONSUMABLE": "Non-Consumable",
    ]

    init(_ query: QueryString) throws(AppleError) {
        startDate = try Self.milliseconds(query.first("startDate"), or: .invalidStartDate)
        endDate = try Self.milliseconds(query.first("endDate"), or: .invalidEndDate)
        if let startDate, let endDate, startDate >= endDate { throw .startDateAfterEndDate }
        productIDs = Set(query.all("productId"))
        if productIDs.contains("") { throw .invalidProductId }
        var types = Set<String>()
        for name in query.all("productType") {
            guard let type = Self.typeNames[name] else { throw .invalidProductType }
            types.insert(type)
        }
        self.types = types
        ownership = query.first("inAppOwnershipType")
        if let ownership, !["PURCHASED", "FAMILY_SHARED"].contains(ownership) { throw .invalidInAppOwnershipType }
        groups = Set(query.all("subscriptionGroupIdentifier"))
        if groups.contains("") { throw .invalidSubscriptionGroupIdentifier }
        switch query.first("sort") {
        case nil, "ASCENDING": isDescending = false
        case "DESCENDING": isDescending = true
        default: throw .invalidSort
        }
        switch query.first("revoked") {
        case nil: isRevoked = nil
        case "true": isRevoked = true
        case "false": isRevoked = false
        default: throw .invalidRevoked
        }
        var repeated: [UInt8] = []
        for pair in query.pairs where pair.name != "revision" { repeated += Array("\(pair.name)=\(pair.value)\n".utf8) }
        fingerprint = Revision.fingerprint(of: repeated)
        if let revision = query.first("revision") {
            guard let numbers = Revision.read(revision, kind: "h"), numbers.count == 2, numbers[1] == fingerprint else {
                throw .invalidRequestRevision
            }
            after = numbers[0]
        } else {
            after = nil
        }
    }

    func revision(after change: Int64) -> String { Revision.text([change, fingerprint], kind: "h") }

    func wants(_ transaction: StoreTransaction) -> Bool {
        let payload = transaction.payload
        let purchased = payload["purchaseDate"]?.int ?? 0
        if let startDate, purchased < startDate { return false }
        if let endDate, purchased >= endDate { return false }
        if !productIDs.isEmpty, !productIDs.contains(payload["productId"]?.string ?? "") { return false }
        if !types.isEmpty, !types.contains(payload["type"]?.string ?? "") { return false }
        if let ownership, payload["inAppOwnershipType"]?.string != ownership { return false }
        if !groups.isEmpty, !groups.contains(payload["subscriptionGroupIdentifier"]?.string ?? "") { return false }
        if let isRevoked, transaction.isRevoked != isRevoked { return false }
        return true
    }

    private static func milliseconds(_ text: String?, or error: AppleError) throws(AppleError) -> Int64? {
        guard let text else { return nil }
        // Seconds would name a moment in January 1970: taken for the mistake that it is.
        guard let value = Int64(text), value >= 100_000_000_000 else { throw error }
        return value
    }
}
