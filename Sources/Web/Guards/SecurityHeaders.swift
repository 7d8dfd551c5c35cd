import HTTP

/// What every page tells the browser about what it may do with it.
struct SecurityHeaders: Sendable {
    let isSecure: Bool

    /// No script and no style but our files; scripts talk to us alone; no frame around us; forms to us alone.
    static let contentPolicy =
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

    func add(to response: inout Response) {
        response.headers.set("Content-Security-Policy", Self.contentPolicy)
        response.headers.set("X-Content-Type-Options", "nosniff")
        response.headers.set("X-Frame-Options", "DENY")
        // Not "no-referrer": with it browsers send "Origin: null" with our own forms, and they would be refused.
        response.headers.set("Referrer-Policy", "same-origin")
        response.headers.set("Cross-Origin-Opener-Policy", "same-origin")
        response.headers.set("Cross-Origin-Resource-Policy", "same-origin")
        response.headers.set(
            "Permissions-Policy",
            "camera=(), geolocation=(), microphone=(), payment=(), usb=(), publickey-credentials-get=(self), publickey-credentials-create=(self)"
        )
        // Nothing of a customer stays in a browser's cache after signing out.
        response.headers.set("Cache-Control", "no-store")
        if isSecure { response.headers.set("Strict-Transport-Security", "max-age=31536000") }
    }
}
