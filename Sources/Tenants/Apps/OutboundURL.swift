/// An address that a tenant names and that is called on its behalf.
///
/// Its form is judged here, and where it leads by the rules of whoever runs the installation.
package enum OutboundURL {
    static let bytesMax = 2048

    /// The text, if its form is right and the rules let it be called.
    ///
    /// Throws `AppChangeError` naming the member.
    package static func checked(
        _ text: String, member: String, rules: OutboundRules, allowsQuery: Bool = true
    ) throws(AppChangeError) -> String {
        let url = try formed(text, member: member, allowsQuery: allowsQuery)
        try rules.check(url, member: member)
        return url
    }

    /// The text, if it is `https://host…` or `http://host…` in printable ASCII without user, password and fragment.
    ///
    /// Throws `AppChangeError` naming the member.
    static func formed(_ text: String, member: String, allowsQuery: Bool = true) throws(AppChangeError) -> String {
        guard text.utf8.count <= bytesMax else {
            throw AppChangeError(member, "is \(text.utf8.count) bytes long, and an address has \(bytesMax) at most")
        }
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && ![0x22, 0x3C, 0x3E, 0x5C, 0x5E, 0x60].contains($0) })
        else { throw AppChangeError(member, "holds a space or a character that no address may have") }
        let lowered = text.lowercased()
        let scheme: String
        if lowered.hasPrefix("https://") {
            scheme = "https://"
        } else if lowered.hasPrefix("http://") {
            scheme = "http://"
        } else {
            throw AppChangeError(
                member,
                "must begin with https://, or with http:// where it is an address of a private network that whoever runs this installation allows"
            )
        }
        let rest = text.dropFirst(scheme.count)
        let authority = rest.prefix { !"/?#".contains($0) }
        guard !authority.contains("@") else { throw AppChangeError(member, "must not hold a user or a password") }
        guard !rest.contains("#") else { throw AppChangeError(member, "must not have a part behind #") }
        guard allowsQuery || !rest.contains("?") else { throw AppChangeError(member, "must not have a query") }
        try check(authority, member)
        return text
    }

    /// The host of a URL whose form is right: lower case, without port and without the root's final dot.
    static func host(of url: some StringProtocol) -> String {
        let rest = url.lowercased().drop { $0 != ":" }.dropFirst(3)
        let authority = rest.prefix { !"/?#".contains($0) }
        let host = authority.first == "[" ? authority.prefix { $0 != "]" } : authority.prefix { $0 != ":" }
        return host.last == "." ? String(host.dropLast()) : String(host)
    }

    private static func check(_ authority: Substring, _ member: String) throws(AppChangeError) {
        var host = authority
        var port: Substring?
        if authority.first == "[", let end = authority.firstIndex(of: "]") {
            host = authority[...end]
            let after = authority[authority.index(after: end)...]
            guard after.isEmpty || after.first == ":" else { throw AppChangeError(member, "has no proper host") }
            port = after.isEmpty ? nil : after.dropFirst()
        } else if let colon = authority.firstIndex(of: ":") {
            host = authority[..<colon]
            port = authority[authority.index(after: colon)...]
        }
        guard !host.isEmpty, host != "[]" else { throw AppChangeError(member, "has no host") }
        if let port, UInt16(port).map({ $0 > 0 }) != true {
            throw AppChangeError(member, "has a port that is none: ports go from 1 to 65535")
        }
    }
}
