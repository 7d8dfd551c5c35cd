/// What is wrong with a file that should hold a private P-256 key.
package enum PrivateKeyFileError: Error, Sendable, Equatable {
    case empty
    case notPEM
    case truncated
    case encrypted
    case certificate
    case publicKey
    case rsa
    case otherCurve
    case otherKind(String)
    case unreadable
}

/// Apple's `.p8` files: PEM around an unencrypted PKCS#8 P-256 key.
package enum PrivateKeyFile {
    /// Makes no copy of the text or the scalar outside wiped memory.
    package static func p256(fromPEM bytes: borrowing SecretBytes) throws(PrivateKeyFileError) -> P256Key {
        preconditionFailure("follows")
    }
}
