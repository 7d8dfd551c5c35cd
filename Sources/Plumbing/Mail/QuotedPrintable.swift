/// Text in lines of at most 76 ASCII characters (RFC 2045, 6.7); readable where it was ASCII.
enum QuotedPrintable {
    private static let lineMax = 76
    private static let digits = Array("0123456789ABCDEF".utf8)

    /// Any line ends become CRLF; the last line has one too.
    static func encode(_ text: String) -> [UInt8] {
        var out: [UInt8] = []
        for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
            append(Array(line.utf8), to: &out)
        }
        return out
    }

    private static func append(_ line: [UInt8], to out: inout [UInt8]) {
        var length = 0
        for (index, byte) in line.enumerated() {
            let isLast = index == line.count - 1
            // A blank at the end of a line would be lost on the way.
            let isPlain = (0x21...0x7E).contains(byte) && byte != 0x3D || (byte == 0x20 || byte == 0x09) && !isLast
            let piece = isPlain ? [byte] : [0x3D, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            // One place stays free for the mark of a line that goes on.
            if length + piece.count > lineMax - 1 {
                out += [0x3D, 0x0D, 0x0A]
                length = 0
            }
            out += piece
            length += piece.count
        }
        out += [0x0D, 0x0A]
    }
}
