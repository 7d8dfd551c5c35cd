import COpenSSL
package import Time

/// Why a chain of certificates does not hold.
package enum ChainError: Error, Sendable, Equatable, CustomStringConvertible {
    case expired(subject: String, notAfter: Moment)
    case notYetValid(subject: String, notBefore: Moment)
    /// It ends in none of the anchors.
    case untrusted(subject: String)
    /// A signature on a certificate does not fit its issuer's key.
    case badSignature(subject: String)
    case other(subject: String, reason: String)

    package var description: String {
        switch self {
        case .expired(let subject, let date): "the certificate \(subject) ended \(date.iso8601)"
        case .notYetValid(let subject, let date): "the certificate \(subject) starts \(date.iso8601)"
        case .untrusted(let subject): "the certificate \(subject) leads to no trusted root"
        case .badSignature(let subject): "the certificate \(subject) is not signed by its issuer"
        case .other(let subject, let reason): "the certificate \(subject): \(reason)"
        }
    }
}

/// Chains of exactly three certificates: leaf, intermediate, trusted root.
package enum CertificateChain {
    /// Verifies by RFC 5280: signatures, names, authority, path lengths, critical extensions, dates.
    ///
    /// - Parameter at: the moment at which all three must be valid.
    /// - Returns: the anchor that the chain ends in.
    @discardableResult
    package static func verify(
        leaf: Certificate, intermediate: Certificate, anchors: [Certificate], at: Moment
    ) throws(ChainError) -> Certificate {
        preconditionFailure("follows")
    }
}
