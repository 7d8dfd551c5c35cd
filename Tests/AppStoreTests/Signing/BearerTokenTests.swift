import AppStore
import Crypto
import Journal
import Support
import Testing
import Time

@Suite struct BearerTokenTests {
    @Test func `a token has Apple's header and claims, a minute back, and a raw signature`() throws {
        let key = try P256Key.generate()
        let token = try BearerToken.make(
            with: key, keyID: "AB12CD34EF", issuerID: "11111111-2222-3333-4444-555555555555",
            bundleID: "com.example.alpha", at: Moment(milliseconds: 1_790_000_000_999))
        #expect("\(token)" == "(redacted)")
        let parts = token.reveal().split(separator: ".").map(String.init)
        try #require(parts.count == 3)
        let header = try JSONDocument(try #require(Base64URL.decode(parts[0]))).root
        #expect(header.members.map(\.name) == ["alg", "kid", "typ"])
        #expect(
            header["alg"]?.string == "ES256" && header["kid"]?.string == "AB12CD34EF" && header["typ"]?.string == "JWT")
        let claims = try JSONDocument(try #require(Base64URL.decode(parts[1]))).root
        #expect(claims.members.map(\.name) == ["iss", "iat", "exp", "aud", "bid"])
        #expect(claims["iss"]?.string == "11111111-2222-3333-4444-555555555555")
        #expect(claims["iat"]?.int == 1_789_999_940)
        #expect(claims["exp"]?.int == 1_790_000_300)
        #expect(claims["aud"]?.string == "appstoreconnect-v1" && claims["bid"]?.string == "com.example.alpha")
        let signature = try #require(Base64URL.decode(parts[2]))
        #expect(signature.count == 64)
        #expect(key.publicKey.isValidSignature(signature, for: Array("\(parts[0]).\(parts[1])".utf8)))
    }

    @Test func `words with quotation marks cannot break the token's JSON`() throws {
        let token = try BearerToken.make(
            with: P256Key.generate(), keyID: "a\",\"alg\":\"none", issuerID: "\\", bundleID: "\u{1}",
            at: Moment(milliseconds: 0))
        let parts = token.reveal().split(separator: ".").map(String.init)
        #expect(try JSONDocument(try #require(Base64URL.decode(parts[0]))).root["alg"]?.string == "ES256")
        #expect(try JSONDocument(try #require(Base64URL.decode(parts[1]))).root["iss"]?.string == "\\")
    }

    @Test func `BL-057: two thousand tokens have signatures of 64 bytes that are valid`() throws {
        let key = try P256Key.generate()
        let reader = try P256PublicKey(x963: key.publicKey.x963)
        for second in 0..<2000 {
            let token = try BearerToken.make(
                with: key, keyID: "K", issuerID: "I", bundleID: "B", at: Moment(seconds: Int64(second) + 1_790_000_000))
            let text = token.reveal()
            let dot = try #require(text.lastIndex(of: "."))
            let signature = try #require(Base64URL.decode(String(text[text.index(after: dot)...])))
            #expect(signature.count == 64 && reader.isValidSignature(signature, for: Array(text[..<dot].utf8)))
        }
    }
}
