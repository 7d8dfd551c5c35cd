/// Codes that change every 30 seconds (RFC 6238, with RFC 4226 below it): SHA-1 and six digits, which is what every
/// generator app knows.
package enum OneTimePassword {
    package static let stepSeconds: Int64 = 30
    /// As RFC 4226 recommends: as many as SHA-1 has.
    package static let secretBytes = 20
    package static let digits = 6

    /// The step that a moment lies in.
    package static func step(secondsSince1970 seconds: Int64) -> Int64 {
        seconds >= 0 ? seconds / stepSeconds : -((stepSeconds - 1 - seconds) / stepSeconds)
    }

    /// The code of a step: `digits` decimal digits.
    package static func code(
        _ secret: borrowing SecretBytes, step: Int64, digits: Int = OneTimePassword.digits
    ) -> [UInt8] {
        let counter = UInt64(bitPattern: step)
        let hash = Digest.hmacSHA1(
            key: secret, message: (0..<8).map { UInt8(truncatingIfNeeded: counter >> (56 - 8 * UInt64($0))) })
        let start = Int(hash[19] & 0x0F)
        var number = hash[start..<start + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
        var text = [UInt8](repeating: UInt8(ascii: "0"), count: digits)
        for place in (0..<digits).reversed() {
            text[place] = UInt8(ascii: "0") + UInt8(number % 10)
            number /= 10
        }
        return text
    }

    /// The step whose code this is: the present one, or one of its two neighbours, because clocks differ and people type.
    ///
    /// Nil for a wrong code, and for a step that is not newer than `after`: a code works once.
    package static func step(
        of code: [UInt8], _ secret: borrowing SecretBytes, around now: Int64, after last: Int64?
    ) -> Int64? {
        guard code.count == digits else { return nil }
        var found: Int64?
        // All three are computed whatever matches.
        for step in [now - 1, now, now + 1] {
            if ConstantTime.equal(self.code(secret, step: step), code) { found = max(found ?? step, step) }
        }
        guard let found, last.map({ found > $0 }) ?? true else { return nil }
        return found
    }
}
