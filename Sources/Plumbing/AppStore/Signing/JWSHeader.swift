import Crypto

/// The header of a signed text, as far as it may be heard before the signature is checked.
struct JWSHeader: Sendable {
    /// Standard base64 of DER: leaf, intermediate, root. Exactly three.
    let certificateTexts: [[UInt8]]

    /// Characters of one certificate; Apple's have about 1,300.
    static let certificateTextMax = 8 * 1024

    /// The key ID of Xcode's own certificates.
    private static let xcodeKeyID = "Apple_Xcode_Key"

    /// - Throws: `xcodeTestData`, `headerUnreadable`, `algorithmNotAllowed`, `certificateListInvalid`.
    init(_ text: ArraySlice<UInt8>) throws(JWSError) {
        guard let bytes = Base64URL.decode(text) else {
            throw JWSError(.headerUnreadable, "the header is not base64url")
        }
        let header: JSONValue
        do { header = try JSONDocument(bytes).root } catch {
            throw JWSError(.headerUnreadable, "the header is no JSON object: \(error)")
        }
        guard header.isObject else { throw JWSError(.headerUnreadable, "the header is no JSON object") }
        let list = header["x5c"]?.elements
        if header["kid"]?.string == Self.xcodeKeyID {
            throw .xcode
        }
        // The algorithm is fixed here; the header may only agree.
        guard header["alg"]?.string == "ES256" else {
            throw JWSError(.algorithmNotAllowed, "the algorithm is not ES256")
        }
        // Extensions that must be understood, and none is (RFC 7515, section 4.1.11).
        guard header["crit"] == nil else {
            throw JWSError(.headerUnreadable, "the header demands extensions")
        }
        guard let list else {
            throw JWSError(.certificateListInvalid, "the header has no list of certificates")
        }
        guard list.count == 3 else {
            throw JWSError(.certificateListInvalid, "the header has \(list.count) certificates, not three")
        }
        var texts: [[UInt8]] = []
        for item in list {
            guard let text = item.stringBytes, !text.isEmpty, text.count <= Self.certificateTextMax else {
                throw JWSError(.certificateListInvalid, "a certificate in the header is not a text, or far too long")
            }
            texts.append(text)
        }
        certificateTexts = texts
    }
}

extension JWSError {
    static let xcode = JWSError(
        .xcodeTestData, "this is test data of Xcode or a local test, signed by its own certificate and not by Apple")
}
