import Crypto

/// A JSON Web Signature in compact form, taken apart and not yet believed.
package struct JWS: Sendable {
    /// `header.payload.signature`, as it came.
    package let text: [UInt8]
    private let headerEnd: Int
    private let payloadEnd: Int
    /// r ‖ s; 64 bytes in a sound one.
    package let signature: [UInt8]
    /// The payload's JSON bytes.
    package let payload: [UInt8]

    /// base64url, as it came.
    package var headerText: ArraySlice<UInt8> { text[0..<headerEnd] }
    package var payloadText: ArraySlice<UInt8> { text[(headerEnd + 1)..<payloadEnd] }
    /// What the signature covers.
    package var signedText: ArraySlice<UInt8> { text[0..<payloadEnd] }

    package init(_ text: [UInt8]) throws(JWSError) {
        // A further dot would stand in the payload, where the alphabet has none.
        guard let headerEnd = text.firstIndex(of: 0x2E), let payloadEnd = text.lastIndex(of: 0x2E),
            headerEnd < payloadEnd
        else { throw JWSError(.malformed, "a signed text has three parts with dots between them") }
        guard let payload = Base64URL.decode(text[(headerEnd + 1)..<payloadEnd]), !payload.isEmpty else {
            throw JWSError(.malformed, "the payload is not base64url")
        }
        guard let signature = Base64URL.decode(text[(payloadEnd + 1)...]) else {
            throw JWSError(.malformed, "the signature is not base64url")
        }
        self.text = text
        self.headerEnd = headerEnd
        self.payloadEnd = payloadEnd
        self.payload = payload
        self.signature = signature
    }
}
