/// base64url without padding (RFC 4648 section 5), as JSON Web Signatures have it. Strict.
package enum Base64URL {
    package static func encode(_ bytes: [UInt8]) -> String { String(decoding: encodedBytes(bytes), as: UTF8.self) }

    package static func encode(_ bytes: ArraySlice<UInt8>) -> String {
        String(decoding: Base64Alphabet.url.encode(bytes.span), as: UTF8.self)
    }

    /// The same as ASCII bytes.
    package static func encodedBytes(_ bytes: [UInt8]) -> [UInt8] { Base64Alphabet.url.encode(bytes.span) }

    /// nil for padding, other characters, impossible lengths, and tail bits that are not zero.
    package static func decode(_ text: String) -> [UInt8]? { decode(Array(text.utf8)) }
    package static func decode(_ text: [UInt8]) -> [UInt8]? { Base64Alphabet.url.decode(text.span) }
    package static func decode(_ text: ArraySlice<UInt8>) -> [UInt8]? { Base64Alphabet.url.decode(text.span) }
}
