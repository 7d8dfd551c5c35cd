import Crypto
import FoundationEssentials
import Testing

@testable import Tenants

@Suite struct `The envelope` {
    private let secret = [UInt8]("a scalar of thirty-two bytes, say".utf8)
    private let id = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))

    private func binding(
        tenant: Int64 = 7, id: UUID? = nil, kind: SecretBinding.Kind = .signingKey, keyID: String = "2X9R4HXF34",
        point: UInt8 = 4
    ) -> SecretBinding {
        SecretBinding(
            tenant: TenantID(rawValue: tenant), secret: id ?? self.id, kind: kind,
            inner: [Array(keyID.utf8), [UInt8](repeating: point, count: 65)])
    }

    private func opened(
        _ sealed: [UInt8], _ binding: SecretBinding, with keyring: MasterKeyring
    ) throws(EnvelopeError) -> [UInt8] {
        try Envelope.open(sealed, bound: binding, with: keyring).withBytes { bytes in
            (0..<bytes.count).map { bytes[$0] }
        }
    }

    private func seal(_ seed: UInt8 = 1) throws -> (sealed: [UInt8], keyring: MasterKeyring) {
        let keyring = try Samples.keyring(seed)
        let sealed = try Envelope.seal(SecretBytes(copying: secret), bound: binding(), with: keyring.keys[0])
        return (sealed, keyring)
    }

    @Test func `opens what it sealed, in the form that is written down`() throws {
        let (sealed, keyring) = try seal()
        #expect(try opened(sealed, binding(), with: keyring) == secret)
        #expect(sealed.count == 1 + 8 + 12 + 32 + 16 + 12 + secret.count + 16)
        #expect(sealed[0] == 1)
        #expect(Array(sealed[1..<9]) == keyring.newestID)
    }

    @Test func `the name of a master key is the first bytes of its labelled digest`() throws {
        let master = [UInt8](repeating: 9, count: 32)
        #expect(
            MasterKey(master: SecretBytes(copying: master)).id
                == Array(Digest.sha256(Array("refund-desk id v1".utf8) + master).prefix(8)))
    }

    @Test func `two seals of one secret share no data key and no nonce`() throws {
        let (first, second) = (try seal().sealed, try seal().sealed)
        #expect(first[9...] != second[9...])
        #expect(first[9..<21] != second[9..<21])
        #expect(first[69..<81] != second[69..<81])
    }

    @Test func `a change of any one byte is refused`() throws {
        let (sealed, keyring) = try seal()
        for place in sealed.indices {
            var spoiled = sealed
            spoiled[place] ^= 1
            #expect(throws: EnvelopeError.self, "byte \(place)") { try opened(spoiled, binding(), with: keyring) }
        }
        for count in [0, 1, 68, 97, sealed.count - 1] {
            #expect(throws: EnvelopeError.self, "\(count) bytes") {
                try opened(Array(sealed.prefix(count)), binding(), with: keyring)
            }
        }
    }

    @Test func `another tenant, secret, kind, key ID or public point does not open it`() throws {
        let (sealed, keyring) = try seal()
        let others = [
            binding(tenant: 8), binding(id: UUID()), binding(kind: .inbox), binding(keyID: "2X9R4HXF35"),
            binding(point: 5),
        ]
        for other in others {
            #expect(throws: EnvelopeError.damaged) { try opened(sealed, other, with: keyring) }
        }
    }

    @Test func `a master key that is not in the list is named, and an older one opens`() throws {
        let (sealed, keyring) = try seal(1)
        #expect(throws: EnvelopeError.unknownMasterKey(keyring.newestID ?? [])) {
            try opened(sealed, binding(), with: Samples.keyring(2))
        }
        #expect(try opened(sealed, binding(), with: Samples.keyring(2, 1)) == secret)
    }

    @Test func `wrapping anew changes the data key's wrap alone`() throws {
        let (sealed, _) = try seal(1)
        let both = try Samples.keyring(2, 1)
        let anew = try Envelope.rewrap(sealed, bound: binding(), with: both, to: both.keys[0])
        #expect(anew[69...] == sealed[69...])
        #expect(try opened(anew, binding(), with: Samples.keyring(2)) == secret)
        #expect(throws: EnvelopeError.damaged) {
            try Envelope.rewrap(sealed, bound: binding(keyID: "2X9R4HXF35"), with: both, to: both.keys[0])
        }
    }
}

@Suite struct `Master keys` {
    private let one = Base64.encode([UInt8](repeating: 1, count: 32))
    private let two = Base64.encode([UInt8](repeating: 2, count: 32))

    private func read(_ text: String) throws(MasterKeyringError) -> MasterKeyring {
        try MasterKeyring(text: SecretBytes(copying: Array(text.utf8)))
    }

    @Test func `are read newest first, with white space around them`() throws {
        #expect(try read(" \(two) ,\n\(one)\n").ids == Samples.keyring(2, 1).ids)
        #expect(try read(one).ids == Samples.keyring(1).ids)
    }

    @Test func `are refused with their place and without their text`() {
        let table: [(String, MasterKeyringError)] = [
            ("", .empty), ("  \n", .empty), ("\(one),", .notAKey(place: 2)), (",\(one)", .notAKey(place: 1)),
            (String(one.dropLast()), .notAKey(place: 1)), (one + "=", .notAKey(place: 1)),
            (Base64.encode([UInt8](repeating: 1, count: 31)), .notAKey(place: 1)),
            (one.replacing("=", with: "!"), .notAKey(place: 1)), ("\(one),\(two),\(one)", .twice(place: 3)),
            (String(one.dropLast(2)) + "F=", .notAKey(place: 1)),
        ]
        for (text, error) in table {
            #expect(throws: error, "\(text.count) characters") { try read(text) }
            #expect(!"\(error)".contains(one.prefix(8)))
        }
    }

    @Test func `a new one is read back`() throws {
        let text = MasterKeyring.newKeyText()
        #expect(text.count == 45)
        #expect(try MasterKeyring(text: text).ids.count == 1)
        #expect(try MasterKeyring(text: text).ids != MasterKeyring(text: MasterKeyring.newKeyText()).ids)
    }
}
