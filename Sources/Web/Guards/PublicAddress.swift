import Tenants

/// The address under which browsers see the desk (`REFUND_DESK_PUBLIC_URL`).
///
/// It, and not the socket, decides what is this desk's own origin and whether cookies are Secure: the
/// last stretch behind a proxy is plain.
package struct PublicAddress: Hashable, Sendable {
    /// `https://refunds.example` or `http://localhost:8080`: scheme, host, port where it is not the usual one.
    package let origin: String
    package let isSecure: Bool

    /// - Parameter url: `http` or `https` with a host; a final slash is no difference.
    package init?(url: String) {
        let lower = url.lowercased()
        guard let scheme = ["https://", "http://"].first(where: lower.hasPrefix) else { return nil }
        var host = lower.dropFirst(scheme.count)
        while host.hasSuffix("/") { host = host.dropLast() }
        guard !host.isEmpty, !host.contains(where: { "/?#@ ".contains($0) }) else { return nil }
        isSecure = scheme == "https://"
        if let usual = [isSecure ? ":443" : ":80"].first(where: host.hasSuffix) { host = host.dropLast(usual.count) }
        origin = scheme + host
    }

    /// Without scheme and port.
    var host: String {
        let authority = origin.drop { $0 != ":" }.dropFirst(3)
        if authority.hasPrefix("["), let end = authority.firstIndex(of: "]") { return String(authority[...end]) }
        return String(authority.prefix { $0 != ":" })
    }

    /// Whether passkeys work here, and if not, why. Browsers bind them to a name and to an encrypted connection.
    var passkeys: PasskeyPlace {
        let host = host
        if host.hasPrefix("[") || host.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2E }) { return .digits }
        if !isSecure, host != "localhost", !host.hasSuffix(".localhost") { return .plain }
        return .works(PasskeySite(id: host, origin: origin))
    }

    /// One machine with several names: `localhost`, `127.0.0.1` and `[::1]`.
    var isLoopback: Bool { !isSecure && Self.isLoopback(origin.dropFirst("http://".count)) }

    static func isLoopback(_ authority: some StringProtocol) -> Bool {
        ["localhost", "127.0.0.1", "[::1]"].contains { authority == $0 || authority.hasPrefix($0 + ":") }
    }
}
