import COpenSSL

/// One `EVP_PKEY`. OpenSSL counts its references with atomics and never changes a made key, so
/// threads may share it.
@safe
final class KeyHandle: @unchecked Sendable {
    let pointer: OpaquePointer

    /// Takes the reference over.
    init(owning pointer: OpaquePointer) { unsafe self.pointer = pointer }

    deinit { unsafe EVP_PKEY_free(pointer) }

    /// A public key from its point; the point is checked to lie on the curve.
    static func p256(point: [UInt8]) throws(OpenSSLError) -> KeyHandle {
        SecretMemory.prepare()
        guard let key = unsafe desk_ssl_p256_key(point, point.count, nil) else { throw .last("reading a public key") }
        return unsafe KeyHandle(owning: key)
    }

    /// The uncompressed point of an elliptic-curve key.
    func point() throws(OpenSSLError) -> [UInt8] {
        var count = 0
        var out = [UInt8](repeating: 0, count: 256)
        guard
            unsafe EVP_PKEY_get_octet_string_param(
                pointer, OSSL_PKEY_PARAM_PUB_KEY, &out, out.count, &count) == 1
        else { throw .last("reading the point of a key") }
        return Array(out.prefix(count))
    }

    /// The name of the curve, such as `prime256v1`; nil for other kinds of key.
    var curve: String? {
        var name = [CChar](repeating: 0, count: 64)
        var count = 0
        guard unsafe EVP_PKEY_get_group_name(pointer, &name, name.count, &count) == 1 else {
            ERR_clear_error()
            return nil
        }
        return String(decoding: name.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// ECDSA with SHA-256 as r ‖ s, for a private P-256 key.
    func signES256(_ message: [UInt8]) throws(OpenSSLError) -> [UInt8] {
        let context = unsafe EVP_MD_CTX_new()
        defer { unsafe EVP_MD_CTX_free(context) }
        var der = [UInt8](repeating: 0, count: RawSignature.derBytesMax)
        var count = der.count
        guard unsafe EVP_DigestSignInit_ex(context, nil, "SHA256", nil, nil, pointer, nil) == 1,
            unsafe EVP_DigestSign(context, &der, &count, message, message.count) == 1
        else { throw .last("signing") }
        guard let raw = RawSignature.raw(Array(der.prefix(count))) else {
            throw OpenSSLError(operation: "signing", reason: "the signature has an unexpected form")
        }
        return raw
    }
}
