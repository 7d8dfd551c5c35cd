import Support
import Testing

@testable import Crypto

@Suite struct `Passkeys, checked` {
    private static let challenge = [UInt8](repeating: 7, count: 32)
    private static let site = WebAuthn.RelyingParty(id: "refunds.example", origin: "https://refunds.example")

    private static func register(
        _ authenticator: SampleAuthenticator, format: String = "none"
    ) throws -> WebAuthn.NewCredential {
        try WebAuthn.credential(
            clientData: authenticator.clientData("webauthn.create", challenge),
            attestation: authenticator.attestation(format: format), challenge: challenge, of: site)
    }

    private static func signIn(
        _ authenticator: SampleAuthenticator, key: SignaturePublicKey, challenge: [UInt8] = challenge
    ) throws -> UInt32 {
        let clientData = authenticator.clientData("webauthn.get", challenge)
        let data = authenticator.authenticatorData(attested: false)
        return try WebAuthn.signCount(
            clientData: clientData, authenticatorData: data,
            signature: try authenticator.signature(data, clientData), key: key, challenge: Self.challenge, of: site)
    }

    @Test func `a new passkey is taken, and signs in afterwards`() throws {
        var authenticator = try SampleAuthenticator()
        let made = try Self.register(authenticator)
        #expect(made.id == authenticator.credentialID && made.signCount == 0 && made.key.algorithm == .es256)
        authenticator.signCount = 0x0102_0304
        let stored = try SignaturePublicKey(der: made.key.der, algorithm: made.key.algorithm)
        #expect(try Self.signIn(authenticator, key: stored) == 0x0102_0304)
    }

    private struct Spoiled: Sendable {
        let name: String
        let expected: WebAuthnError
        let spoil: @Sendable (inout SampleAuthenticator) -> Void
    }

    @Test func `each thing that is wrong is refused, when registering and when signing in`() throws {
        let cases: [Spoiled] = [
            Spoiled(name: "origin", expected: .origin) { $0.origin = "https://refunds.example.evil.example" },
            Spoiled(name: "port", expected: .origin) { $0.origin = "https://refunds.example:8443" },
            Spoiled(name: "scheme", expected: .origin) { $0.origin = "http://refunds.example" },
            Spoiled(name: "frame", expected: .origin) { $0.crossOrigin = true },
            Spoiled(name: "site", expected: .relyingParty) { $0.relyingParty = "example" },
            Spoiled(name: "absent", expected: .notPresent) { $0.flags = 0x04 },
            Spoiled(name: "unverified", expected: .notVerified) { $0.flags = 0x01 },
            Spoiled(name: "type", expected: .wrongCeremony) { $0.type = "payment.get" },
            Spoiled(name: "hidden extensions", expected: .malformed) { $0.flags = 0x85 },
        ]
        for one in cases {
            var authenticator = try SampleAuthenticator()
            let key = try Self.register(authenticator).key
            one.spoil(&authenticator)
            var failures: [WebAuthnError] = []
            do { _ = try Self.register(authenticator) } catch let error as WebAuthnError { failures.append(error) }
            do { _ = try Self.signIn(authenticator, key: key) } catch let error as WebAuthnError {
                failures.append(error)
            }
            #expect(failures == [one.expected, one.expected], "\(one.name)")
        }
    }

    @Test func `another challenge, another key and a changed byte are refused`() throws {
        let (authenticator, other) = (try SampleAuthenticator(), try SampleAuthenticator())
        let key = try Self.register(authenticator).key
        let wrong = [UInt8](repeating: 8, count: 32)
        #expect(throws: WebAuthnError.challenge) { try Self.signIn(authenticator, key: key, challenge: wrong) }
        #expect(throws: WebAuthnError.signature) { try Self.signIn(other, key: key) }
        let clientData = authenticator.clientData("webauthn.get", Self.challenge)
        var data = authenticator.authenticatorData(attested: false)
        let signature = try authenticator.signature(data, clientData)
        data[36] ^= 1
        let changed = data
        #expect(throws: WebAuthnError.signature) {
            try WebAuthn.signCount(
                clientData: clientData, authenticatorData: changed, signature: signature, key: key,
                challenge: Self.challenge, of: Self.site)
        }
    }

    @Test func `a statement about the maker is refused`() throws {
        let authenticator = try SampleAuthenticator()
        for format in ["packed", "fido-u2f", "apple"] {
            #expect(throws: WebAuthnError.attestation) { try Self.register(authenticator, format: format) }
        }
    }

    @Test func `an attestation with any byte missing or added is malformed, and nothing crashes`() throws {
        let authenticator = try SampleAuthenticator()
        let whole = authenticator.attestation()
        let clientData = authenticator.clientData("webauthn.create", Self.challenge)
        for attestation in (0..<whole.count).map({ Array(whole.prefix($0)) }) + [whole + [0]] {
            #expect(throws: WebAuthnError.self) {
                try WebAuthn.credential(
                    clientData: clientData, attestation: attestation, challenge: Self.challenge, of: Self.site)
            }
        }
        for place in whole.indices {
            var spoiled = whole
            spoiled[place] ^= 0xFF
            _ = try? WebAuthn.credential(
                clientData: clientData, attestation: spoiled, challenge: Self.challenge, of: Self.site)
        }
    }

    // MARK: RS256

    private static let modulus =
        Hex.decode(
            "e84df7f3327ffad798e081c17723c1c2f39c264ee78e239cd437ed015eea2f08577c2da8a9a98b2da8adc4bcd8ce5bd4"
                + "76b6924b0b2a08072fc3ce638d8c44d760042332c777faffcfbd213b43d381b7a486381863e23d654db0339671c59736"
                + "42470873cd205ba5338c192d17184d992884758142b216b322dafce92301e11f70cb809b8a292231afd43611fe1535f1"
                + "eb756983bbdec8258590c508570cb825ae24d0f76740951c527472cf1f5a5a1c4bb4533b2998c04d22d2b950e995071a"
                + "df2dc3b2d78752d62c10b750d87d2a469e55caa146cfb17e573699a2bf88c0614650de9bc042bdb83e28113a0895b546"
                + "c5befc188e3e8530dc5d166410c77bdf") ?? []
    private static let signature =
        Base64.decode(
            "JiEmVmSHYDy0Pk8TaetRwPNoE/zxQ5qH7hMgtapA6kW7CM8hjG3YRZPCWwxKx8g6SeS2Gl5gQoTsMq46SRRKq7pIdC6SFA4I"
                + "JIdvH4pgfJ6TqmRraUpuKX8rQiLzuM7QtxocdmVrUf5F493DXlSGNufmArh/BpL6jLKGjthWvRPwTPLUlZhq5G+hIcgS7bnm"
                + "ZmYb2Ein8IrBQpLhc6EuvzyeoQyXesvViTLRncGVECs3CaWhloxRNpQD/zbhOB9rEpdeei9su2Lsd5yclwXueTZfQALzWBiA"
                + "skimtTeOXaYlVJv6RtZkOObpZSgMgwuWw2TAQmDTTEoGFqZv3o5ADg==") ?? []

    @Test func `RS256 as OpenSSL's own program signs it`() throws {
        let key = try SignaturePublicKey.rs256(modulus: Self.modulus, exponent: [1, 0, 1])
        #expect(key.isValid(Self.signature, for: Array("a message".utf8)))
        #expect(!key.isValid(Self.signature, for: Array("another one".utf8)))
        #expect(!key.isValid([], for: Array("a message".utf8)))
        let again = try SignaturePublicKey(der: key.der, algorithm: .rs256)
        #expect(again.isValid(Self.signature, for: Array("a message".utf8)))
        #expect(throws: SignaturePublicKey.Failure.unsuitable) {
            try SignaturePublicKey(der: key.der, algorithm: .es256)
        }
        #expect(throws: SignaturePublicKey.Failure.unreadable) {
            try SignaturePublicKey(der: key.der + [0], algorithm: .rs256)
        }
    }

    @Test func `RSA that is short, long or with an even exponent is refused`() {
        for (modulus, exponent) in [
            (Array(Self.modulus.prefix(128)), [1, 0, 1]), (Self.modulus + Self.modulus + Self.modulus, [1, 0, 1]),
            (Self.modulus, [1, 0, 0]), (Self.modulus, [1]), (Self.modulus, []),
        ] as [([UInt8], [UInt8])] {
            #expect(throws: SignaturePublicKey.Failure.self) {
                try SignaturePublicKey.rs256(modulus: modulus, exponent: exponent)
            }
        }
    }

    @Test func `a point that is not on the curve is no key`() {
        #expect(throws: SignaturePublicKey.Failure.self) {
            try SignaturePublicKey.es256(
                x: [UInt8](repeating: 1, count: 32), y: [UInt8](repeating: 1, count: 32))
        }
    }

    // MARK: CBOR

    @Test(arguments: [
        ("1800", "a number longer than it needs"), ("190017", "the same, two bytes"), ("5f40ff", "no definite length"),
        ("a2026161016162", "keys out of order"), ("a201616101616a", "a key twice"), ("c100", "a tag"),
        ("f93c00", "a float"), ("f7", "undefined"), ("8181818181 00", "five levels"), ("61ff", "no UTF-8"),
        ("9b7fffffffffffffff", "a giant array"), ("5b7fffffffffffffff", "a giant text"),
        ("1bffffffffffffffff", "too large"),
        ("a1f400", "a key that is no key"), ("0000", "something behind it"), ("", "nothing"),
    ])
    func `CBOR that is not canonical, or too large, is refused`(hex: String, why: String) throws {
        let bytes = try #require(Hex.decode(hex.replacing(" ", with: "")))
        #expect(throws: CBORReader.Malformed.self, "\(why)") { try CBORReader.whole(bytes) }
    }

    @Test func `CBOR is read`() throws {
        let bytes = try #require(Hex.decode("a4010220390100616141aa616283f5f6190100"))
        let value = try CBORReader.whole(bytes)
        #expect(value[1] == .integer(2) && value[-1] == .integer(-257))
        #expect(value["a"] == .bytes([0xAA]))
        #expect(value["b"] == .array([.bool(true), .null, .integer(256)]))
    }
}
