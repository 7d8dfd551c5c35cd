/// Base64 for encoded words: this room has no door to the one that speaks OpenSSL.
enum MailBase64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    static func encode(_ bytes: [UInt8]) -> String {
        var out: [UInt8] = []
        out.reserveCapacity((bytes.count + 2) / 3 * 4)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let value = group.reduce(UInt32(0)) { $0 << 8 | UInt32($1) } << UInt32(8 * (3 - group.count))
            for place in 0..<4 {
                out.append(place <= group.count ? alphabet[Int(value >> UInt32(18 - 6 * place) & 63)] : 0x3D)
            }
        }
        return String(decoding: out, as: UTF8.self)
    }
}
