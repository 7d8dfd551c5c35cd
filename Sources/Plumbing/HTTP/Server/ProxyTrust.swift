import Loop

/// Who the client is when a proxy speaks for it. Only proxies in the given ranges are believed.
struct ProxyTrust: Sendable {
    let ranges: [AddressRange]

    /// The client as far as the connection alone tells.
    func direct(_ peer: Peer) -> ClientInfo {
        let isTrusted = peer.isIn(ranges)
        return ClientInfo(
            address: peer.address ?? "unix", isBehindTrustedProxy: isTrusted, isInTrustedRange: isTrusted)
    }

    /// The client behind the connection's `direct` one.
    func client(_ direct: ClientInfo, _ headers: HeaderFields) -> ClientInfo {
        guard direct.isBehindTrustedProxy else { return direct }
        let hops = headers.tokens("X-Forwarded-For")
        let schemes = headers.tokens("X-Forwarded-Proto")
        // From the right: each proxy adds the address it saw. The first that is no proxy of ours is
        // the client; what stands further left is only its word.
        var address = direct.address
        var isTrusted = true
        var index = hops.count
        while index > 0 {
            guard let ip = IPAddress(Self.withoutPort(hops[index - 1])) else {
                isTrusted = false
                break
            }
            index -= 1
            address = "\(ip)"
            isTrusted = ranges.contains { $0.contains(ip) }
            if !isTrusted { break }
        }
        let scheme = schemes.count == hops.count && index < schemes.count ? schemes[index] : schemes.last
        return ClientInfo(
            address: address, isSecure: scheme == "https", isBehindTrustedProxy: true, isInTrustedRange: isTrusted)
    }

    /// Some proxies write `203.0.113.7:4711` or `[2001:db8::1]:4711`.
    private static func withoutPort(_ hop: String) -> Substring {
        if hop.hasPrefix("["), let end = hop.firstIndex(of: "]") { return hop[hop.index(after: hop.startIndex)..<end] }
        guard hop.utf8.count(where: { $0 == ASCII.colon }) == 1 else { return hop[...] }
        return hop.prefix { $0 != ":" }
    }
}
