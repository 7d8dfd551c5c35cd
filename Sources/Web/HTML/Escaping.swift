/// The one place where text becomes harmless: the same rule for text and for attribute values, which
/// always stand in double quotes.
enum Escaping {
    /// Appends text with the five characters of markup replaced.
    ///
    /// Control characters that HTML forbids become U+FFFD: a value with a NUL in it is shown as
    /// damaged, and does not end a page early.
    static func append(_ text: some Sequence<UInt8>, to bytes: inout [UInt8]) {
        for byte in text {
            switch byte {
            case UInt8(ascii: "&"): bytes.append(contentsOf: "&amp;".utf8)
            case UInt8(ascii: "<"): bytes.append(contentsOf: "&lt;".utf8)
            case UInt8(ascii: ">"): bytes.append(contentsOf: "&gt;".utf8)
            case UInt8(ascii: "\""): bytes.append(contentsOf: "&quot;".utf8)
            case UInt8(ascii: "'"): bytes.append(contentsOf: "&#39;".utf8)
            case 0x00...0x08, 0x0B, 0x0C, 0x0E...0x1F, 0x7F: bytes.append(contentsOf: "\u{FFFD}".utf8)
            default: bytes.append(byte)
            }
        }
    }
}
