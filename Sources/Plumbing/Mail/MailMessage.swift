package import Time

/// One mail to one reader: what it says, and what it belongs to.
package struct MailMessage: Sendable {
    package var to: MailAddress
    package var subject: HeaderText
    package var text: String
    /// The same for readers who see markup; a whole HTML document.
    package var html: String?
    package var messageID: MessageID
    /// What this one answers; mail programs draw threads by it.
    package var inReplyTo: MessageID?
    /// The thread from its first message on; at most `referencesMax` are written.
    package var references: [MessageID]
    /// Where one POST ends such mails (RFC 8058); `https`, printable ASCII.
    package var unsubscribeURL: String?

    static let referencesMax = 10

    package init(
        to: MailAddress, subject: HeaderText, text: String, html: String? = nil, messageID: MessageID,
        inReplyTo: MessageID? = nil, references: [MessageID] = [], unsubscribeURL: String? = nil
    ) {
        self.to = to
        self.subject = subject
        self.text = text
        self.html = html
        self.messageID = messageID
        self.inReplyTo = inReplyTo
        self.references = references
        self.unsubscribeURL = unsubscribeURL
    }

    /// The message as it goes over the wire (RFC 5322, MIME): ASCII, CRLF, no line above 998 bytes; dots at the
    /// beginning of lines are left to whoever sends it.
    ///
    /// - Parameter name: of the sender, shown beside the address.
    package func bytes(from: MailAddress, name: HeaderText, date: Moment) -> [UInt8] {
        var head = "Date: \(MailDate.text(date))\r\n"
        head += sender(from, name)
        head += "To: <\(to)>\r\n"
        head += "Message-ID: \(messageID)\r\n"
        if let inReplyTo { head += "In-Reply-To: \(inReplyTo)\r\n" }
        if !references.isEmpty { head += HeaderText.folded("References", thread.map(\.text)) }
        head += subject.field("Subject")
        // Nobody's out-of-office note answers a machine (RFC 3834; the second is Exchange's word for it).
        head += "Auto-Submitted: auto-generated\r\nX-Auto-Response-Suppress: All\r\n"
        if let url = unsubscribeURL, Self.isWritable(url) {
            head += "List-Unsubscribe: <\(url)>\r\nList-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n"
        }
        head += "MIME-Version: 1.0\r\n"
        return Array(head.utf8) + content
    }

    /// The first message and the newest ones.
    private var thread: [MessageID] {
        references.count <= Self.referencesMax
            ? references : [references[0]] + references.suffix(Self.referencesMax - 1)
    }

    private func sender(_ from: MailAddress, _ name: HeaderText) -> String {
        let isPlain = name.text.utf8.allSatisfy { DotAtom.isAlphanumeric($0) || $0 == 0x20 }
        guard !name.text.isEmpty else { return "From: <\(from)>\r\n" }
        let field = isPlain ? "From: \(name.text)\r\n" : name.encodedField("From")
        // An address may be as long as a line by itself.
        return field + " <\(from)>\r\n"
    }

    private var content: [UInt8] {
        guard let html else { return Self.part("plain", text) }
        var out = Array("Content-Type: multipart/alternative; boundary=\"\(Self.boundary)\"\r\n\r\n".utf8)
        for (kind, content) in [("plain", text), ("html", html)] {
            out += Array("--\(Self.boundary)\r\n".utf8) + Self.part(kind, content) + [0x0D, 0x0A]
        }
        return out + Array("--\(Self.boundary)--\r\n".utf8)
    }

    /// Quoted-printable never writes an equals sign before an underscore, so no content can hold this line.
    private static let boundary = "=_alternative"

    private static func part(_ kind: String, _ text: String) -> [UInt8] {
        Array(
            "Content-Type: text/\(kind); charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n".utf8)
            + QuotedPrintable.encode(text)
    }

    private static func isWritable(_ url: String) -> Bool {
        url.hasPrefix("https://") && url.utf8.count <= 900
            && url.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x3C && $0 != 0x3E }
    }
}
