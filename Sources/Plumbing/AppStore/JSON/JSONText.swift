/// Strings of JSON texts, both ways.
package enum JSONText {
    /// The string with quotation marks and escapes, for building a JSON text.
    package static func quoted(_ text: String) -> String {
        var out = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": out += "\\\""
            case "\\": out += "\\\\"
            case "\u{0}"..."\u{1F}":
                let hex = String(scalar.value, radix: 16)
                out += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
            default: out.unicodeScalars.append(scalar)
            }
        }
        return out + "\""
    }

    /// - Parameter text: passed the scanner, so that each escape is whole.
    static func unescaped(_ text: ArraySlice<UInt8>) -> [UInt8] {
        var out: [UInt8] = []
        out.reserveCapacity(text.count)
        var i = text.startIndex
        while i < text.endIndex {
            guard text[i] == 0x5C else {
                out.append(text[i])
                i += 1
                continue
            }
            switch text[i + 1] {
            case UInt8(ascii: "b"): out.append(0x08)
            case UInt8(ascii: "f"): out.append(0x0C)
            case UInt8(ascii: "n"): out.append(0x0A)
            case UInt8(ascii: "r"): out.append(0x0D)
            case UInt8(ascii: "t"): out.append(0x09)
            case UInt8(ascii: "u"):
                var value = hex(text[(i + 2)..<(i + 6)])
                if (0xD800...0xDBFF).contains(value) {
                    value = 0x10000 + (value - 0xD800) << 10 + (hex(text[(i + 8)..<(i + 12)]) - 0xDC00)
                    i += 6
                }
                if let scalar = Unicode.Scalar(value) { out.append(contentsOf: UTF8.encode(scalar)!) }
                i += 4
            case let plain: out.append(plain)
            }
            i += 2
        }
        return out
    }

    static func hex(_ digits: ArraySlice<UInt8>) -> UInt32 {
        digits.reduce(0) { $0 << 4 | UInt32($1 <= 0x39 ? $1 - 0x30 : ($1 | 0x20) - 0x57) }
    }
}
