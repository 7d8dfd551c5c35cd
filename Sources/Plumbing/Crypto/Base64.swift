/// Standard base64 with padding (RFC 4648 section 4). Strict.
package enum Base64 {
    package static func encode(_ bytes: [UInt8]) -> String {
        var out = Base64Alphabet.standard.encode(bytes.span)
        while out.count % 4 != 0 { out.append(0x3D) }
        return String(decoding: out, as: UTF8.self)
    }

    /// nil for missing padding, white space, other characters, and tail bits that are not zero.
    package static func decode(_ text: String) -> [UInt8]? { decode(Array(text.utf8)) }

    package static func decode(_ text: [UInt8]) -> [UInt8]? { decode(text[...]) }

    package static func decode(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        guard text.count % 4 == 0 else { return nil }
        var end = text.endIndex
        while end > text.startIndex, text.endIndex - end < 2, text[end - 1] == 0x3D { end -= 1 }
        return Base64Alphabet.standard.decode(text[text.startIndex..<end].span)
    }
}
