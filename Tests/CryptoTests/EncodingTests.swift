import Crypto
import FoundationEssentials
import Testing

@Suite struct EncodingTests {
    @Test(arguments: [
        ("", "", ""), ("f", "Zg==", "Zg"), ("fo", "Zm8=", "Zm8"), ("foo", "Zm9v", "Zm9v"),
        ("foob", "Zm9vYg==", "Zm9vYg"), ("fooba", "Zm9vYmE=", "Zm9vYmE"), ("foobar", "Zm9vYmFy", "Zm9vYmFy"),
        ("\u{3FF}\u{3FF}~", "z7/Pv34=", "z7_Pv34"), ("\u{FB}\u{EF}>", "w7vDrz4=", "w7vDrz4"),
    ])
    func `both alphabets give the values of RFC 4648`(text: String, standard: String, url: String) {
        let bytes = Array(text.utf8)
        #expect(Base64.encode(bytes) == standard)
        #expect(Base64URL.encode(bytes) == url)
        #expect(Base64.decode(standard) == bytes)
        #expect(Base64URL.decode(url) == bytes)
        #expect(Base64URL.decode(Array("..\(url)".utf8)[2...]) == bytes)
    }

    @Test func `all bytes at all lengths survive`() {
        for count in 0..<260 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 197 &+ count) }
            #expect(Base64URL.decode(Base64URL.encode(bytes)) == bytes)
            #expect(Base64.decode(Base64.encode(bytes)) == bytes)
            #expect(Hex.decode(Hex.encode(bytes)) == bytes)
        }
    }

    @Test(arguments: [
        "Zg==", "Zg=", "Zh", "Zm9=", "Z", "Zm9vY", "Zm+v", "Zm/v", "Zm9v\n", " Zm9v", "Zm9v=", "Zm 9v", "Zm9vé",
        "Zm9", "Zm9v====", "\0\0\0\0",
    ])
    func `base64url is strict`(text: String) {
        #expect(Base64URL.decode(text) == nil)
    }

    @Test(arguments: [
        "Zg", "Zg=", "Zh==", "Zm9=", "Z===", "====", "Zm-v", "Zm_v", "Zm9v\n", "Zm9v Zm9v", "Zg==Zg==", "=Zg=",
        "Zg===", "Zm8==",
    ])
    func `base64 is strict`(text: String) {
        #expect(Base64.decode(text) == nil)
    }

    @Test func `hexadecimal takes both cases and whole bytes only`() {
        #expect(Hex.decode("00fFAb") == [0, 255, 171])
        #expect(Hex.decode("0") == nil)
        #expect(Hex.decode("0g") == nil)
        #expect(Hex.decode("+1") == nil)
        #expect(Hex.colons([0, 171]) == "00:ab")
    }

    @Test func `equal takes bytes of any length`() {
        #expect(ConstantTime.equal([UInt8](), []))
        #expect(ConstantTime.equal([1, 2], [1, 2]))
        #expect(!ConstantTime.equal([1, 2], [1, 3]))
        #expect(!ConstantTime.equal([1, 2], [1, 2, 3]))
        #expect(ConstantTime.equal("rd_1", "rd_1"))
    }

    @Test func `random values differ and have their form`() {
        let ids = Set((0..<1000).map { _ in Random.uuid() })
        #expect(ids.count == 1000)
        #expect(ids.allSatisfy { $0.uuid.6 >> 4 == 4 && $0.uuid.8 >> 6 == 2 })
        let tokens = Set((0..<100).map { _ in Random.token() })
        #expect(tokens.count == 100)
        #expect(tokens.allSatisfy { $0.utf8.count == 43 && Base64URL.decode($0)?.count == 32 })
        #expect(Random.bytes(0).isEmpty)
        #expect((0..<1000).map { _ in Random.unit() }.allSatisfy { 0 <= $0 && $0 < 1 })
    }
}
