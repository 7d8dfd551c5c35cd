import COpenSSL
import Glibc
package import Time

/// An X.509 certificate that was read, and not yet believed.
package struct Certificate: Sendable, Equatable {
    package let der: [UInt8]
    /// Most specific part first, such as `CN=…,OU=…,O=…`.
    package let subject: String
    package let issuer: String
    package let notBefore: Moment
    /// The last moment at which it is valid.
    package let notAfter: Moment
    /// By its extensions, allowed to issue certificates.
    package let isCA: Bool
    /// nil for other kinds of key.
    package let publicKey: P256PublicKey?
    /// Where its revocation is asked for.
    package let ocspURL: String?
    let handle: CertificateHandle

    /// SHA-256 of the DER form.
    package var sha256: [UInt8] { Digest.sha256(der) }

    /// - Throws: `OpenSSLError` for anything but one whole certificate.
    package init(der bytes: [UInt8]) throws(OpenSSLError) {
        SecretMemory.prepare()
        var made: OpaquePointer?
        var read = 0
        unsafe bytes.withUnsafeBufferPointer { buffer in
            var at = buffer.baseAddress
            unsafe made = d2i_X509(nil, &at, buffer.count)
            if unsafe made != nil, let base = buffer.baseAddress, let at = unsafe at { unsafe read = at - base }
        }
        guard let pointer = unsafe made else { throw .last("reading a certificate") }
        let handle = unsafe CertificateHandle(owning: pointer)
        guard read == bytes.count else {
            throw OpenSSLError(operation: "reading a certificate", reason: "bytes follow it")
        }
        try self.init(handle, der: bytes)
    }

    init(_ handle: CertificateHandle, der: [UInt8]) throws(OpenSSLError) {
        self.handle = handle
        self.der = der
        unsafe subject = handle.name(X509_get_subject_name(handle.pointer))
        unsafe issuer = handle.name(X509_get_issuer_name(handle.pointer))
        guard let start = unsafe Self.moment(X509_get0_notBefore(handle.pointer)),
            let end = unsafe Self.moment(X509_get0_notAfter(handle.pointer))
        else { throw .last("reading a certificate's dates") }
        notBefore = start
        notAfter = end
        isCA = unsafe X509_check_ca(handle.pointer) == 1
        var point: P256PublicKey?
        if let key = unsafe X509_get_pubkey(handle.pointer) {
            let key = unsafe KeyHandle(owning: key)
            if key.curve == "prime256v1", let bytes = try? key.point(), bytes.count == 65 {
                point = P256PublicKey(x963: bytes, key: key)
            }
        }
        publicKey = point
        ocspURL = handle.ocspURL
        ERR_clear_error()
    }

    /// - Parameter oid: dotted numbers.
    package func hasExtension(_ oid: String) -> Bool {
        guard let object = unsafe OBJ_txt2obj(oid, 1) else { return false }
        defer { unsafe ASN1_OBJECT_free(object) }
        return unsafe X509_get_ext_by_OBJ(handle.pointer, object, -1) >= 0
    }

    package static func == (a: Certificate, b: Certificate) -> Bool { a.der == b.der }

    static func moment(_ time: UnsafePointer<ASN1_TIME>?) -> Moment? {
        var fields = unsafe tm()
        guard unsafe ASN1_TIME_to_tm(time, &fields) == 1 else { return nil }
        return unsafe Moment(seconds: Int64(timegm(&fields)))
    }
}

/// One `X509`. OpenSSL counts its references with atomics and caches its extensions under a lock.
@safe
final class CertificateHandle: @unchecked Sendable {
    let pointer: OpaquePointer

    init(owning pointer: OpaquePointer) { unsafe self.pointer = pointer }

    deinit { unsafe X509_free(pointer) }

    func name(_ name: OpaquePointer?) -> String {
        let out = unsafe BIO_new(BIO_s_mem())
        defer { unsafe BIO_free(out) }
        guard unsafe desk_ssl_name_print(out, name) >= 0 else { return "?" }
        var start: UnsafeMutablePointer<CChar>?
        let count = unsafe desk_ssl_bio_data(out, &start)
        guard let start = unsafe start, count > 0 else { return "" }
        let bytes = unsafe UnsafeRawBufferPointer(start: start, count: count)
        return unsafe String(decoding: bytes, as: UTF8.self)
    }

    var ocspURL: String? {
        guard let text = unsafe desk_ssl_ocsp_url(pointer) else { return nil }
        defer { unsafe desk_ssl_free(text) }
        return unsafe String(cString: text)
    }

    func der() throws(OpenSSLError) -> [UInt8] {
        var out: UnsafeMutablePointer<UInt8>?
        let count = unsafe i2d_X509(pointer, &out)
        guard count > 0, let out = unsafe out else { throw .last("writing a certificate") }
        defer { unsafe desk_ssl_free(out) }
        return unsafe Array(UnsafeBufferPointer(start: out, count: Int(count)))
    }
}
