import Crypto

/// What is derived from one master key: the key that wraps data keys, and its public name.
final class MasterKey: Sendable {
    static let bytes = 32
    static let idBytes = 8

    /// The first eight bytes of SHA-256("refund-desk id v1" ‖ master): stands in the clear in each sealed form.
    let id: [UInt8]
    /// HKDF(master, "refund-desk wrap v1").
    let wrapping: SecretBytes

    init(master: borrowing SecretBytes) {
        let label = Array("refund-desk id v1".utf8)
        let named = SecretBytes(count: label.count + master.count) { out in
            for index in label.indices { out[index] = label[index] }
            master.withBytes { bytes in
                for index in 0..<bytes.count { out[label.count + index] = bytes[index] }
            }
        }
        id = Array(named.withBytes { Digest.sha256($0) }.prefix(Self.idBytes))
        wrapping = KeyDerivation.hkdfSHA256(key: master, info: Array("refund-desk wrap v1".utf8), count: 32)
    }
}
