/// Where a sign-in comes from.
package struct Arrival: Sendable {
    /// Of the network, as text.
    package let address: String
    /// What the browser calls itself; control characters gone, cut to 200 characters.
    package let userAgent: String?
    /// The session cookie that the browser sent, whatever it holds: it is dead after a sign-in.
    package let cookie: String?

    package init(address: String, userAgent: String? = nil, cookie: String? = nil) {
        self.address = address
        self.userAgent = userAgent.map { text in
            String(
                String.UnicodeScalarView(
                    text.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F }.prefix(200)))
        }
        self.cookie = cookie
    }
}
