/// Apple's number of an app as people type or paste it.
package enum AppleIDText {
    /// More do not fit into Apple's `appAppleId`.
    static let digitsMax = 18

    /// Where an Apple ID is found, for sentences that say what to do.
    static let place = "App Store Connect shows it under App Information, and most have ten digits"

    /// The number of `6450000001`, or of `id6450000001` as it stands in addresses of the App Store.
    ///
    /// Throws `AppChangeError` naming `appleID`.
    package static func number(_ text: String) throws(AppChangeError) -> Int64 {
        let bare = text.withoutOuterBlanks
        let digits = bare.lowercased().hasPrefix("id") ? bare.dropFirst(2) : bare[...]
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            throw AppChangeError("appleID", "is a positive number, digits alone: \(place)")
        }
        let count = digits.utf8.count
        guard count <= digitsMax else {
            throw AppChangeError("appleID", "has \(count) digits, and \(digitsMax) at most can be right: \(place)")
        }
        guard let number = Int64(digits), number > 0 else {
            throw AppChangeError("appleID", "is a positive number, and 0 is none: \(place)")
        }
        return number
    }
}
