import Crypto
import Time

/// Signs what we send to other people's servers (Standard Webhooks 1.0.0, symmetric).
///
/// The receiver verifies `{id}.{timestamp}.{body}` against any of the signatures, refuses old timestamps, and knows
/// by the id what it has had already.
struct WebhookSigner: Sendable {
    /// Newest first; while a secret is replaced, each signs.
    let secrets: [WebhookSecret]

    /// - Parameters:
    ///   - id: the same whenever this message is sent again; letters, digits and underscores.
    ///   - at: of this very sending.
    func fields(id: String, at moment: Moment, body: [UInt8]) -> [(name: String, value: String)] {
        let timestamp = String(moment.seconds)
        let message = Array("\(id).\(timestamp).".utf8) + body
        let signatures = secrets.map { "v1," + Base64.encode($0.sign(message)) }
        return [
            ("webhook-id", id), ("webhook-timestamp", timestamp),
            ("webhook-signature", signatures.joined(separator: " ")),
        ]
    }
}
