/// Base32 (RFC 4648 section 6) without padding, as generators of one-time passwords want their secret typed.
package enum Base32 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)

    package static func encode(_ bytes: borrowing Span<UInt8>) -> String {
        var text: [UInt8] = []
        var (bits, held) = (UInt32(0), 0)
        for index in 0..<bytes.count {
            bits = bits << 8 | UInt32(bytes[index])
            held += 8
            while held >= 5 {
                held -= 5
                text.append(alphabet[Int(bits >> UInt32(held)) & 31])
            }
        }
        if held > 0 { text.append(alphabet[Int(bits << UInt32(5 - held)) & 31]) }
        return String(decoding: text, as: UTF8.self)
    }
}
