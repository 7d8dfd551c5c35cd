import Crypto

/// What a rehearsal app believes and calls instead of Apple; fixed when the app is made.
///
/// No other app can have it: a root that anybody may sign under must never be believed for real customers.
package struct RehearsalSide: Hashable, Sendable {
    /// The one root certificate whose signatures are believed, in DER.
    package let root: [UInt8]
    /// The simulator's address, without a final slash: both environments lie under it.
    package let apiURL: String

    static let rootBytesMax = 16 * 1024

    init(root: [UInt8], apiURL: String) {
        self.root = root
        self.apiURL = apiURL
    }

    /// From a root certificate file, DER or PEM with one certificate, and an address.
    ///
    /// Throws `AppChangeError` naming `trustRoot` or `apiURL`.
    package init(rootFile: [UInt8], apiURL: String) throws(AppChangeError) {
        guard rootFile.count <= Self.rootBytesMax else {
            throw AppChangeError("trustRoot", "is larger than \(Self.rootBytesMax) bytes")
        }
        let encoded = CertificateFile.certificates(rootFile)
        guard encoded.count == 1, let certificate = try? Certificate(der: encoded[0]) else {
            throw AppChangeError("trustRoot", "must be one certificate, in DER or PEM")
        }
        guard certificate.isCA, certificate.subject == certificate.issuer else {
            throw AppChangeError("trustRoot", "is not a root certificate")
        }
        guard Digest.sha256(certificate.der) != Self.appleRoot else {
            throw AppChangeError("trustRoot", "is Apple's own root: a rehearsal needs one of its simulator's")
        }
        var address = Substring(
            try OutboundURL.formed(apiURL, member: "apiURL", allowsQuery: false))
        guard !Self.isApples(OutboundURL.host(of: address)) else {
            throw AppChangeError(
                "apiURL", "is one of Apple's own: a rehearsal calls a simulator, and never Apple. Give the simulator's")
        }
        while address.last == "/" { address.removeLast() }
        root = certificate.der
        self.apiURL = String(address)
    }

    /// Apple's names, and the network that is all Apple's (17.0.0.0/8).
    private static func isApples(_ host: String) -> Bool {
        if host == "apple.com" || host.hasSuffix(".apple.com") { return true }
        return host.hasPrefix("17.") && host.allSatisfy { $0.isNumber || $0 == "." }
    }

    /// Apple Root CA - G3. Source: https://www.apple.com/certificateauthority/
    private static let appleRoot: [UInt8] = [
        0x63, 0x34, 0x3A, 0xBF, 0xB8, 0x9A, 0x6A, 0x03, 0xEB, 0xB5, 0x7E, 0x9B, 0x3F, 0x5F, 0xA7, 0xBE,
        0x7C, 0x4F, 0x5C, 0x75, 0x6F, 0x30, 0x17, 0xB3, 0xA8, 0xC4, 0x88, 0xC3, 0x65, 0x3E, 0x91, 0x79,
    ]
}
