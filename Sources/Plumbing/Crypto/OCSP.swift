import COpenSSL
package import Time

/// What a responder says about a certificate.
package enum OCSPAnswer: Sendable, Equatable {
    /// - Parameter until: when newer information will be there.
    case good(until: Moment)
    case revoked(at: Moment)
    /// The responder does not know the certificate.
    case unknown
}

/// Why an answer of a responder says nothing.
package enum OCSPError: Error, Sendable, Equatable, CustomStringConvertible {
    case malformed
    /// The responder answered with an error, such as "try later".
    case refused(status: Int)
    /// Not signed by the issuer or by someone the issuer appointed.
    case notAuthentic(String)
    /// About another certificate.
    case otherCertificate
    /// Not yet, or no longer, current.
    case notCurrent

    package var description: String {
        switch self {
        case .malformed: "the responder's answer cannot be read"
        case .refused(let status): "the responder refused (status \(status))"
        case .notAuthentic(let reason): "the responder's answer is not authentic: \(reason)"
        case .otherCertificate: "the responder answered for another certificate"
        case .notCurrent: "the responder's answer is not current"
        }
    }
}

/// The Online Certificate Status Protocol (RFC 6960).
package enum OCSP {
    /// Clocks of responders may differ from ours by so much.
    private static let leeway: Duration = .minutes(5)
    /// What an answer without an end is believed for.
    private static let endless: Duration = .hours(12)

    /// The request about one certificate, in DER; without a nonce, so that responders can answer from a cache.
    package static func request(for certificate: Certificate, issuer: Certificate) throws(OpenSSLError) -> [UInt8] {
        let request = unsafe OCSP_REQUEST_new()
        defer { unsafe OCSP_REQUEST_free(request) }
        guard let id = unsafe OCSP_cert_to_id(EVP_sha1(), certificate.handle.pointer, issuer.handle.pointer)
        else { throw .last("making an OCSP request") }
        // The request owns the id from here on.
        guard unsafe OCSP_request_add0_id(request, id) != nil else {
            unsafe OCSP_CERTID_free(id)
            throw .last("making an OCSP request")
        }
        var out: UnsafeMutablePointer<UInt8>?
        let count = unsafe i2d_OCSP_REQUEST(request, &out)
        guard count > 0, let out = unsafe out else { throw .last("writing an OCSP request") }
        defer { unsafe desk_ssl_free(out) }
        return unsafe Array(UnsafeBufferPointer(start: out, count: Int(count)))
    }

    /// What a response says about the certificate, once its signature and dates hold.
    package static func check(
        response bytes: [UInt8], for certificate: Certificate, issuer: Certificate, at now: Moment
    ) throws(OCSPError) -> OCSPAnswer {
        defer { ERR_clear_error() }
        var read: OpaquePointer?
        unsafe bytes.withUnsafeBufferPointer { buffer in
            var at = buffer.baseAddress
            unsafe read = d2i_OCSP_RESPONSE(nil, &at, buffer.count)
        }
        guard let response = unsafe read else { throw .malformed }
        defer { unsafe OCSP_RESPONSE_free(response) }
        let status = unsafe OCSP_response_status(response)
        guard status == OCSP_RESPONSE_STATUS_SUCCESSFUL else { throw .refused(status: Int(status)) }
        guard let basic = unsafe OCSP_response_get1_basic(response) else { throw .malformed }
        defer { unsafe OCSP_BASICRESP_free(basic) }
        try unsafe authenticate(basic, issuer: issuer, at: now)

        guard let id = unsafe OCSP_cert_to_id(EVP_sha1(), certificate.handle.pointer, issuer.handle.pointer)
        else { throw .malformed }
        defer { unsafe OCSP_CERTID_free(id) }
        var state: CInt = -1
        var reason: CInt = 0
        var revoked: UnsafeMutablePointer<ASN1_GENERALIZEDTIME>?
        var from: UnsafeMutablePointer<ASN1_GENERALIZEDTIME>?
        var until: UnsafeMutablePointer<ASN1_GENERALIZEDTIME>?
        guard unsafe OCSP_resp_find_status(basic, id, &state, &reason, &revoked, &from, &until) == 1 else {
            throw .otherCertificate
        }
        guard let start = unsafe Certificate.moment(from) else { throw .malformed }
        let end = unsafe until == nil ? start + endless : Certificate.moment(until)
        guard let end else { throw .malformed }
        guard start - leeway <= now, now <= end + leeway else { throw .notCurrent }
        switch state {
        case V_OCSP_CERTSTATUS_GOOD: return .good(until: end)
        case V_OCSP_CERTSTATUS_REVOKED: return unsafe .revoked(at: Certificate.moment(revoked) ?? start)
        default: return .unknown
        }
    }

    private static func authenticate(
        _ basic: OpaquePointer, issuer: Certificate, at now: Moment
    ) throws(OCSPError) {
        let store = unsafe X509_STORE_new()
        let known = unsafe desk_ssl_x509_stack()
        defer {
            unsafe desk_ssl_x509_stack_free(known)
            unsafe X509_STORE_free(store)
        }
        // The issuer is the anchor here, though it is itself issued by someone.
        unsafe X509_VERIFY_PARAM_set_time(X509_STORE_get0_param(store), time_t(now.seconds))
        guard unsafe X509_STORE_add_cert(store, issuer.handle.pointer) == 1,
            unsafe X509_STORE_set_flags(store, UInt(X509_V_FLAG_PARTIAL_CHAIN)) == 1,
            unsafe desk_ssl_x509_stack_push(known, issuer.handle.pointer) > 0,
            unsafe OCSP_basic_verify(basic, known, store, 0) == 1
        else { throw .notAuthentic(OpenSSLError.last("checking an OCSP answer").reason) }
    }
}
