import HTTP

/// Lets a change through only where it comes from a page of this desk.
///
/// A cookie alone proves who the browser belongs to, and not that its person wanted this. Every
/// browser in use says where a POST comes from: `Origin`, and `Sec-Fetch-Site` beside it.
struct SameOrigin: Sendable {
    let own: PublicAddress

    /// - Parameter hasSession: a request with a session must say where it comes from; one without has
    ///   nothing that a foreign page could abuse.
    func allows(_ request: Request, hasSession: Bool) -> Bool {
        let origin = request.headers.all("Origin")
        let site = request.headers.all("Sec-Fetch-Site")
        guard origin.count <= 1, site.count <= 1 else { return false }
        if let origin = origin.first, !isOwn(origin, host: request.headers["Host"]) { return false }
        // "none" is a person's own doing: typed, or from a bookmark.
        if let site = site.first, site != "same-origin", site != "none" { return false }
        return !origin.isEmpty || !site.isEmpty || !hasSession
    }

    private func isOwn(_ origin: String, host: String?) -> Bool {
        if origin.lowercased() == own.origin { return true }
        // A desk on this very machine may be opened by any of the machine's own names. No foreign
        // page can have such an origin.
        guard own.isLoopback, let host, PublicAddress.isLoopback(host.lowercased()) else { return false }
        return origin.lowercased() == "http://" + host.lowercased()
    }
}
