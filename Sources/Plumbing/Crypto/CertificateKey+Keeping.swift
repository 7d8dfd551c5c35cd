import COpenSSL

// A certificate's key pair in a file: for an authority that is to be the same one after a new start.
extension CertificateKey {
    /// The private key as ECPrivateKey (RFC 5915) in DER. Not kept from sight: these keys certify nothing real.
    package func privateDER() throws(OpenSSLError) -> [UInt8] {
        let count = unsafe i2d_PrivateKey(key.pointer, nil)
        guard count > 0 else { throw .last("writing a key") }
        var der = [UInt8](repeating: 0, count: Int(count))
        let written = unsafe der.withUnsafeMutableBufferPointer { buffer in
            var at = buffer.baseAddress
            return unsafe i2d_PrivateKey(key.pointer, &at)
        }
        guard written == count else { throw .last("writing a key") }
        return der
    }

    /// Reads what `privateDER` wrote.
    package convenience init(privateDER der: [UInt8]) throws(OpenSSLError) {
        SecretMemory.prepare()
        let made = unsafe der.withUnsafeBufferPointer { buffer in
            var at = buffer.baseAddress
            return unsafe d2i_AutoPrivateKey(nil, &at, buffer.count)
        }
        guard let made = unsafe made else { throw .last("reading a key") }
        let handle = unsafe KeyHandle(owning: made)
        let curve: Curve
        switch handle.curve {
        case "prime256v1", "P-256": curve = .p256
        case "secp384r1", "P-384": curve = .p384
        default: throw OpenSSLError(operation: "reading a key", reason: "the curve is another one")
        }
        try self.init(curve: curve, key: handle)
    }
}
