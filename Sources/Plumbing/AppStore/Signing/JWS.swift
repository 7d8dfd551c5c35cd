import Crypto

/// A JSON Web Signature in compact form, taken apart and not yet believed.
package struct JWS: Sendable {
    /// `header.payload.signature`, as it came.
    package let text: [UInt8]
    private let headerEnd: Int
    private let payloadEnd: Int
    /// r ‖ s, 64 bytes.
    package let signature: [UInt8]
    /// The payload's JSON bytes.
    package let payload: [UInt8]

    /// base64url, as it came.
    package var headerText: ArraySlice<UInt8> { text[0..<headerEnd] }
    package var payloadText: ArraySlice<UInt8> { text[(headerEnd + 1)..<payloadEnd] }
    /// What the signature covers.
    package var signedText: ArraySlice<UInt8> { text[0..<payloadEnd] }

    package init(_ text: [UInt8]) throws(JWSError) {
        var dots: [Int] = []
        for (i, byte) in text.enumerated() where byte == 0x2E {
            dots.append(i)
            guard dots.count <= 2 else { break }
        }
        guard dots.count == 2 else {
            throw JWSError(.malformed, "a signed text has three parts between dots")
        }
        headerEnd = dots[0]
        payloadEnd = dots[1]
        guard let payload = Base64URL.decode(text[(headerEnd + 1)..<payloadEnd]), !payload.isEmpty else {
            throw JWSError(.malformed, "the payload is not base64url")
        }
        guard let signature = Base64URL.decode(text[(payloadEnd + 1)...]) else {
            throw JWSError(.malformed, "the signature is not base64url")
        }
        self.text = text
        self.payload = payload
        self.signature = signature
    }
}
