import Crypto

/// Standard base64 between secrets: neither the text nor the bytes ever stand in an array or a string.
enum SecretBase64 {
    /// Strict: padding required, no white space, zero tail bits. Nil for anything else, and for nothing.
    static func decode(_ text: borrowing SecretBytes, from start: Int, to end: Int) -> SecretBytes? {
        let length = end - start
        guard length > 0, length % 4 == 0 else { return nil }
        let padding = text.withBytes { bytes in
            bytes[end - 1] != 0x3D ? 0 : bytes[end - 2] != 0x3D ? 1 : 2
        }
        var isValid = true
        let out = SecretBytes(count: length / 4 * 3 - padding) { out in
            text.withBytes { bytes in
                var (bits, bitCount, at) = (UInt32(0), 0, 0)
                for index in start..<(end - padding) {
                    guard let six = value(bytes[index]) else {
                        isValid = false
                        return
                    }
                    bits = bits << 6 | UInt32(six)
                    bitCount += 6
                    if bitCount >= 8 {
                        bitCount -= 8
                        out[at] = UInt8(truncatingIfNeeded: bits >> UInt32(bitCount))
                        at += 1
                    }
                }
                if bits & ((1 << UInt32(bitCount)) - 1) != 0 { isValid = false }
            }
        }
        guard isValid else { return nil }
        return out
    }

    static func encode(_ bytes: borrowing SecretBytes, lineEnd: Bool) -> SecretBytes {
        SecretBytes(count: (bytes.count + 2) / 3 * 4 + (lineEnd ? 1 : 0)) { out in
            bytes.withBytes { bytes in
                var at = 0
                for start in stride(from: 0, to: bytes.count, by: 3) {
                    let rest = min(3, bytes.count - start)
                    var bits: UInt32 = 0
                    for index in 0..<3 { bits = bits << 8 | (index < rest ? UInt32(bytes[start + index]) : 0) }
                    for index in 0..<4 {
                        out[at] = index <= rest ? digit(UInt8(bits >> UInt32(18 - 6 * index) & 63)) : 0x3D
                        at += 1
                    }
                }
                if lineEnd { out[at] = 0x0A }
            }
        }
    }

    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case 0x41...0x5A: digit - 0x41
        case 0x61...0x7A: digit - 0x61 + 26
        case 0x30...0x39: digit - 0x30 + 52
        case 0x2B: 62
        case 0x2F: 63
        default: nil
        }
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        switch value {
        case 0..<26: 0x41 + value
        case 26..<52: 0x61 + value - 26
        case 52..<62: 0x30 + value - 52
        case 62: 0x2B
        default: 0x2F
        }
    }
}
