/// What is wrong with a file that should hold a private P-256 key: one case for each kind of thing it is instead.
///
/// The texts never repeat anything that stood in the file.
package enum PrivateKeyFileError: Error, Sendable, Hashable, CustomStringConvertible {
    case empty
    case notPEM
    case json
    case truncated
    case encrypted
    case certificate
    case publicKey
    case rsa
    case otherCurve
    /// The name of the kind, one of our own words.
    case otherKind(String)
    /// The public key in the file does not belong to the private one.
    case mismatch
    case unreadable

    package var description: String {
        switch self {
        case .empty: "the file is empty: choose the .p8 file that App Store Connect let you download once"
        case .notPEM:
            "this is not a .p8 file: it neither has the line -----BEGIN PRIVATE KEY----- nor is it the body of one"
        case .json:
            "this is a JSON file without a private key in it: choose the .p8 file that App Store Connect let you download"
        case .truncated: "the key is cut off: part of the file is missing. Copy the whole of it, both marker lines too"
        case .encrypted:
            "the key is protected by a password; Apple's .p8 files are not. Choose the file as it was downloaded"
        case .certificate: "this is a certificate, not a private key: choose the .p8 file of an In-App Purchase key"
        case .publicKey: "this is a public key, not a private one: choose the .p8 file of an In-App Purchase key"
        case .rsa: "this is an RSA key; Apple's In-App Purchase keys are P-256 elliptic-curve keys"
        case .otherCurve:
            "this key is on another elliptic curve than P-256, which all In-App Purchase keys are on: it is not from Apple"
        case .otherKind(let name): "this is another kind of file (\(name)), not a P-256 private key"
        case .mismatch:
            "the public key in the file does not belong to the private key: it was changed or put together from two files"
        case .unreadable:
            "the text between the two marker lines was changed and cannot be read: download or copy the file anew"
        }
    }
}
