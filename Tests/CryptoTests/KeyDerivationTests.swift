import Crypto
import Testing

@Suite struct KeyDerivationTests {
    @Test func `HKDF gives the values of RFC 5869`() throws {
        let key = SecretBytes(copying: [UInt8](repeating: 0x0B, count: 22))
        let first = KeyDerivation.hkdfSHA256(
            key: key, salt: try #require(Hex.decode("000102030405060708090a0b0c")),
            info: try #require(Hex.decode("f0f1f2f3f4f5f6f7f8f9")), count: 42)
        #expect(
            hex(first)
                == "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865")
        let third = KeyDerivation.hkdfSHA256(key: key, info: [], count: 42)
        #expect(
            hex(third)
                == "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8")
    }

    @Test func `scrypt gives the values of RFC 7914`() throws {
        let empty = try KeyDerivation.scrypt(password: [], salt: [], n: 16, r: 1, p: 1, count: 64)
        #expect(
            Hex.encode(empty)
                == "77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442fcd0069ded0948f8326a753a0fc81f17e8d3e0fb2e0d3628cf35e20c38d18906"
        )
        let salted = try KeyDerivation.scrypt(
            password: Array("password".utf8), salt: Array("NaCl".utf8), n: 1024, r: 8, p: 16, count: 64)
        #expect(
            Hex.encode(salted)
                == "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b3731622eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640"
        )
    }

    @Test func `scrypt has the memory that its defaults need`() throws {
        #expect(try KeyDerivation.scrypt(password: Array("a".utf8), salt: Array("b".utf8)).count == 32)
    }

    private func hex(_ bytes: borrowing SecretBytes) -> String {
        bytes.withBytes { span in
            var out: [UInt8] = []
            for i in 0..<span.count { out.append(span[i]) }
            return Hex.encode(out)
        }
    }
}
