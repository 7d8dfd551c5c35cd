/// Apple's `.p8` files: PEM around an unencrypted PKCS#8 P-256 key (RFC 7468, RFC 5958, RFC 5915).
///
/// What a clipboard, a secret store or an editor did to one is undone before it is read (`PastedText`). Between the
/// bytes that come in and the key that goes out every copy lies in memory that is wiped.
package enum PrivateKeyFile {
    /// Bytes; a .p8 file has about 260, a thousand in UTF-16 or base64 of it.
    package static let bytesMax = 16 * 1024
    /// Base64 of base64 of a file is as far as a key travels.
    private static let wrappingsMax = 2

    /// Reads a private key from a `.p8` file, or from what became of it on its way.
    ///
    /// Taken as well: SEC1 (`EC PRIVATE KEY`), base64 of the whole file, the body without its marker lines, plain DER.
    package static func p256(from file: borrowing SecretBytes) throws(PrivateKeyFileError) -> P256Key {
        try key(in: file, wrappings: 0)
    }

    private static func key(
        in file: borrowing SecretBytes, wrappings: Int
    ) throws(PrivateKeyFileError) -> P256Key {
        guard file.count <= bytesMax else { throw .notPEM }
        if file.withBytes({ PrivateKeyDER.looksLikeDER($0) }) {
            return try file.withBytes { (bytes) throws(PrivateKeyFileError) in try key(der: bytes, elseIs: .notPEM) }
        }
        let text = file.withBytes { PastedText.significant($0) }
        guard text.count > 0 else { throw .empty }
        switch try text.withBytes({ (bytes) throws(PrivateKeyFileError) in try PastedText.part(of: bytes) }) {
        case .block(let body, let isEnded):
            let der = try text.withBytes { (bytes) throws(PrivateKeyFileError) in
                try decoded(bytes, body, elseIs: isEnded ? .unreadable : .truncated)
            }
            guard der.count > 0 else { throw .truncated }
            return try der.withBytes { (bytes) throws(PrivateKeyFileError) in
                try key(der: bytes, elseIs: isEnded ? .unreadable : .truncated)
            }
        case .bare(let body):
            let inner = try text.withBytes { (bytes) throws(PrivateKeyFileError) in
                try decoded(bytes, body, elseIs: .notPEM)
            }
            if inner.withBytes({ PrivateKeyDER.looksLikeDER($0) }) {
                return try inner.withBytes { (bytes) throws(PrivateKeyFileError) in
                    try key(der: bytes, elseIs: .notPEM)
                }
            }
            guard wrappings < wrappingsMax, inner.count > 0 else { throw .notPEM }
            return try key(in: inner, wrappings: wrappings + 1)
        }
    }

    private static func key(
        der bytes: borrowing Span<UInt8>, elseIs malformed: PrivateKeyFileError
    ) throws(PrivateKeyFileError) -> P256Key {
        do {
            return try PrivateKeyDER.key(bytes)
        } catch {
            switch error {
            case .format(.truncated): throw .truncated
            case .format(.malformed): throw malformed
            case .file(let error): throw error
            }
        }
    }

    /// Bytes of base64 in either alphabet. A last group that is incomplete is left out: the DER tells what is missing.
    private static func decoded(
        _ text: borrowing Span<UInt8>, _ range: Range<Int>, elseIs failure: PrivateKeyFileError
    ) throws(PrivateKeyFileError) -> SecretBytes {
        var end = range.upperBound
        while end > range.lowerBound, text[end - 1] == UInt8(ascii: "=") { end -= 1 }
        let count = end - range.lowerBound
        let table = Base64Alphabet.standard.values
        return try SecretBytes(count: count / 4 * 3 + [0, 0, 1, 2][count % 4]) { (out) throws(PrivateKeyFileError) in
            var (bits, width, at) = (UInt32(0), 0, 0)
            for i in range.lowerBound..<end {
                let character: UInt8 =
                    switch text[i] {
                    case UInt8(ascii: "-"): UInt8(ascii: "+")
                    case UInt8(ascii: "_"): UInt8(ascii: "/")
                    default: text[i]
                    }
                let six = table[Int(character)]
                guard six < 64 else { throw failure }
                bits = bits << 6 | UInt32(six)
                width += 6
                guard width >= 8 else { continue }
                width -= 8
                out[at] = UInt8(truncatingIfNeeded: bits >> UInt32(width))
                at += 1
            }
        }
    }

    /// The key as Apple's files have it, for those who hand out keys: simulators and tests.
    package static func pem(of key: borrowing P256Key) -> SecretBytes {
        let der = PrivateKeyDER.pkcs8(of: key)
        let begin = Array("-----BEGIN PRIVATE KEY-----\n".utf8)
        let end = Array("-----END PRIVATE KEY-----\n".utf8)
        let alphabet = Base64Alphabet.standard.characters
        let characters = (der.count + 2) / 3 * 4
        return SecretBytes(count: begin.count + characters + (characters + 63) / 64 + end.count) { out in
            var at = 0
            for byte in begin { out[at] = byte; at += 1 }
            der.withBytes { bytes in
                for i in 0..<characters {
                    let group = i / 4 * 3
                    var word: UInt32 = 0
                    for k in 0..<3 { word = word << 8 | (group + k < bytes.count ? UInt32(bytes[group + k]) : 0) }
                    let isPadding = i % 4 > 1 && group + i % 4 - 1 >= bytes.count
                    out[at] = isPadding ? UInt8(ascii: "=") : alphabet[Int(word >> UInt32(18 - 6 * (i % 4)) & 63)]
                    at += 1
                    if i % 64 == 63 || i == characters - 1 { out[at] = 0x0A; at += 1 }
                }
            }
            for byte in end { out[at] = byte; at += 1 }
        }
    }
}
