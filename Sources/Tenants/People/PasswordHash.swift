import Crypto

/// A password as it is stored: scrypt with a salt of its own, and the costs it was made with.
///
/// Text of the form `scrypt$32768$8$1$salt$hash`, both in base64url.
struct PasswordHash: Hashable, Sendable {
    static let costN: UInt64 = 32768
    private static let saltBytes = 16
    private static let hashBytes = 32

    let n: UInt64
    let r: UInt64
    let p: UInt64
    let salt: [UInt8]
    let hash: [UInt8]

    /// Blocks for some 110 ms: never on a loop.
    static func make(_ password: [UInt8]) throws(OpenSSLError) -> PasswordHash {
        let salt = Random.bytes(saltBytes)
        return PasswordHash(
            n: costN, r: 8, p: 1, salt: salt,
            hash: try KeyDerivation.scrypt(password: password, salt: salt, n: costN, r: 8, p: 1, count: hashBytes))
    }

    /// Blocks for some 110 ms: never on a loop.
    func matches(_ password: [UInt8]) throws(OpenSSLError) -> Bool {
        ConstantTime.equal(
            try KeyDerivation.scrypt(password: password, salt: salt, n: n, r: r, p: p, count: hash.count), hash)
    }

    /// What a stranger's password is compared with, so that "nobody of that name" takes as long as "wrong password".
    static let nobody = PasswordHash(
        n: costN, r: 8, p: 1, salt: [UInt8](repeating: 0x4E, count: saltBytes),
        hash: [UInt8](repeating: 0, count: hashBytes))

    var text: String { "scrypt$\(n)$\(r)$\(p)$\(Base64URL.encode(salt))$\(Base64URL.encode(hash))" }

    private init(n: UInt64, r: UInt64, p: UInt64, salt: [UInt8], hash: [UInt8]) {
        (self.n, self.r, self.p, self.salt, self.hash) = (n, r, p, salt, hash)
    }

    /// Nil for another form, and for costs that would let a row of the database stop the service.
    init?(text: String) {
        let parts = text.split(separator: "$", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 6, parts[0] == "scrypt", let n = UInt64(parts[1]), let r = UInt64(parts[2]),
            let p = UInt64(parts[3]),
            (16384...131_072).contains(n), n & (n - 1) == 0, (1...16).contains(r), (1...4).contains(p),
            let salt = Base64URL.decode(parts[4]), salt.count >= Self.saltBytes,
            let hash = Base64URL.decode(parts[5]), hash.count == Self.hashBytes
        else { return nil }
        self.init(n: n, r: r, p: p, salt: salt, hash: hash)
    }
}
