import Crypto
import Testing

@Suite struct SignatureTests {
    // RFC 7515, appendix A.3
    private let signedText =
        "eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"
    private let signature =
        "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q"
    private let x = "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU"
    private let y = "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"
    private let d = "jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI"

    @Test func `the signature of RFC 7515 is valid for its text and for no other`() throws {
        let point = [4] + (try #require(Base64URL.decode(x))) + (try #require(Base64URL.decode(y)))
        let key = try P256PublicKey(x963: point)
        let raw = try #require(Base64URL.decode(signature))
        #expect(key.isValidSignature(raw, for: Array(signedText.utf8)))
        #expect(!key.isValidSignature(raw, for: Array((signedText + "x").utf8)))
        for i in raw.indices {
            var spoiled = raw
            spoiled[i] ^= 1
            #expect(!key.isValidSignature(spoiled, for: Array(signedText.utf8)))
        }
        #expect(!key.isValidSignature(Array(raw.dropLast()), for: Array(signedText.utf8)))
        #expect(!key.isValidSignature(raw + [0], for: Array(signedText.utf8)))
        #expect(!key.isValidSignature([UInt8](repeating: 0, count: 64), for: Array(signedText.utf8)))
        #expect(!key.isValidSignature([UInt8](repeating: 0xFF, count: 64), for: Array(signedText.utf8)))
        #expect(!key.isValidSignature([], for: Array(signedText.utf8)))
    }

    @Test func `a scalar gives its public key, and comes back as it went in`() throws {
        let scalar = SecretBytes(copying: try #require(Base64URL.decode(d)))
        let key = try P256Key(scalar: scalar)
        #expect(Base64URL.encode(key.publicKey.x963[1...32]) == x)
        #expect(Base64URL.encode(key.publicKey.x963[33...]) == y)
        let back = key.scalar()
        let isSame = ConstantTime.equal(back, scalar)
        #expect(isSame)
    }

    @Test(arguments: [
        String(repeating: "00", count: 32),
        // The order of the curve, and the largest number.
        "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551",
        String(repeating: "ff", count: 32),
        String(repeating: "01", count: 31),
        String(repeating: "01", count: 33),
        "",
    ])
    func `a number outside the curve's range is no key`(hex: String) throws {
        let scalar = SecretBytes(copying: try #require(Hex.decode(hex)))
        #expect(throws: OpenSSLError.self) { _ = try P256Key(scalar: scalar) }
    }

    @Test func `a point off the curve is no public key`() throws {
        var point = try P256Key.generate().publicKey.x963
        point[64] ^= 1
        #expect(throws: OpenSSLError.self) { _ = try P256PublicKey(x963: point) }
        #expect(throws: OpenSSLError.self) { _ = try P256PublicKey(x963: Array(point.prefix(33))) }
    }

    @Test func `BL-057: two thousand signatures have 64 bytes each and are valid`() throws {
        let key = try P256Key.generate()
        let reader = try P256PublicKey(x963: key.publicKey.x963)
        var leadingZeros = [0, 0]
        for number in 0..<2000 {
            let message = Array("token \(number)".utf8)
            let raw = try key.sign(message)
            #expect(raw.count == 64)
            #expect(reader.isValidSignature(raw, for: message))
            if raw[0] == 0 { leadingZeros[0] += 1 }
            if raw[32] == 0 { leadingZeros[1] += 1 }
        }
        // Each is missed by chance once in 2,500 runs if the signing key were new each time; eight are expected.
        #expect(leadingZeros[0] > 0 || leadingZeros[1] > 0)
    }

    @Test(arguments: [0, 32])
    func `BL-057: a half that begins with a zero byte is valid`(half: Int) throws {
        let key = try P256Key.generate()
        for number in 0... {
            let message = Array("note \(number)".utf8)
            let raw = try key.sign(message)
            guard raw[half] == 0 else { continue }
            #expect(key.publicKey.isValidSignature(raw, for: message))
            return
        }
    }

    @Test func `a key is used from many threads at once`() async throws {
        let signer = try P256Key.generate()
        let point = signer.publicKey
        let message = Array("shared".utf8)
        let raw = try signer.sign(message)
        let valid = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<8 {
                group.addTask { (0..<200).count { _ in point.isValidSignature(raw, for: message) } }
            }
            return await group.reduce(0, +)
        }
        #expect(valid == 1600)
    }

    @Test func `the fingerprint is sixteen bytes of the point's digest`() throws {
        let point = [4] + (try #require(Base64URL.decode(x))) + (try #require(Base64URL.decode(y)))
        let key = try P256PublicKey(x963: point)
        #expect(key.fingerprint.count == 47)
        #expect(key.fingerprint == Hex.colons(Digest.sha256(point).prefix(16)))
    }
}
