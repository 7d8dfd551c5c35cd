import COpenSSL
package import Time

/// Makes certificates: for simulators and tests, never for trust.
package struct CertificateBuilder: Sendable {
    package struct Extension: Sendable {
        package let oid: String
        /// DER; NULL is `[5, 0]`.
        package let value: [UInt8]
        package let isCritical: Bool

        package init(oid: String, value: [UInt8] = [5, 0], isCritical: Bool = false) {
            self.oid = oid
            self.value = value
            self.isCritical = isCritical
        }
    }

    package var commonName: String
    package var organization: String?
    package var notBefore: Moment
    package var notAfter: Moment
    /// A certificate that may issue others.
    package var isCA = false
    /// How many authorities may follow below, at most 127; nil for no limit.
    package var pathLength: Int?
    package var extensions: [Extension] = []
    package var ocspURL: String?
    /// May sign OCSP answers in its issuer's name.
    package var isOCSPResponder = false

    package init(commonName: String, organization: String? = nil, notBefore: Moment, notAfter: Moment) {
        self.commonName = commonName
        self.organization = organization
        self.notBefore = notBefore
        self.notAfter = notAfter
    }

    package func selfSigned(_ key: CertificateKey) throws(OpenSSLError) -> Certificate {
        try make(for: key, issuer: nil, signedWith: key)
    }

    package func issued(
        for key: CertificateKey, by issuer: Certificate, signedWith issuerKey: CertificateKey
    ) throws(OpenSSLError) -> Certificate {
        try make(for: key, issuer: issuer, signedWith: issuerKey)
    }

    private func make(
        for key: CertificateKey, issuer: Certificate?, signedWith issuerKey: CertificateKey
    ) throws(OpenSSLError) -> Certificate {
        guard let made = unsafe X509_new() else { throw .last("making a certificate") }
        let handle = unsafe CertificateHandle(owning: made)
        let serial = unsafe BN_bin2bn([0x40] + Random.bytes(15), 16, nil)
        defer { unsafe BN_free(serial) }
        guard unsafe X509_set_version(made, 2) == 1,
            unsafe BN_to_ASN1_INTEGER(serial, X509_get_serialNumber(made)) != nil,
            unsafe ASN1_TIME_set(X509_getm_notBefore(made), time_t(notBefore.seconds)) != nil,
            unsafe ASN1_TIME_set(X509_getm_notAfter(made), time_t(notAfter.seconds)) != nil,
            unsafe X509_set_pubkey(made, key.key.pointer) == 1
        else { throw .last("making a certificate") }
        let subject = unsafe X509_get_subject_name(made)
        if let organization { try unsafe add("O", organization, to: subject) }
        try unsafe add("CN", commonName, to: subject)
        let issuerName = unsafe issuer.map { unsafe X509_get_subject_name($0.handle.pointer) } ?? subject
        guard unsafe X509_set_issuer_name(made, issuerName) == 1 else { throw .last("making a certificate") }
        for item in standardExtensions(key: key, issuerKey: issuerKey) + extensions {
            try unsafe add(item, to: made)
        }
        let digest = unsafe issuerKey.curve == .p384 ? EVP_sha384() : EVP_sha256()
        guard unsafe X509_sign(made, issuerKey.key.pointer, digest) > 0 else { throw .last("signing a certificate") }
        // Read back, so that the object is exactly what its bytes say.
        return try Certificate(der: handle.der())
    }

    private func standardExtensions(key: CertificateKey, issuerKey: CertificateKey) -> [Extension] {
        var out: [Extension] = []
        var constraints: [UInt8] = []
        if isCA {
            constraints = [0x01, 0x01, 0xFF]
            if let pathLength { constraints += [0x02, 0x01, UInt8(pathLength & 0x7F)] }
        }
        out.append(Extension(oid: "2.5.29.19", value: Self.element(0x30, constraints), isCritical: true))
        // keyCertSign and cRLSign, or digitalSignature.
        let usage: [UInt8] = isCA ? [0x03, 0x02, 0x01, 0x06] : [0x03, 0x02, 0x07, 0x80]
        out.append(Extension(oid: "2.5.29.15", value: usage, isCritical: true))
        out.append(Extension(oid: "2.5.29.14", value: Self.element(0x04, key.identifier)))
        out.append(
            Extension(oid: "2.5.29.35", value: Self.element(0x30, Self.element(0x80, issuerKey.identifier))))
        if let ocspURL {
            let method: [UInt8] = [0x06, 0x08, 0x2B, 0x06, 0x01, 0x05, 0x05, 0x07, 0x30, 0x01]
            let access = Self.element(0x30, method + Self.element(0x86, Array(ocspURL.utf8)))
            out.append(Extension(oid: "1.3.6.1.5.5.7.1.1", value: Self.element(0x30, access)))
        }
        if isOCSPResponder {
            let purpose: [UInt8] = [0x06, 0x08, 0x2B, 0x06, 0x01, 0x05, 0x05, 0x07, 0x03, 0x09]
            out.append(Extension(oid: "2.5.29.37", value: Self.element(0x30, purpose)))
            out.append(Extension(oid: "1.3.6.1.5.5.7.48.1.5"))
        }
        return out
    }

    /// One DER element of at most 65,535 bytes.
    private static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        switch content.count {
        case ..<0x80: [tag, UInt8(content.count)] + content
        case ..<0x100: [tag, 0x81, UInt8(content.count)] + content
        default: [tag, 0x82, UInt8(content.count >> 8 & 0xFF), UInt8(content.count & 0xFF)] + content
        }
    }

    private func add(_ field: String, _ value: String, to name: OpaquePointer?) throws(OpenSSLError) {
        let bytes = Array(value.utf8)
        guard
            unsafe X509_NAME_add_entry_by_txt(name, field, MBSTRING_UTF8, bytes, CInt(bytes.count), -1, 0) == 1
        else { throw .last("naming a certificate") }
    }

    private func add(_ item: Extension, to certificate: OpaquePointer) throws(OpenSSLError) {
        let object = unsafe OBJ_txt2obj(item.oid, 1)
        let value = unsafe ASN1_OCTET_STRING_new()
        defer {
            unsafe ASN1_OCTET_STRING_free(value)
            unsafe ASN1_OBJECT_free(object)
        }
        guard unsafe object != nil, unsafe ASN1_OCTET_STRING_set(value, item.value, CInt(item.value.count)) == 1,
            let made = unsafe X509_EXTENSION_create_by_OBJ(nil, object, item.isCritical ? 1 : 0, value)
        else { throw .last("making an extension") }
        defer { unsafe X509_EXTENSION_free(made) }
        guard unsafe X509_add_ext(certificate, made, -1) == 1 else { throw .last("adding an extension") }
    }
}
