/// What is wrong with the other side's certificate or handshake.
package enum TLSFault: String, Sendable, Equatable, CaseIterable {
    case selfSigned, unknownIssuer, wrongHost, expired, notYetValid, revoked
    /// The certificate was refused for another reason.
    case refused
    /// No certificate was judged: no common version or cipher, or no TLS at all on that port.
    case handshake
    /// Our own file of trusted roots cannot be read.
    case trustFile

    /// - Parameters:
    ///   - verifyResult: OpenSSL's `X509_V_ERR_…` number; 0 when its own chain check was content.
    ///   - text: libcurl's message, the only place where it tells a wrong host name.
    init(verifyResult: Int, text: String) {
        self =
            switch verifyResult {
            case 18: .selfSigned
            case 2, 19, 20, 21: .unknownIssuer
            case 9: .notYetValid
            case 10: .expired
            case 23: .revoked
            case 62, 64: .wrongHost
            default: text.contains("subject name") || text.contains("subjectAltName") ? .wrongHost : .refused
            }
    }

    var words: String {
        switch self {
        case .selfSigned: "its certificate is self-signed"
        case .unknownIssuer: "its certificate was issued by nobody we trust"
        case .wrongHost: "its certificate is for another host name"
        case .expired: "its certificate has expired"
        case .notYetValid: "its certificate is not valid yet"
        case .revoked: "its certificate has been revoked"
        case .refused: "its certificate was refused"
        case .handshake: "no secure connection could be agreed on"
        case .trustFile: "our file of trusted certificates cannot be read"
        }
    }
}
