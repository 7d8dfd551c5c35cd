import Crypto
import Support
import Testing

@Suite(.serialized) struct SecretMemoryTests {
    @Test func `the scanner finds what is there`() {
        let secret = SecretBytes.random(count: 32)
        let scan = MemoryScan(secret)
        #expect(scan.count() >= 1)
    }

    @Test func `nothing of a key stays after a thousand signatures`() throws {
        let scalar = SecretBytes.random(count: 32)
        let scan = MemoryScan(scalar)
        let number = scan.reversed()
        try use(scalar)
        let own = scan.count()
        #expect(own == 1, "only the test's own copy may be found")
        #expect(number.count() == 0)
    }

    private func use(_ scalar: borrowing SecretBytes) throws {
        let key = try P256Key(scalar: scalar)
        for number in 0..<1000 { _ = try key.sign(Array("message \(number)".utf8)) }
    }

    @Test func `nothing of a key stays after its file was read, sealed, opened and derived from`() throws {
        let scalar = SecretBytes.random(count: 32)
        let scan = MemoryScan(scalar)
        let text = try handle(scalar)
        #expect(scan.count() == 1)
        #expect(scan.reversed().count() == 0)
        #expect(text.count() == 0)
    }

    /// - Returns: a scan for the base64 form of the scalar.
    private func handle(_ scalar: borrowing SecretBytes) throws -> MemoryScan {
        let key = try P256Key(scalar: scalar)
        let file = PrivateKeyFile.pem(of: key)
        // 24 characters from the middle of the key, which stand for 18 bytes of the scalar.
        let scan = file.withBytes { bytes in
            MemoryScan(SecretBytes(count: 24) { out in for i in 0..<24 { out[i] = bytes[28 + 52 + i + 1] } })
        }
        for _ in 0..<100 {
            let read = try PrivateKeyFile.p256(from: file)
            let seal = SecretBytes.random(count: 32)
            let box = try SealedBox.seal(read.scalar(), key: seal, binding: [1])
            let opened = try SealedBox.open(box, key: seal, binding: [1])
            _ = KeyDerivation.hkdfSHA256(key: opened, info: [2], count: 32)
            _ = Digest.hmacSHA256(key: opened, message: [3])
        }
        return scan
    }
}
