import Loop

/// The address of a service: scheme, host, port and perhaps a path prefix, without a final slash.
struct BaseURL: Hashable, Sendable, CustomStringConvertible {
    let text: String
    let scheme: String
    let host: String
    let path: String

    var isSecure: Bool { scheme == "https" }
    var description: String { text }

    /// Whether the host is this machine.
    var isLoopback: Bool {
        let bare = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        return bare == "localhost" || IPAddress(bare)?.isLoopback == true
    }

    /// Letters, digits and what else a URL may hold; no user, query or fragment.
    init(_ given: String, schemes: [String] = ["https", "http"]) throws(SettingText) {
        let wanted = schemes.map { "\($0)://host" }.joined(separator: " or ")
        guard let colon = given.range(of: "://") else { throw SettingText("is no address of the form \(wanted)") }
        let scheme = given[..<colon.lowerBound].lowercased()
        guard schemes.contains(scheme) else { throw SettingText("is no address of the form \(wanted)") }
        var rest = String(given[colon.upperBound...])
        while rest.hasSuffix("/") { rest.removeLast() }
        let slash = rest.firstIndex(of: "/") ?? rest.endIndex
        let authority = String(rest[..<slash])
        guard
            rest.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && ![0x22, 0x3C, 0x3E, 0x5C, 0x5E, 0x60].contains($0) }),
            !rest.contains(where: { "?#{|}".contains($0) })
        else { throw SettingText("holds a query, a fragment or a character that no address may have") }
        guard !authority.contains("@") else { throw SettingText("must not hold a user or a password") }
        let (host, port) = Self.split(authority)
        guard !host.isEmpty else { throw SettingText("has no host") }
        if let port, UInt16(port) == nil { throw SettingText("has a port that is none") }
        self.scheme = scheme
        self.host = host.lowercased()
        path = String(rest[slash...])
        text = "\(scheme)://\(rest)"
    }

    /// An address that keys and tokens are sent to: encrypted, or on this machine.
    static func secret(_ text: String) throws(SettingText) -> BaseURL {
        let url = try BaseURL(text)
        guard url.isSecure || url.isLoopback else {
            throw SettingText("must begin with https://: http:// is for addresses on this machine only")
        }
        return url
    }

    private static func split(_ authority: String) -> (String, String?) {
        if authority.hasPrefix("["), let end = authority.firstIndex(of: "]") {
            let after = authority[authority.index(after: end)...]
            return (String(authority[...end]), after.isEmpty ? nil : String(after.dropFirst()))
        }
        guard let colon = authority.lastIndex(of: ":") else { return (authority, nil) }
        return (String(authority[..<colon]), String(authority[authority.index(after: colon)...]))
    }
}

extension String {
    /// The first place where `part` stands.
    fileprivate func range(of part: String) -> Range<String.Index>? {
        var start = startIndex
        while start < endIndex {
            if self[start...].hasPrefix(part) { return start..<index(start, offsetBy: part.count) }
            start = index(after: start)
        }
        return nil
    }
}
