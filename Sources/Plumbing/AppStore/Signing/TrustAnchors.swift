package import Crypto

/// Whom a chain of certificates must end in.
package struct TrustAnchors: Sendable {
    enum Kind: Sendable {
        /// The third certificate of a message must have this SHA-256 fingerprint.
        case pinned(sha256: [UInt8], name: String)
        /// The third certificate is only counted; the chain must end in one of these.
        case roots([Certificate])
    }

    let kind: Kind

    package init(roots: [Certificate]) { kind = .roots(roots) }

    private init(kind: Kind) { self.kind = kind }

    /// Apple Root CA – G3 (elliptic curve P-384, valid to 2039-04-30), by its fingerprint.
    /// Source: https://www.apple.com/certificateauthority/
    package static let builtIn = TrustAnchors(
        kind: .pinned(
            sha256: [
                0x63, 0x34, 0x3A, 0xBF, 0xB8, 0x9A, 0x6A, 0x03, 0xEB, 0xB5, 0x7E, 0x9B, 0x3F, 0x5F, 0xA7, 0xBE,
                0x7C, 0x4F, 0x5C, 0x75, 0x6F, 0x30, 0x17, 0xB3, 0xA8, 0xC4, 0x88, 0xC3, 0x65, 0x3E, 0x91, 0x79,
            ], name: "Apple Root CA - G3"))

    /// True where nothing can be verified.
    package var isEmpty: Bool {
        switch kind {
        case .pinned: false
        case .roots(let roots): roots.isEmpty
        }
    }
}
