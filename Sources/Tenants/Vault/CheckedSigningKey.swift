import Crypto
package import FoundationEssentials

/// An uploaded key that was read, and whose test signature verified.
package struct CheckedSigningKey: ~Copyable, Sendable {
    /// What looks odd about an upload without being wrong.
    package enum Hint: Hashable, Sendable, CustomStringConvertible {
        /// The file is named as App Store Connect names the keys of its own API.
        case looksLikeConnectKey
        /// The file's name has another key ID than the one that was given.
        case fileNamesOtherKeyID(String)

        package var description: String {
            switch self {
            case .looksLikeConnectKey:
                "the file is named AuthKey_…, as keys of the App Store Connect API are; refunds need an In-App Purchase key (SubscriptionKey_…), from Users and Access, Integrations, In-App Purchase"
            case .fileNamesOtherKeyID(let keyID):
                "the file's name has the key ID \(keyID), which is not the one that was given: Apple refuses a key under another's ID"
            }
        }
    }

    package let keyID: String
    package let issuerID: UUID
    package let fileName: String?
    package let hints: [Hint]
    private let key: P256Key

    init(keyID: String, issuerID: UUID, fileName: String?, hints: [Hint], key: consuming P256Key) {
        self.keyID = keyID
        self.issuerID = issuerID
        self.fileName = fileName
        self.hints = hints
        self.key = key
    }

    package var fingerprint: String { key.publicKey.fingerprint }
    var publicPoint: [UInt8] { key.publicKey.x963 }
    func scalar() -> SecretBytes { key.scalar() }
}
