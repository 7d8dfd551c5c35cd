import COpenSSL
package import Time

/// Answers OCSP requests: for simulators and tests.
package struct OCSPResponder: Sendable {
    package enum Status: Sendable {
        case good
        case revoked(at: Moment)
        case unknown
    }

    /// The issuer itself, or a responder that it appointed.
    package let certificate: Certificate
    package let key: CertificateKey

    package init(certificate: Certificate, key: CertificateKey) {
        self.certificate = certificate
        self.key = key
    }

    /// The signed answer to a request, the same status for each certificate it asks about.
    package func answer(
        _ request: [UInt8], _ status: Status, from: Moment, until: Moment?
    ) throws(OpenSSLError) -> [UInt8] {
        var read: OpaquePointer?
        unsafe request.withUnsafeBufferPointer { buffer in
            var at = buffer.baseAddress
            unsafe read = d2i_OCSP_REQUEST(nil, &at, buffer.count)
        }
        guard let asked = unsafe read else { throw .last("reading an OCSP request") }
        let basic = unsafe OCSP_BASICRESP_new()
        let start = unsafe ASN1_GENERALIZEDTIME_set(nil, time_t(from.seconds))
        let end = unsafe until.flatMap { unsafe ASN1_GENERALIZEDTIME_set(nil, time_t($0.seconds)) }
        var revoked: UnsafeMutablePointer<ASN1_GENERALIZEDTIME>?
        var code = V_OCSP_CERTSTATUS_UNKNOWN
        switch status {
        case .good: code = V_OCSP_CERTSTATUS_GOOD
        case .revoked(let moment):
            code = V_OCSP_CERTSTATUS_REVOKED
            unsafe revoked = ASN1_GENERALIZEDTIME_set(nil, time_t(moment.seconds))
        case .unknown: break
        }
        defer {
            unsafe ASN1_GENERALIZEDTIME_free(start)
            unsafe ASN1_GENERALIZEDTIME_free(end)
            unsafe ASN1_GENERALIZEDTIME_free(revoked)
            unsafe OCSP_BASICRESP_free(basic)
            unsafe OCSP_REQUEST_free(asked)
        }
        for i in 0..<(unsafe OCSP_request_onereq_count(asked)) {
            let id = unsafe OCSP_onereq_get0_id(OCSP_request_onereq_get0(asked, i))
            guard unsafe OCSP_basic_add1_status(basic, id, code, 0, revoked, start, end) != nil else {
                throw .last("answering an OCSP request")
            }
        }
        guard
            unsafe OCSP_basic_sign(basic, certificate.handle.pointer, key.key.pointer, EVP_sha256(), nil, 0) == 1,
            let response = unsafe OCSP_response_create(OCSP_RESPONSE_STATUS_SUCCESSFUL, basic)
        else { throw .last("signing an OCSP answer") }
        defer { unsafe OCSP_RESPONSE_free(response) }
        var out: UnsafeMutablePointer<UInt8>?
        let count = unsafe i2d_OCSP_RESPONSE(response, &out)
        guard count > 0, let out = unsafe out else { throw .last("writing an OCSP answer") }
        defer { unsafe desk_ssl_free(out) }
        return unsafe Array(UnsafeBufferPointer(start: out, count: Int(count)))
    }
}
