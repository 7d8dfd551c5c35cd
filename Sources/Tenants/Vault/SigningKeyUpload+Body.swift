import Crypto

extension SigningKeyUpload {
    /// The same for bytes that lie in a request's body.
    ///
    /// They are copied into wiped memory before anything looks at them; the body itself is given back to an
    /// allocator that wipes what it takes.
    package static func check(
        body bytes: ArraySlice<UInt8>, fileName: String?, keyID: String?, issuerID: String
    ) throws(SigningKeyUploadError) -> CheckedSigningKey {
        guard bytes.count <= fileBytesMax else { throw .tooLarge }
        return try check(file: SecretBytes(copying: bytes.span), fileName: fileName, keyID: keyID, issuerID: issuerID)
    }
}
