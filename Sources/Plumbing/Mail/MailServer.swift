import CCurl
package import Journal
import Loop

/// Where mail is handed in, and how the way there is made safe.
package struct MailServer: Sendable, Equatable {
    package enum Security: Sendable, Equatable {
        /// TLS from the first byte (`smtps://`).
        case implicitTLS
        /// TLS after a greeting, or no mail at all (`smtp://`).
        case startTLS
        /// None: only on this very machine (`smtp://localhost`).
        case plain
    }

    package let host: String
    package let port: UInt16
    package let user: String?
    package let password: Redacted<String>?
    package let security: Security

    /// Reads `smtp://user@host:587` or `smtps://user@host`; without a port 587 and 465, and 25 on this machine.
    ///
    /// A user's name with an @ is written with `%40`. Throws a sentence that goes on after the setting's name.
    package init(url: String, password: Redacted<String>? = nil) throws(MailServerError) {
        let form = MailServerError("is no address of the form smtp://user@host:587 or smtps://user@host")
        guard url.utf8.count <= 1024, url.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
            let parts = MailURL(url), ["smtp", "smtps"].contains(parts.scheme)
        else { throw form }
        guard parts.password == nil else {
            throw MailServerError("must not hold the password: that is a setting of its own")
        }
        guard parts.isBare else { throw MailServerError("must end after the host and its port") }
        guard let host = parts.host, !host.isEmpty else { throw form }
        // A name that does not decode, or to nothing, is none.
        if url.contains("@"), (parts.user ?? "").isEmpty { throw form }
        if let user = parts.user, user.unicodeScalars.contains(where: { $0.value < 0x20 }) { throw form }
        if parts.user != nil, password == nil { throw MailServerError("names a user without a password: set that too") }
        if parts.user == nil, password != nil { throw MailServerError("names no user, and a password is set") }
        self.host = host
        user = parts.user
        self.password = password
        security = parts.scheme == "smtps" ? .implicitTLS : Self.isThisMachine(host) ? .plain : .startTLS
        switch security {
        case .implicitTLS: port = parts.port ?? 465
        case .startTLS: port = parts.port ?? 587
        case .plain: port = parts.port ?? 25
        }
    }

    /// Without the user.
    var url: String { "\(security == .implicitTLS ? "smtps" : "smtp")://\(host):\(port)" }

    private static func isThisMachine(_ host: String) -> Bool {
        let bare = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        return bare.lowercased() == "localhost" || IPAddress(bare)?.isLoopback == true
    }
}

/// Why an address is none of a mail server: words that follow the setting's name.
package struct MailServerError: Error, Equatable, CustomStringConvertible {
    package let description: String
    init(_ description: String) { self.description = description }
}

/// A URL as libcurl's own parser takes it apart, so that what is checked is what is called.
private struct MailURL {
    let scheme: String
    let host: String?
    let port: UInt16?
    let user: String?
    let password: String?
    /// No path, query, fragment or option behind the host.
    let isBare: Bool

    init?(_ text: String) {
        guard let handle = unsafe curl_url() else { return nil }
        defer { unsafe curl_url_cleanup(handle) }
        guard unsafe curl_url_set(handle, CURLUPART_URL, text, UInt32(CURLU_PATH_AS_IS)) == CURLUE_OK,
            let scheme = unsafe Self.part(CURLUPART_SCHEME, of: handle)
        else { return nil }
        self.scheme = scheme
        host = unsafe Self.part(CURLUPART_HOST, of: handle)
        port = unsafe Self.part(CURLUPART_PORT, of: handle).flatMap(UInt16.init)
        user = unsafe Self.part(CURLUPART_USER, of: handle, CURLU_URLDECODE)
        password = unsafe Self.part(CURLUPART_PASSWORD, of: handle)
        let path = unsafe Self.part(CURLUPART_PATH, of: handle) ?? "/"
        let behind = [CURLUPART_QUERY, CURLUPART_FRAGMENT, CURLUPART_OPTIONS, CURLUPART_ZONEID]
        isBare = path == "/" && behind.allSatisfy { unsafe Self.part($0, of: handle) == nil }
    }

    private static func part(_ part: CURLUPart, of handle: OpaquePointer, _ flags: CInt = 0) -> String? {
        var value: UnsafeMutablePointer<CChar>?
        guard unsafe curl_url_get(handle, part, &value, UInt32(flags)) == CURLUE_OK, let value = unsafe value else {
            return nil
        }
        defer { unsafe curl_free(value) }
        return unsafe String(cString: value)
    }
}
