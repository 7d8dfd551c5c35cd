/// Why a mail was not taken, and whether sending it again could help.
package struct MailError: Error, Sendable, Equatable, CustomStringConvertible {
    package enum Kind: String, Sendable, CaseIterable {
        /// The server does not know the reader's address, or does not deliver to it.
        case recipientRefused = "recipient-refused"
        /// The server does not take the message or its sender.
        case refused
        /// User or password are wrong: a fault of the settings, not of the mail.
        case signInRefused = "sign-in-refused"
        /// No TLS was offered, or the certificate is not one to trust. Nothing was sent.
        case notSafe = "not-safe"
        case unreachable, timeout, busy, cancelled
        case shutDown = "shut-down"
    }

    package let kind: Kind
    /// The server's number, 400 to 599, where it said one.
    package let code: Int?
    /// For the person on call: the server, what went wrong and its own words; no address of a reader, no password.
    package let text: String

    package init(kind: Kind, code: Int? = nil, text: String) {
        self.kind = kind
        self.code = code
        self.text = text
    }

    /// The same mail will never be taken: a 5xx about the reader or the message (RFC 5321, 4.2.1).
    package var isPermanent: Bool {
        (kind == .recipientRefused || kind == .refused) && code.map { $0 >= 500 } == true
    }

    package var description: String { text }
}
