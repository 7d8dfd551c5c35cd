import COpenSSL

/// Why a sealed box did not open.
package enum SealedBoxError: Error, Sendable {
    /// Too short to be a box.
    case malformed
    /// Another key, another binding, or changed bytes: which of them cannot be known.
    case notAuthentic
    case openSSL(OpenSSLError)
}

/// Authenticated encryption: AES-256-GCM, as `nonce[12] ‖ ciphertext ‖ tag[16]`.
///
/// The nonce is random, so one key must not seal more than 2³² boxes; the vault makes a key per secret.
package enum SealedBox {
    package static let nonceBytes = 12
    package static let tagBytes = 16
    package static let keyBytes = 32

    /// - Parameter binding: associated data; the box opens with the same bytes only.
    package static func seal(
        _ plain: borrowing SecretBytes, key: borrowing SecretBytes, binding: [UInt8]
    ) throws(OpenSSLError) -> [UInt8] {
        try seal(plain, key: key, nonce: Random.bytes(nonceBytes), binding: binding)
    }

    static func seal(
        _ plain: borrowing SecretBytes, key: borrowing SecretBytes, nonce: [UInt8], binding: [UInt8]
    ) throws(OpenSSLError) -> [UInt8] {
        precondition(key.count == keyBytes && nonce.count == nonceBytes)
        let count = plain.count
        let context = try CipherContext()
        let box = unsafe key.withUnsafePointer { key in
            unsafe plain.withUnsafePointer { plain in
                unsafe [UInt8](unsafeUninitializedCapacity: nonceBytes + count + tagBytes) { out, filled in
                    guard let base = out.baseAddress else { return }
                    for i in 0..<nonceBytes { unsafe base[i] = nonce[i] }
                    var written: CInt = 0
                    let done =
                        unsafe EVP_EncryptInit_ex2(context.pointer, Algorithms.aes256GCM.pointer, key, base, nil) == 1
                        && EVP_EncryptUpdate(context.pointer, nil, &written, binding, CInt(binding.count)) == 1
                        && EVP_EncryptUpdate(context.pointer, base + nonceBytes, &written, plain, CInt(count)) == 1
                        && EVP_EncryptFinal_ex(context.pointer, base + nonceBytes + count, &written) == 1
                        && EVP_CIPHER_CTX_ctrl(
                            context.pointer, EVP_CTRL_AEAD_GET_TAG, CInt(tagBytes), base + nonceBytes + count) == 1
                    filled = done ? nonceBytes + count + tagBytes : 0
                }
            }
        }
        guard !box.isEmpty else { throw .last("sealing") }
        return box
    }

    package static func open(
        _ box: [UInt8], key: borrowing SecretBytes, binding: [UInt8]
    ) throws(SealedBoxError) -> SecretBytes {
        precondition(key.count == keyBytes)
        let count = box.count - nonceBytes - tagBytes
        guard count >= 0 else { throw .malformed }
        let context: CipherContext
        do { context = try CipherContext() } catch { throw .openSSL(error) }
        return try SecretBytes(count: count) { (out) throws(SealedBoxError) in
            var isAuthentic = false
            unsafe out.withUnsafeMutableBufferPointer { out in
                unsafe key.withUnsafePointer { key in
                    unsafe box.withUnsafeBufferPointer { box in
                        guard let base = box.baseAddress else { return }
                        let tag = unsafe UnsafeMutableRawPointer(mutating: base + nonceBytes + count)
                        var written: CInt = 0
                        var rest: UInt8 = 0
                        unsafe isAuthentic =
                            EVP_DecryptInit_ex2(context.pointer, Algorithms.aes256GCM.pointer, key, base, nil) == 1
                            && EVP_DecryptUpdate(context.pointer, nil, &written, binding, CInt(binding.count)) == 1
                            && EVP_DecryptUpdate(
                                context.pointer, out.baseAddress, &written, base + nonceBytes, CInt(count)) == 1
                            && EVP_CIPHER_CTX_ctrl(
                                context.pointer, EVP_CTRL_AEAD_SET_TAG, CInt(tagBytes), tag) == 1
                            && EVP_DecryptFinal_ex(context.pointer, &rest, &written) == 1
                        ERR_clear_error()
                    }
                }
            }
            guard isAuthentic else { throw .notAuthentic }
        }
    }
}

/// One `EVP_CIPHER_CTX`.
@safe
private final class CipherContext {
    let pointer: OpaquePointer

    init() throws(OpenSSLError) {
        guard let made = unsafe EVP_CIPHER_CTX_new() else { throw .last("making a cipher context") }
        unsafe pointer = made
    }

    deinit { unsafe EVP_CIPHER_CTX_free(pointer) }
}
