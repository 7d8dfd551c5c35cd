/// What the name of a key file tells: Apple names an In-App Purchase key `SubscriptionKey_<KEYID>.p8` and a key of the
/// App Store Connect API `AuthKey_<KEYID>.p8`.
enum SigningKeyFileName {
    enum Kind: Hashable, Sendable {
        case inAppPurchase
        case connect
    }

    static let charactersMax = 255

    /// The last part of the name, without what cannot be shown; nil when nothing is left.
    static func clean(_ name: String?) -> String? {
        guard let name else { return nil }
        let last = name.split(whereSeparator: { $0 == "/" || $0 == "\\" }).last ?? ""
        let shown = last.unicodeScalars.filter { $0.properties.generalCategory != .control && $0 != "\u{2028}" }
        let text = String(String.UnicodeScalarView(shown)).prefix(charactersMax)
        return text.isEmpty ? nil : String(text)
    }

    /// The kind and the key ID that a name gives away. Browsers add ` (1)` and mail programs `.txt`: both are ignored.
    static func read(_ name: String?) -> (kind: Kind, keyID: String)? {
        guard let name = clean(name) else { return nil }
        for (prefix, kind) in [("SubscriptionKey_", Kind.inAppPurchase), ("AuthKey_", .connect)] {
            guard name.hasPrefix(prefix) else { continue }
            let rest = name.dropFirst(prefix.count)
            let keyID = String(rest.prefix(10))
            let next = rest.dropFirst(10).first
            guard SigningKeyInfo.isKeyID(keyID), !(next.map { $0.isLetter || $0.isNumber } ?? false) else { continue }
            return (kind, keyID)
        }
        return nil
    }
}
