/// A piece of a page whose bytes are already safe to send.
///
/// Text becomes HTML only by `init(text:)`, which escapes it; markup only by the functions of
/// `Elements.swift`. `init(markupThatIsSafeAsItStands:)` is the one other door.
package struct HTML: Sendable {
    package private(set) var bytes: [UInt8]

    package static let empty = HTML(bytes: [])

    init(bytes: [UInt8]) { self.bytes = bytes }

    /// Text of any origin.
    package init(text: some StringProtocol) {
        bytes = []
        bytes.reserveCapacity(text.utf8.count)
        Escaping.append(text.utf8, to: &bytes)
    }

    /// Markup written in our own source, as it stands. `StaticString`: nothing that was read at run
    /// time can pass here.
    init(markupThatIsSafeAsItStands markup: StaticString) {
        bytes = Array(markup.description.utf8)
    }

    mutating func append(_ other: HTML) { bytes.append(contentsOf: other.bytes) }

    /// This, and the other behind it.
    func and(_ other: HTML) -> HTML {
        var both = self
        both.append(other)
        return both
    }

    package var isEmpty: Bool { bytes.isEmpty }

    package var string: String { String(decoding: bytes, as: UTF8.self) }
}
