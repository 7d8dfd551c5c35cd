/// One segment of a call's path.
enum PathSegment {
    /// Everything but unreserved characters percent-encoded, and the dots of a segment that consists of dots, so
    /// that no id can leave its place in the path.
    static func encoded(_ id: String) -> String {
        let isDots = id.utf8.allSatisfy { $0 == 0x2E }
        var out = ""
        for byte in id.utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x5F, 0x7E:
                out.unicodeScalars.append(Unicode.Scalar(byte))
            case 0x2E where !isDots: out += "."
            default:
                out += "%"
                out.unicodeScalars.append(hexDigit(byte >> 4))
                out.unicodeScalars.append(hexDigit(byte & 15))
            }
        }
        return out
    }

    private static func hexDigit(_ nibble: UInt8) -> Unicode.Scalar {
        Unicode.Scalar(nibble < 10 ? 0x30 + nibble : 0x37 + nibble)
    }
}
