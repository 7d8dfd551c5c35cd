import Testing

@testable import Web

@Suite struct `QR codes` {
    /// Rows from the top as hexadecimal numbers. Made with an independent encoder and read with an independent decoder.
    static let known: [(text: String, rows: String)] = [
        (
            "hello",
            """
            1fcc7f 105841 174b5d 17465d 17595d 104141 1fd57f 700 154a12 58443 a5d1f 190042 d6550 1ea7 1fc6e7
            1047b0 1756e3 174866 175d15 104852 1fdd63
            """
        ),
        (
            "https://refunds.example/t/alpha/cases/0b9a2f6e",
            """
            1fc09fa7f 104de8541 1751aca5d 17537165d 175dacb5d 105131d41 1fd55557f 1a24a00 17caf957c c9d17e6d
            19db25c16 169671c1f 8d106998 1bbb71a67 6c8021de 23ad3fdc 16d08e0b9 70a5f2ed 9f3f9536 1c29ac27f
            f4671c3b 152a6c3e5 10493941a 139e6096d 1478e85f3 1e13915 1fc5f4b54 105950f1e 175f469f8 175c31f9d
            175802f6c 104857c5c 1fdecf7aa
            """
        ),
        (
            "otpauth://totp/Refund%20Desk%3Asam@alpha.example?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=Refund%20Desk&algorithm=SHA1&digits=6&period=30",
            """
            1fc95421e197f 104399dea7f41 1753c995da35d 175960aeefa5d 175227fc5285d 105a65448dc41 1fd555555557f
            1e83c6e0900 17c8797ca3b7c aac7e80f02ec be74764c5cf3 8a6e627db2c9 195f2ef0c7064 a0f98b9c28ee
            8f0963a26923 12319cb15aa52 a7c2536277e6 1ebb56a0cb8c0 ddff81d0461b 24032362930 65baf223365
            17ab42f263aeb 1df175fcbc5f3 131208c622d1a 19528dd4ebd5f 1b1412465a918 5f35efe85df7 7a03051d04e1
            f46fc3821379 79c23d8d1a80 cfcc130bdbeb 997db1d34872 165f6942e330e 1411ce32da86a 186c26d82744b
            eb5f83370d82 14cd0e04febe 12ad0ad3d0ae7 8ef9de947eef e21fd80440a2 1c7b61fca3ffd 1ac2c6d3b12
            1fc930d45b55b 1054d8c7d2311 17527a7ce31f2 17566c9ee127d 1759263427468 1041fcef906e1 1fd20d108fb4f
            """
        ),
    ]

    @Test(arguments: known.indices)
    func `a known text has its known picture`(index: Int) throws {
        let (text, rows) = Self.known[index]
        let code = try #require(QRCode(text))
        let drawn = code.modules.map { row in
            String(row.reduce(UInt64(0)) { $0 << 1 | ($1 ? 1 : 0) }, radix: 16)
        }
        #expect(drawn == rows.split(whereSeparator: \.isWhitespace).map(String.init))
    }

    @Test func `every length up to the largest has a picture, and none behind it`() {
        for count in 1...412 { #expect(QRCode(String(repeating: "a", count: count)) != nil) }
        #expect(QRCode(String(repeating: "a", count: 413)) == nil)
    }

    @Test func `the path draws each dark module once, inside the border`() throws {
        let code = try #require(QRCode("hello"))
        let dark = code.modules.reduce(0) { $0 + $1.count { $0 } }
        let widths = code.path.matches(of: /h(\d+)v/).compactMap { Int($0.1) }
        #expect(widths.reduce(0, +) == dark)
        #expect(code.path.hasPrefix("M4 4h7v1h-7z"))
        #expect(code.sideWithBorder == 29)
    }
}
