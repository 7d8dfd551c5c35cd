package import Crypto
import FoundationEssentials

/// Why an uploaded key was not taken. Each says which field is wrong and what to do; never shows key text.
package enum SigningKeyUploadError: Error, Hashable, CustomStringConvertible {
    /// None was given, and the file's name is not `SubscriptionKey_<KEYID>.p8`.
    case noKeyID
    case badKeyID
    case badIssuerID
    case tooLarge
    case file(PrivateKeyFileError)
    /// It was read and its signatures do not verify: the private and public halves differ.
    case doesNotSign

    package var description: String {
        switch self {
        case .noKeyID:
            "the key ID is missing: App Store Connect shows it in the list of keys, and the file's name has it where it is still SubscriptionKey_<KEYID>.p8"
        case .badKeyID: "the key ID has ten capital letters and digits, such as 2X9R4HXF34"
        case .badIssuerID: "the issuer ID is a UUID: App Store Connect shows it above the list of keys"
        case .tooLarge: "the file is larger than any private key: choose the .p8 file that Apple let you download"
        case .file(let error): "\(error)"
        case .doesNotSign: "the key was read, and what it signs does not verify: download it anew or create another one"
        }
    }
}

/// From an uploaded `.p8` file to a key that is worth sealing: read, checked, tried. Never calls Apple.
package enum SigningKeyUpload {
    /// Bytes; a `.p8` has some 260.
    package static let fileBytesMax = PrivateKeyFile.bytesMax

    /// The key ID in the name of a file of the form that Apple gives In-App Purchase keys.
    package static func keyID(fromFileName name: String?) -> String? {
        SigningKeyFileName.read(name).flatMap { $0.kind == .inAppPurchase ? $0.keyID : nil }
    }

    /// Reads the file, and makes and verifies a test signature. Throws one error per kind of wrong file or field.
    ///
    /// - Parameters:
    ///   - fileName: as the browser sent it; tells the key ID, and whether the key is of another kind.
    ///   - keyID: as it was typed; nil or blank where the file's name is to tell.
    ///   - issuerID: as it was typed; blanks around it are ignored.
    package static func check(
        file: borrowing SecretBytes, fileName: String? = nil, keyID: String?, issuerID: String
    ) throws(SigningKeyUploadError) -> CheckedSigningKey {
        let named = SigningKeyFileName.read(fileName)
        let typed = keyID.map(trimmed).flatMap { $0.isEmpty ? nil : $0 }
        guard let keyID = typed ?? Self.keyID(fromFileName: fileName) else { throw .noKeyID }
        guard SigningKeyInfo.isKeyID(keyID) else { throw .badKeyID }
        let issuerID = trimmed(issuerID)
        guard issuerID.utf8.count == 36, let issuer = UUID(uuidString: issuerID) else { throw .badIssuerID }
        guard file.count <= fileBytesMax else { throw .tooLarge }
        let key: P256Key
        do throws(PrivateKeyFileError) {
            key = try PrivateKeyFile.p256(from: file)
        } catch {
            throw .file(error)
        }
        let message = Array("refund-desk test signature".utf8)
        guard let signature = try? key.sign(message), key.publicKey.isValidSignature(signature, for: message) else {
            throw .doesNotSign
        }
        var hints: [CheckedSigningKey.Hint] = []
        if let named {
            if named.kind == .connect { hints.append(.looksLikeConnectKey) }
            if named.keyID != keyID { hints.append(.fileNamesOtherKeyID(named.keyID)) }
        }
        return CheckedSigningKey(
            keyID: keyID, issuerID: issuer, fileName: SigningKeyFileName.clean(fileName), hints: hints, key: key)
    }

    private static func trimmed(_ text: String) -> String {
        let from = text.drop(while: \.isWhitespace)
        return String(from.reversed().drop(while: \.isWhitespace).reversed())
    }
}
