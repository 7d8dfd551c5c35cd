import Crypto
import Journal

/// A key that signs webhooks: `whsec_` and base64 of 16 to 64 bytes.
///
/// Standard Webhooks recommends 24 and more; its own test vector has 18.
///
/// The text form is never kept; no description shows the key.
struct WebhookSecret: Sendable {
    static let prefix = "whsec_"
    static let bytesRange = 16...64

    private let key: Redacted<[UInt8]>

    /// Nil for anything else.
    init?(_ text: some StringProtocol) {
        guard text.hasPrefix(Self.prefix), let key = Base64.decode(Array(text.utf8.dropFirst(Self.prefix.utf8.count))),
            Self.bytesRange.contains(key.count)
        else { return nil }
        self.key = Redacted(key)
    }

    /// Several of them with commas or blanks between, newest first, as while one replaces another; at most four.
    ///
    /// Nil when there is none, too many, or one that is none.
    static func list(_ text: String) -> [WebhookSecret]? {
        let words = text.split { $0 == "," || $0 == " " || $0 == "\n" || $0 == "\r\n" || $0 == "\t" }
        let secrets = words.compactMap { WebhookSecret($0) }
        return (1...4).contains(words.count) && secrets.count == words.count ? secrets : nil
    }

    func sign(_ message: [UInt8]) -> [UInt8] { Digest.hmacSHA256(key: key.reveal(), message: message) }
}
