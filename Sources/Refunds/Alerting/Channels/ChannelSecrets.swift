import Crypto

/// Takes a channel's secret out of words that others said: some repeat what they were sent.
struct ChannelSecrets: Sendable {
    /// Shorter pieces are words that anybody may say.
    private static let pieceMin = 12

    private let pieces: [String]

    /// The secret as a whole, as it goes over the wire, and each longer piece of it: of a URL the part that is secret.
    init(_ channel: OpenedChannel) {
        let secret = channel.secretText
        guard !secret.isEmpty else {
            pieces = []
            return
        }
        // The host of a hook is no secret, and says where the trouble is.
        let rest = secret.firstRange(of: "://").map { secret[$0.upperBound...].drop { $0 != "/" } } ?? secret[...]
        let parts = rest.split { "/?&=:@, \n".contains($0) }.map(String.init)
        pieces = ([secret, Base64.encode(Array(secret.utf8))] + parts.filter { $0.utf8.count >= Self.pieceMin })
            .sorted { $0.utf8.count > $1.utf8.count }
    }

    func hidden(in words: String) -> String {
        pieces.reduce(words) { $0.replacing($1, with: "(redacted)") }
    }
}
