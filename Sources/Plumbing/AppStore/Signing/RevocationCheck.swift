/// Whether certificates are looked up at their issuer's responder (OCSP).
package final class RevocationCheck: Sendable {
    package enum Mode: String, Sendable, CaseIterable {
        case off
        /// A responder that cannot be reached is no obstacle.
        case soft
        /// A responder that cannot be reached is our own trouble.
        case strict
    }

    /// Posts an OCSP request (`application/ocsp-request`) to a responder and returns its answer.
    package typealias Fetch = @Sendable (_ url: String, _ body: [UInt8]) async throws -> [UInt8]

    package let mode: Mode
    private let fetch: Fetch

    package init(mode: Mode, fetch: @escaping Fetch) {
        self.mode = mode
        self.fetch = fetch
    }

    package static let off = RevocationCheck(mode: .off) { _, _ in [] }
}
