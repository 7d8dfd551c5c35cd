/// What an authenticator signs: which site it was asked by, whether its owner was there, and a new key where one was made.
///
/// Source: Web Authentication Level 2, section 6.1.
struct AuthenticatorData {
    struct Credential {
        let id: [UInt8]
        let key: SignaturePublicKey
    }

    let relyingPartyHash: [UInt8]
    let isUserPresent: Bool
    let isUserVerified: Bool
    let signCount: UInt32
    /// Nil where no key was made.
    let credential: Credential?

    static let credentialBytesMax = 1023

    init(_ bytes: [UInt8]) throws(WebAuthnError) {
        guard bytes.count >= 37 else { throw .malformed }
        relyingPartyHash = Array(bytes[..<32])
        let flags = bytes[32]
        isUserPresent = flags & 0x01 != 0
        isUserVerified = flags & 0x04 != 0
        signCount = bytes[33..<37].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        var end = 37
        if flags & 0x40 != 0 {
            guard bytes.count >= end + 18 else { throw .malformed }
            let count = Int(bytes[end + 16]) << 8 | Int(bytes[end + 17])
            let start = end + 18
            guard (1...Self.credentialBytesMax).contains(count), bytes.count >= start + count else { throw .malformed }
            var reader = CBORReader(bytes, at: start + count)
            guard let cose = try? reader.value() else { throw .malformed }
            credential = Credential(id: Array(bytes[start..<start + count]), key: try Self.key(cose))
            end = reader.position
        } else {
            credential = nil
        }
        if flags & 0x80 != 0 {
            // What extensions say is read so that nothing can hide behind it, and not used.
            var reader = CBORReader(bytes, at: end)
            guard case .map? = try? reader.value() else { throw .malformed }
            end = reader.position
        }
        guard end == bytes.count else { throw .malformed }
    }

    /// A COSE key (RFC 9052, section 7): of the kind that its algorithm needs.
    private static func key(_ cose: CBORReader.Value) throws(WebAuthnError) -> SignaturePublicKey {
        guard let number = cose[3]?.integer,
            let algorithm = SignaturePublicKey.Algorithm.allCases.first(where: { Int64($0.rawValue) == number })
        else { throw .algorithm }
        do throws(SignaturePublicKey.Failure) {
            switch algorithm {
            case .es256:
                guard cose[1]?.integer == 2, cose[-1]?.integer == 1, let x = cose[-2]?.bytes, let y = cose[-3]?.bytes
                else { throw SignaturePublicKey.Failure.unsuitable }
                return try .es256(x: x, y: y)
            case .rs256:
                guard cose[1]?.integer == 3, let modulus = cose[-1]?.bytes, let exponent = cose[-2]?.bytes else {
                    throw SignaturePublicKey.Failure.unsuitable
                }
                return try .rs256(modulus: modulus, exponent: exponent)
            }
        } catch {
            throw .key
        }
    }
}
