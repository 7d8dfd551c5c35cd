import Crypto
import Testing

@Suite struct SealedBoxTests {
    private let binding = Array("tenant 7".utf8)

    @Test func `a box opens to what was sealed`() throws {
        let key = SecretBytes.random(count: 32)
        for count in [0, 1, 15, 16, 17, 1000] {
            let plain = SecretBytes.random(count: count)
            let box = try SealedBox.seal(plain, key: key, binding: binding)
            #expect(box.count == 12 + count + 16)
            let opened = try SealedBox.open(box, key: key, binding: binding)
            let isSame = ConstantTime.equal(opened, plain)
            #expect(isSame)
        }
    }

    @Test func `the cipher gives the value of test case 16 of the GCM specification`() throws {
        let key = SecretBytes(
            copying: try #require(Hex.decode("feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308")))
        let plain = try #require(
            Hex.decode(
                "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39"
            ))
        let box = try #require(
            Hex.decode(
                "cafebabefacedbaddecaf888"
                    + "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662"
                    + "76fc6ece0f4e1768cddf8853bb2d551b"))
        let binding = try #require(Hex.decode("feedfacedeadbeeffeedfacedeadbeefabaddad2"))
        let opened = try SealedBox.open(box, key: key, binding: binding)
        let expected = SecretBytes(copying: plain)
        let isSame = ConstantTime.equal(opened, expected)
        #expect(isSame)
    }

    @Test func `two boxes of one secret differ`() throws {
        let key = SecretBytes.random(count: 32)
        let plain = SecretBytes(copying: [1, 2, 3])
        #expect(
            try SealedBox.seal(plain, key: key, binding: binding)
                != SealedBox.seal(plain, key: key, binding: binding))
    }

    @Test func `a box does not open when any bit, the key or the binding is another`() throws {
        let key = SecretBytes.random(count: 32)
        let plain = SecretBytes(copying: [1, 2, 3, 4])
        let box = try SealedBox.seal(plain, key: key, binding: binding)
        for bit in 0..<(box.count * 8) {
            var spoiled = box
            spoiled[bit / 8] ^= 1 << (bit % 8)
            #expect(refusal(spoiled, key, binding) == .notAuthentic)
        }
        #expect(refusal(box, .random(count: 32), binding) == .notAuthentic)
        #expect(refusal(box, key, Array("tenant 8".utf8)) == .notAuthentic)
        #expect(refusal(box, key, []) == .notAuthentic)
        #expect(refusal(Array(box.prefix(27)), key, binding) == .malformed)
    }

    private enum Refusal { case none, malformed, notAuthentic, other }

    private func refusal(_ box: [UInt8], _ key: borrowing SecretBytes, _ binding: [UInt8]) -> Refusal {
        do {
            _ = try SealedBox.open(box, key: key, binding: binding)
            return .none
        } catch .malformed {
            return .malformed
        } catch .notAuthentic {
            return .notAuthentic
        } catch {
            return .other
        }
    }
}
