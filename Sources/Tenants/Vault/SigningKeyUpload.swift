package import Crypto
package import FoundationEssentials

/// Why an uploaded key was not taken. Each says which field is wrong and what to do; never shows key text.
package enum SigningKeyUploadError: Error, CustomStringConvertible {
    case badKeyID
    case badIssuerID
    case tooLarge
    case file(PrivateKeyFileError)
    /// It was read and its signatures do not verify: the private and public halves differ.
    case doesNotSign

    package var description: String {
        switch self {
        case .badKeyID: "the key ID has ten capital letters and digits, such as 2X9R4HXF34"
        case .badIssuerID: "the issuer ID is a UUID: App Store Connect shows it above the list of keys"
        case .tooLarge: "the file is larger than any private key: choose the .p8 file that Apple let you download"
        case .file(let error): "\(error)"
        case .doesNotSign: "the key was read, and what it signs does not verify: download it anew or create another one"
        }
    }
}

/// An uploaded key that was read, and whose test signature verified.
package struct CheckedSigningKey: ~Copyable, Sendable {
    package let keyID: String
    package let issuerID: UUID
    private let key: P256Key

    init(keyID: String, issuerID: UUID, key: consuming P256Key) {
        self.keyID = keyID
        self.issuerID = issuerID
        self.key = key
    }

    package var fingerprint: String { key.publicKey.fingerprint }
    var publicPoint: [UInt8] { key.publicKey.x963 }
    func scalar() -> SecretBytes { key.scalar() }
}

/// From an uploaded `.p8` file to a key that is worth sealing: read, checked, tried. Never calls Apple.
package enum SigningKeyUpload {
    /// Bytes; a `.p8` has some 260.
    package static let fileBytesMax = 16 * 1024

    /// Throws one error per kind of wrong file or field.
    package static func check(
        _ file: borrowing SecretBytes, keyID: String, issuerID: String
    ) throws(SigningKeyUploadError) -> CheckedSigningKey {
        guard SigningKeyInfo.isKeyID(keyID) else { throw .badKeyID }
        guard issuerID.utf8.count == 36, let issuer = UUID(uuidString: issuerID) else { throw .badIssuerID }
        guard file.count <= fileBytesMax else { throw .tooLarge }
        let key: P256Key
        do throws(PrivateKeyFileError) {
            key = try PrivateKeyFile.p256(fromPEM: file)
        } catch {
            throw .file(error)
        }
        let message = Array("refund-desk test signature".utf8)
        guard let signature = try? key.sign(message), key.publicKey.isValidSignature(signature, for: message) else {
            throw .doesNotSign
        }
        return CheckedSigningKey(keyID: keyID, issuerID: issuer, key: key)
    }
}
