/// A cookie to be set: never readable by scripts, and only for this site unless said otherwise.
package struct SetCookie: Sendable {
    package enum SameSite: String, Sendable { case strict = "Strict", lax = "Lax" }

    package var name: String
    /// Letters, digits and `-._~`: anything else must be encoded by the caller.
    package var value: String
    package var path = "/"
    /// Nil: until the browser is closed. Zero: forget it now.
    package var maxAge: Duration?
    package var isSecure: Bool
    package var sameSite = SameSite.lax

    package init(
        _ name: String, _ value: String, path: String = "/", maxAge: Duration? = nil, isSecure: Bool,
        sameSite: SameSite = .lax
    ) {
        precondition(name.utf8.allSatisfy(\.isTokenCharacter), "a cookie's name is a token")
        precondition(value.utf8.allSatisfy(Self.isValueCharacter), "a cookie's value is encoded by its maker")
        self.name = name
        self.value = value
        self.path = path
        self.maxAge = maxAge
        self.isSecure = isSecure
        self.sameSite = sameSite
    }

    package var fieldValue: String {
        var text = "\(name)=\(value); Path=\(path)"
        if let maxAge { text += "; Max-Age=\(maxAge.components.seconds)" }
        if isSecure { text += "; Secure" }
        return text + "; HttpOnly; SameSite=\(sameSite.rawValue)"
    }

    /// `cookie-octet` of RFC 6265.
    private static func isValueCharacter(_ byte: UInt8) -> Bool {
        (0x21...0x7E).contains(byte) && byte != ASCII.quote && byte != ASCII.comma && byte != ASCII.semicolon
            && byte != ASCII.backslash
    }
}

extension Response {
    package mutating func set(_ cookie: SetCookie) { headers.add("Set-Cookie", cookie.fieldValue) }
}
