/// The one place where text becomes harmless: the same rule for text and for attribute values, which
/// always stand in double quotes.
enum Escaping {
    /// Appends text with the five characters of markup replaced.
    ///
    /// Control characters that HTML forbids become U+FFFD: a value with a NUL in it is shown as
    /// damaged, and does not end a page early.
    static func append(_ text: some Sequence<UInt8>, to bytes: inout [UInt8]) {
        let isDone: Void? = text.withContiguousStorageIfAvailable { unsafe append($0, to: &bytes) }
        if isDone == nil { unsafe Array(text).withUnsafeBufferPointer { unsafe append($0, to: &bytes) } }
    }

    /// Most text is harmless: it is taken over in runs.
    private static func append(_ text: UnsafeBufferPointer<UInt8>, to bytes: inout [UInt8]) {
        var start = 0
        for index in 0..<text.count {
            guard let replacement = unsafe replacement(of: text[index]) else { continue }
            unsafe bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[start..<index]))
            bytes.append(contentsOf: replacement.utf8)
            start = index + 1
        }
        unsafe bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[start...]))
    }

    private static func replacement(of byte: UInt8) -> String? {
        switch byte {
        case UInt8(ascii: "&"): "&amp;"
        case UInt8(ascii: "<"): "&lt;"
        case UInt8(ascii: ">"): "&gt;"
        case UInt8(ascii: "\""): "&quot;"
        case UInt8(ascii: "'"): "&#39;"
        case 0x00...0x08, 0x0B, 0x0C, 0x0E...0x1F, 0x7F: "\u{FFFD}"
        default: nil
        }
    }
}
