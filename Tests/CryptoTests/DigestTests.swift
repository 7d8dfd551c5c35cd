import Crypto
import Testing

@Suite struct DigestTests {
    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
    ])
    func `SHA-256 gives the values of FIPS 180-4`(text: String, digest: String) {
        #expect(Hex.encode(Digest.sha256(Array(text.utf8))) == digest)
        #expect(Hex.encode(Digest.sha256(Array("x\(text)".utf8)[1...])) == digest)
    }

    @Test(arguments: [
        (
            "0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b", "Hi There",
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        ),
        (
            "4a656665", "what do ya want for nothing?",
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        ),
        ("", "", "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad"),
    ])
    func `HMAC gives the values of RFC 4231`(key: String, message: String, code: String) throws {
        let key = try #require(Hex.decode(key))
        #expect(Hex.encode(Digest.hmacSHA256(key: key, message: Array(message.utf8))) == code)
        let secret = SecretBytes(copying: key)
        #expect(Hex.encode(Digest.hmacSHA256(key: secret, message: Array(message.utf8))) == code)
    }
}
