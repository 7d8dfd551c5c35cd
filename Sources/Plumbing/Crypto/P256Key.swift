import COpenSSL

/// A private P-256 key: signs ES256. It is never printed, and wiped when dropped.
///
/// Made from its 32-byte scalar by way of OpenSSL's secure heap. A `d2i` or PEM reader leaves copies
/// of the scalar on the ordinary heap, so neither is used for it.
package struct P256Key: ~Copyable, Sendable {
    package let publicKey: P256PublicKey
    private let key: KeyHandle
    private let secret: SecretBytes

    /// - Throws: `OpenSSLError` unless the scalar has 32 bytes and lies in 1..<(order of the curve).
    package init(scalar: borrowing SecretBytes) throws(OpenSSLError) {
        guard scalar.count == 32 else {
            throw OpenSSLError(operation: "reading a private key", reason: "a P-256 scalar has 32 bytes")
        }
        let made = try Self.make(scalar)
        key = made.key
        publicKey = P256PublicKey(x963: made.point, key: made.key)
        secret = scalar.withBytes { SecretBytes(copying: $0) }
    }

    package static func generate() throws(OpenSSLError) -> P256Key {
        // A random number of 256 bits is not a scalar once in four billion times.
        for _ in 0..<4 {
            if let key = try? P256Key(scalar: .random(count: 32)) { return key }
        }
        throw OpenSSLError(operation: "generating a key", reason: "no usable random number")
    }

    /// The 32 bytes that `init(scalar:)` takes.
    package borrowing func scalar() -> SecretBytes { secret.withBytes { SecretBytes(copying: $0) } }

    /// ECDSA with SHA-256 as r ‖ s, 64 bytes always.
    package borrowing func sign(_ message: [UInt8]) throws(OpenSSLError) -> [UInt8] { try key.signES256(message) }

    private static func make(
        _ scalar: borrowing SecretBytes
    ) throws(OpenSSLError) -> (key: KeyHandle, point: [UInt8]) {
        let group = unsafe Algorithms.p256.pointer
        let number = unsafe BN_secure_new()
        let work = unsafe BN_CTX_secure_new()
        let point = unsafe EC_POINT_new(group)
        defer {
            unsafe EC_POINT_free(point)
            unsafe BN_CTX_free(work)
            unsafe BN_clear_free(number)
        }
        let isRead = unsafe scalar.withUnsafePointer { unsafe BN_bin2bn($0, 32, number) != nil }
        guard isRead else { throw .last("reading a private key") }
        guard unsafe BN_is_zero(number) == 0, unsafe BN_cmp(number, EC_GROUP_get0_order(group)) < 0 else {
            throw OpenSSLError(operation: "reading a private key", reason: "the number is outside the curve's range")
        }
        unsafe BN_set_flags(number, BN_FLG_CONSTTIME)
        var bytes = [UInt8](repeating: 0, count: 65)
        guard unsafe EC_POINT_mul(group, point, number, nil, nil, work) == 1,
            unsafe EC_POINT_point2oct(group, point, POINT_CONVERSION_UNCOMPRESSED, &bytes, bytes.count, work) == 65,
            let key = unsafe desk_ssl_p256_key(bytes, bytes.count, number)
        else { throw .last("making a private key") }
        return (unsafe KeyHandle(owning: key), bytes)
    }
}
