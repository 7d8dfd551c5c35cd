/// Somebody else's bytes for people, none left out: what is no text, and what would not be seen, stands as `\xNN`.
enum BytesText {
    static func text(_ bytes: some Collection<UInt8>) -> String {
        var out = ""
        var rest = Array(bytes)[...]
        while let first = rest.first {
            let length = length(of: first)
            let piece = rest.prefix(length)
            if let scalar = scalar(piece) {
                out.unicodeScalars.append(scalar)
                rest = rest.dropFirst(length)
            } else {
                out += "\\x" + (first < 16 ? "0" : "") + String(first, radix: 16)
                rest = rest.dropFirst()
            }
        }
        return out
    }

    /// Bytes of the character that begins so, where one does.
    private static func length(of byte: UInt8) -> Int {
        switch byte {
        case 0xC2...0xDF: 2
        case 0xE0...0xEF: 3
        case 0xF0...0xF4: 4
        default: 1
        }
    }

    private static func scalar(_ bytes: ArraySlice<UInt8>) -> Unicode.Scalar? {
        guard let text = String(validating: bytes, as: UTF8.self), let scalar = text.unicodeScalars.first else {
            return nil
        }
        switch scalar.properties.generalCategory {
        case .control: return scalar == "\n" || scalar == "\t" ? scalar : nil
        // Marks that turn the direction of writing would let a page read otherwise than the bytes do.
        case .format, .surrogate, .unassigned: return nil
        default: return scalar
        }
    }
}
