import Testing

@testable import Crypto

@Suite struct `One-time passwords` {
    private func secret() -> SecretBytes { SecretBytes(copying: Array("12345678901234567890".utf8)) }

    private func code(_ step: Int64) -> [UInt8] { OneTimePassword.code(secret(), step: step) }

    /// RFC 6238, appendix B, SHA-1.
    @Test(
        arguments: [
            (59, "94287082"), (1_111_111_109, "07081804"), (1_111_111_111, "14050471"), (1_234_567_890, "89005924"),
            (2_000_000_000, "69279037"), (20_000_000_000, "65353130"),
        ] as [(Int64, String)])
    func `the vectors of the RFC`(seconds: Int64, expected: String) {
        let step = OneTimePassword.step(secondsSince1970: seconds)
        #expect(OneTimePassword.code(secret(), step: step, digits: 8) == Array(expected.utf8))
        #expect(code(step) == Array(expected.suffix(6).utf8))
    }

    @Test func `the present step and its neighbours are taken, others are not`() {
        for (offset, isTaken) in [(-2, false), (-1, true), (0, true), (1, true), (2, false)] as [(Int64, Bool)] {
            let step = OneTimePassword.step(of: code(1000 + offset), secret(), around: 1000, after: nil)
            #expect(step == (isTaken ? 1000 + offset : nil))
        }
    }

    @Test func `a code works once, and none from before it works afterwards`() {
        #expect(OneTimePassword.step(of: code(1000), secret(), around: 1000, after: 999) == 1000)
        #expect(OneTimePassword.step(of: code(1000), secret(), around: 1000, after: 1000) == nil)
        #expect(OneTimePassword.step(of: code(999), secret(), around: 1000, after: 1000) == nil)
        #expect(OneTimePassword.step(of: code(1001), secret(), around: 1000, after: 1000) == 1001)
    }

    @Test func `what is no six digits is no code`() {
        for text in ["", "12345", "1234567", "abcdef"] {
            #expect(OneTimePassword.step(of: Array(text.utf8), secret(), around: 1000, after: nil) == nil)
        }
    }

    /// RFC 4648, section 10, without the padding.
    @Test(arguments: [
        ("", ""), ("f", "MY"), ("fo", "MZXQ"), ("foo", "MZXW6"), ("foob", "MZXW6YQ"), ("fooba", "MZXW6YTB"),
        ("foobar", "MZXW6YTBOI"),
    ])
    func `base32`(text: String, expected: String) {
        #expect(Base32.encode(Array(text.utf8).span) == expected)
    }
}
