/// An e-mail address that can stand in an envelope and a header as it is: ASCII, without quotation.
///
/// A domain in another script is written in its `xn--` form.
package struct MailAddress: Hashable, Sendable, CustomStringConvertible {
    package let text: String

    /// Nil for anything but `local@domain` of at most 254 bytes (RFC 5321, 4.1.2 and 4.5.3.1).
    package init?(_ text: String) {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, text.utf8.count <= 254, parts[0].utf8.count <= 64, DotAtom.isOne(parts[0]),
            parts[1].split(separator: ".", omittingEmptySubsequences: false).allSatisfy(Self.isLabel)
        else { return nil }
        self.text = text
    }

    package var description: String { text }

    private static func isLabel(_ label: Substring) -> Bool {
        (1...63).contains(label.utf8.count) && label.first != "-" && label.last != "-"
            && label.utf8.allSatisfy { DotAtom.isAlphanumeric($0) || $0 == 0x2D }
    }
}
