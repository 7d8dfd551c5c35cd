import COpenSSL
package import FoundationEssentials

/// Unguessable values, from OpenSSL's generator (no system call each).
package enum Random {
    package static func bytes(_ count: Int) -> [UInt8] {
        SecretMemory.prepare()
        return unsafe [UInt8](unsafeUninitializedCapacity: count) { out, filled in
            precondition(unsafe RAND_bytes(out.baseAddress, CInt(count)) == 1, "no randomness")
            filled = count
        }
    }

    /// Version 4. `UUID()` asks the kernel each time and costs ten times as much.
    package static func uuid() -> UUID {
        let b = bytes(16)
        return UUID(
            uuid: (
                b[0], b[1], b[2], b[3], b[4], b[5], b[6] & 0x0F | 0x40, b[7],
                b[8] & 0x3F | 0x80, b[9], b[10], b[11], b[12], b[13], b[14], b[15]
            ))
    }

    /// base64url of so many random bytes: 43 characters for the default 32.
    package static func token(bytes count: Int = 32) -> String { Base64URL.encode(bytes(count)) }

    /// Uniform in 0..<1, for jitter.
    package static func unit() -> Double {
        var whole: UInt64 = 0
        for byte in bytes(8) { whole = whole << 8 | UInt64(byte) }
        return Double(whole >> 11) * 0x1p-53
    }
}
