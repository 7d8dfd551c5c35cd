/// What is left of a `.p8` file after a clipboard, an editor or a secret store had it.
///
/// Of the text only what counts is kept: base64, dashes and the letters of the marker lines. Line breaks of any form
/// (real, doubled, or written as `\n`, `\\r\\n`, `\u000a`, `%0A`), blanks of any script, quotes, byte-order marks and
/// commas go; dashes that a word processor made long become plain ones. UTF-8 and UTF-16 are read.
enum PastedText {
    /// Stands for any character that a key file never has.
    private static let foreign: UInt8 = 0xFF

    /// The characters that count, in wiped memory.
    static func significant(_ bytes: borrowing Span<UInt8>) -> SecretBytes {
        var count = 0
        // A long dash becomes two: more than a character is never made of two bytes.
        let whole = SecretBytes(count: bytes.count) { out in
            var scalars = Scalars(bytes)
            while let scalar = scalars.next(bytes) {
                let isEscaped = scalar == 0x5C
                let meant = isEscaped ? scalars.escaped(bytes) : scalar == 0x25 ? scalars.percent(bytes) : scalar
                guard let meant, let byte = byte(meant) else { continue }
                out[count] = byte
                count += 1
            }
        }
        return whole.withBytes { SecretBytes(copying: $0.extracting(0..<count)) }
    }

    /// Nil for what is only between the characters.
    private static func byte(_ scalar: UInt32) -> UInt8? {
        switch scalar {
        case 0...0x20, 0x7F: nil
        // Quotes, commas, and the acute accent that some keyboards write for a quote.
        case 0x22, 0x27, 0x60, 0x2C, 0x3B, 0xB4: nil
        case 0x21..<0x7F: UInt8(scalar)
        // Blanks, marks without width, line and paragraph separators.
        case 0x85, 0xA0, 0xAD, 0x1680, 0x180E, 0x2000...0x200F, 0x2028...0x202F, 0x205F...0x206F, 0x3000, 0xFEFF: nil
        case 0x2010...0x2015, 0x2212, 0xFE58, 0xFE63, 0xFF0D: UInt8(ascii: "-")
        case 0x2018...0x201F, 0xAB, 0xBB: nil
        default: foreign
        }
    }

    // MARK: what is in it

    enum Part {
        /// Base64 after a marker line for private keys, and whether the other marker was there.
        case block(Range<Int>, isEnded: Bool)
        /// Base64 alone.
        case bare(Range<Int>)
    }

    /// Labels of PEM blocks without their blanks, and what they stand for.
    private static let labels: [(name: [UInt8], kind: PrivateKeyFileError?)] = [
        ("PRIVATEKEY", nil), ("ECPRIVATEKEY", nil),
        ("ENCRYPTEDPRIVATEKEY", .encrypted), ("RSAPRIVATEKEY", .rsa),
        ("DSAPRIVATEKEY", .otherKind("DSA PRIVATE KEY")),
        ("OPENSSHPRIVATEKEY", .otherKind("OPENSSH PRIVATE KEY")),
        ("PUBLICKEY", .publicKey), ("RSAPUBLICKEY", .publicKey),
        ("CERTIFICATEREQUEST", .otherKind("certificate request")),
        ("NEWCERTIFICATEREQUEST", .otherKind("certificate request")),
        ("CERTIFICATE", .certificate), ("TRUSTEDCERTIFICATE", .certificate), ("X509CERTIFICATE", .certificate),
        ("PKCS7", .otherKind("PKCS #7")), ("CMS", .otherKind("CMS message")),
        ("PGPPRIVATEKEYBLOCK", .otherKind("PGP key")), ("PGPPUBLICKEYBLOCK", .otherKind("PGP key")),
    ].map { (Array($0.0.utf8), $0.1) }
    private static let parameters = Array("ECPARAMETERS".utf8)
    private static let begin = Array("BEGIN".utf8)
    private static let end = Array("-END".utf8)
    private static let endWithoutDashes = ["ENDPRIVATEKEY", "ENDECPRIVATEKEY"].map { Array($0.utf8) }
    private static let encrypted = Array("ENCRYPTED".utf8)

    /// Finds the private key's block, or says what the text is instead.
    static func part(of text: borrowing Span<UInt8>) throws(PrivateKeyFileError) -> Part {
        var other: PrivateKeyFileError?
        var at = 0
        while let marker = beginMarker(in: text, from: at) {
            at = marker
            if starts(text, at: marker, with: parameters) { continue }
            guard let label = label(in: text, at: marker) else {
                let isCutOff = isBeginningOfLabel(text, at: marker)
                other = other ?? (isCutOff ? .truncated : .otherKind("another kind of PEM block"))
                continue
            }
            var start = marker + label.name.count
            while start < text.count, text[start] == UInt8(ascii: "-") { start += 1 }
            if let kind = label.kind {
                other = other ?? kind
                continue
            }
            let ending = ([end] + endWithoutDashes).compactMap { find($0, in: text, from: start) }.min()
            var stop = ending ?? text.count
            while stop > start, text[stop - 1] == UInt8(ascii: "-") { stop -= 1 }
            if let lock = find(encrypted, in: text, from: start), lock < stop { throw .encrypted }
            return .block(start..<stop, isEnded: ending != nil)
        }
        if let other { throw other }
        return try withoutMarker(text)
    }

    /// No marker at the beginning: the body alone, its rest, or something else.
    private static func withoutMarker(_ text: borrowing Span<UInt8>) throws(PrivateKeyFileError) -> Part {
        let ending = ([end] + endWithoutDashes).compactMap { find($0, in: text, from: 0) }.min()
        var stop = ending ?? text.count
        while stop > 0, text[stop - 1] == UInt8(ascii: "-") { stop -= 1 }
        // The first marker line was not copied: what stands before the last one may still be the whole body.
        if ending != nil { return stop == 0 ? .block(0..<0, isEnded: true) : .block(0..<stop, isEnded: false) }
        if text[0] == UInt8(ascii: "{") || text[0] == UInt8(ascii: "[") { throw .json }
        for (start, name) in [
            ("ssh-", "OpenSSH public key"), ("ecdsa-sha2-", "OpenSSH public key"), ("PuTTY-", "PuTTY key"),
        ] {
            if starts(text, at: 0, with: Array(start.utf8)) { throw .otherKind(name) }
        }
        return .bare(0..<stop)
    }

    /// After the word BEGIN that has a dash before it, or stands at the start: the dashes are the first to get lost.
    private static func beginMarker(in text: borrowing Span<UInt8>, from start: Int) -> Int? {
        var at = start
        while let found = find(begin, in: text, from: at) {
            at = found + begin.count
            if found == 0 || text[found - 1] == UInt8(ascii: "-") { return at }
            if label(in: text, at: at).map({ $0.kind == nil }) ?? false { return at }
        }
        return nil
    }

    private static func label(
        in text: borrowing Span<UInt8>, at start: Int
    ) -> (name: [UInt8], kind: PrivateKeyFileError?)? {
        for label in labels where starts(text, at: start, with: label.name) { return label }
        return nil
    }

    /// Whether the text ends within a label.
    private static func isBeginningOfLabel(_ text: borrowing Span<UInt8>, at start: Int) -> Bool {
        let rest = text.count - start
        for label in labels where rest < label.name.count {
            var i = 0
            while i < rest, text[start + i] == label.name[i] { i += 1 }
            if i == rest { return true }
        }
        return false
    }

    private static func starts(_ text: borrowing Span<UInt8>, at start: Int, with name: [UInt8]) -> Bool {
        guard start + name.count <= text.count else { return false }
        for i in name.indices where text[start + i] != name[i] { return false }
        return true
    }

    private static func find(_ needle: [UInt8], in text: borrowing Span<UInt8>, from start: Int) -> Int? {
        var at = start
        while at + needle.count <= text.count {
            if starts(text, at: at, with: needle) { return at }
            at += 1
        }
        return nil
    }

    // MARK: characters

    /// Walks through UTF-8 or UTF-16; a malformed sequence is one foreign character.
    private struct Scalars {
        private enum Form { case utf8, utf16Little, utf16Big }
        private let form: Form
        private var at = 0

        /// UTF-16 is known by its mark, or by every other byte of the beginning being zero.
        init(_ bytes: borrowing Span<UInt8>) {
            guard bytes.count >= 4 else {
                form = .utf8
                return
            }
            switch (bytes[0], bytes[1], bytes[2], bytes[3]) {
            case (0xFF, 0xFE, _, _), (1..., 0, 1..., 0): form = .utf16Little
            case (0xFE, 0xFF, _, _), (0, 1..., 0, 1...): form = .utf16Big
            default: form = .utf8
            }
        }

        mutating func next(_ bytes: borrowing Span<UInt8>) -> UInt32? {
            guard at < bytes.count else { return nil }
            guard form == .utf8 else {
                guard at + 1 < bytes.count else {
                    at += 1
                    return 0x20
                }
                let (a, b) = (UInt32(bytes[at]), UInt32(bytes[at + 1]))
                at += 2
                return form == .utf16Little ? b << 8 | a : a << 8 | b
            }
            let first = bytes[at]
            at += 1
            let (length, head): (Int, UInt32) =
                switch first {
                case 0..<0x80: (0, UInt32(first))
                case 0xC2..<0xE0: (1, UInt32(first & 0x1F))
                case 0xE0..<0xF0: (2, UInt32(first & 0x0F))
                case 0xF0..<0xF5: (3, UInt32(first & 0x07))
                default: (0, 0xFFFD)
                }
            var scalar = head
            for _ in 0..<length {
                guard at < bytes.count, bytes[at] & 0xC0 == 0x80 else { return 0xFFFD }
                scalar = scalar << 6 | UInt32(bytes[at] & 0x3F)
                at += 1
            }
            return scalar
        }

        /// What a backslash, or several, with the next character stands for; nil for a line break and for nothing.
        mutating func escaped(_ bytes: borrowing Span<UInt8>) -> UInt32? {
            var before = at
            var scalar = next(bytes)
            while scalar == 0x5C {
                before = at
                scalar = next(bytes)
            }
            switch scalar {
            case 0x6E, 0x72, 0x74: return nil
            case 0x75, 0x78:
                let digits = scalar == 0x75 ? 4 : 2
                if let value = hex(digits, bytes) { return value }
                at = before
                return nil
            case 0x2F, 0x3D, 0x2B: return scalar
            default:
                at = before
                return nil
            }
        }

        /// What a percent sign with two hexadecimal digits stands for.
        mutating func percent(_ bytes: borrowing Span<UInt8>) -> UInt32? { hex(2, bytes) ?? 0x25 }

        private mutating func hex(_ digits: Int, _ bytes: borrowing Span<UInt8>) -> UInt32? {
            let before = at
            var value: UInt32 = 0
            for _ in 0..<digits {
                let digit: UInt32
                switch next(bytes) {
                case .some(let c) where (0x30...0x39).contains(c): digit = c - 0x30
                case .some(let c) where (0x41...0x46).contains(c): digit = c - 0x37
                case .some(let c) where (0x61...0x66).contains(c): digit = c - 0x57
                default:
                    at = before
                    return nil
                }
                value = value << 4 | digit
            }
            return value
        }
    }
}
