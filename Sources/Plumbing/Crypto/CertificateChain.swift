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
    /// 112 bits: no SHA-1, no RSA key under 2048 bits.
    private static let securityLevel: CInt = 2

    /// Verifies by RFC 5280: signatures, names, authority, path lengths, critical extensions, dates.
    ///
    /// - Parameter at: the moment at which all three must be valid.
    /// - Returns: the anchor that the chain ends in.
    @discardableResult
    package static func verify(
        leaf: Certificate, intermediate: Certificate, anchors: [Certificate], at moment: Moment
    ) throws(ChainError) -> Certificate {
        let store = unsafe X509_STORE_new()
        let untrusted = unsafe desk_ssl_x509_stack()
        let context = unsafe X509_STORE_CTX_new()
        defer {
            unsafe X509_STORE_CTX_free(context)
            unsafe desk_ssl_x509_stack_free(untrusted)
            unsafe X509_STORE_free(store)
            ERR_clear_error()
        }
        for anchor in anchors {
            guard unsafe X509_STORE_add_cert(store, anchor.handle.pointer) == 1 else {
                throw .other(subject: anchor.subject, reason: "\(OpenSSLError.last("adding an anchor"))")
            }
        }
        guard unsafe desk_ssl_x509_stack_push(untrusted, intermediate.handle.pointer) > 0,
            unsafe X509_STORE_CTX_init(context, store, leaf.handle.pointer, untrusted) == 1
        else { throw .other(subject: leaf.subject, reason: "\(OpenSSLError.last("preparing a chain"))") }
        let parameters = unsafe X509_STORE_CTX_get0_param(context)
        unsafe X509_VERIFY_PARAM_set_time(parameters, time_t(moment.seconds))
        unsafe X509_VERIFY_PARAM_set_auth_level(parameters, securityLevel)
        if unsafe X509_verify_cert(context) != 1 {
            throw unsafe failure(context, leaf: leaf, intermediate: intermediate)
        }
        guard let chain = unsafe X509_STORE_CTX_get0_chain(context),
            unsafe desk_ssl_x509_stack_count(chain) == 3,
            unsafe X509_cmp(desk_ssl_x509_stack_value(chain, 1), intermediate.handle.pointer) == 0,
            let root = anchors.first(where: {
                unsafe X509_cmp(desk_ssl_x509_stack_value(chain, 2), $0.handle.pointer) == 0
            })
        else { throw .other(subject: leaf.subject, reason: "the chain does not have three certificates") }
        return root
    }

    private static func failure(
        _ context: OpaquePointer?, leaf: Certificate, intermediate: Certificate
    ) -> ChainError {
        let code = unsafe X509_STORE_CTX_get_error(context)
        let subject: String
        var dates: (start: Moment?, end: Moment?) = (nil, nil)
        if let certificate = unsafe X509_STORE_CTX_get_current_cert(context) {
            unsafe subject = leaf.handle.name(X509_get_subject_name(certificate))
            unsafe dates.start = Certificate.moment(X509_get0_notBefore(certificate))
            unsafe dates.end = Certificate.moment(X509_get0_notAfter(certificate))
        } else {
            subject = leaf.subject
        }
        switch code {
        case X509_V_ERR_CERT_HAS_EXPIRED:
            return .expired(subject: subject, notAfter: dates.end ?? leaf.notAfter)
        case X509_V_ERR_CERT_NOT_YET_VALID:
            return .notYetValid(subject: subject, notBefore: dates.start ?? leaf.notBefore)
        case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
            X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT, X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN,
            X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE, X509_V_ERR_CERT_UNTRUSTED:
            return .untrusted(subject: subject)
        case X509_V_ERR_CERT_SIGNATURE_FAILURE:
            return .badSignature(subject: subject)
        default:
            let reason = unsafe String(cString: X509_verify_cert_error_string(Int(code)))
            return .other(subject: subject, reason: reason)
        }
    }
}
