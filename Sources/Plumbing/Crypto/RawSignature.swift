/// ECDSA signatures over P-256 in their two spellings.
///
/// JOSE wants two numbers of exactly 32 bytes; OpenSSL reads and writes a DER sequence of two
/// integers of varying length. About one signature in 128 has a number with a leading zero byte.
enum RawSignature {
    static let byteCount = 64
    /// SEQUENCE of two INTEGERs of at most 33 bytes.
    static let derBytesMax = 72

    /// - Parameter out: room for `derBytesMax`.
    /// - Returns: the length of the DER form.
    static func der(_ raw: borrowing Span<UInt8>, into out: inout MutableSpan<UInt8>) -> Int {
        precondition(raw.count == byteCount && out.count >= derBytesMax)
        var end = 2
        for start in [0, 32] {
            var first = start
            while first < start + 31, raw[first] == 0 { first += 1 }
            let needsSign = raw[first] >= 0x80
            let count = start + 32 - first
            out[end] = 0x02
            out[end + 1] = UInt8(count + (needsSign ? 1 : 0))
            end += 2
            if needsSign {
                out[end] = 0
                end += 1
            }
            for i in 0..<count { out[end + i] = raw[first + i] }
            end += count
        }
        out[0] = 0x30
        out[1] = UInt8(end - 2)
        return end
    }

    /// nil for anything OpenSSL would not have written.
    static func raw(_ der: [UInt8]) -> [UInt8]? {
        guard der.count >= 8, der[0] == 0x30, Int(der[1]) == der.count - 2 else { return nil }
        var out = [UInt8](repeating: 0, count: byteCount)
        var at = 2
        for end in [32, 64] {
            guard at + 2 <= der.count, der[at] == 0x02 else { return nil }
            var count = Int(der[at + 1])
            at += 2
            guard count > 0, at + count <= der.count else { return nil }
            if count == 33, der[at] == 0 {
                at += 1
                count -= 1
            }
            guard count <= 32 else { return nil }
            for i in 0..<count { out[end - count + i] = der[at + i] }
            at += count
        }
        return at == der.count ? out : nil
    }
}
