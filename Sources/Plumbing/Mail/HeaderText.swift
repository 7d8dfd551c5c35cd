/// A text that may stand in a header field of a mail, whatever it was made of.
///
/// Line ends and other control characters have become single spaces, so that no text can begin a field of its own.
package struct HeaderText: Hashable, Sendable, ExpressibleByStringInterpolation {
    /// Beyond it a text is cut, on a character's border.
    package static let charactersMax = 1000

    package let text: String

    package init(_ raw: String) {
        var out = ""
        var count = 0
        var isAfterSpace = true
        for character in raw {
            if character.unicodeScalars.contains(where: Self.isBlank) {
                if !isAfterSpace { out.append(" ") }
                isAfterSpace = true
            } else {
                count += 1
                guard count <= Self.charactersMax else { break }
                out.append(character)
                isAfterSpace = false
            }
        }
        while out.hasSuffix(" ") { out.removeLast() }
        text = out
    }

    package init(stringLiteral value: String) { self.init(value) }

    /// The whole field, folded, with its line end.
    ///
    /// Anything but printable ASCII is written in encoded words (RFC 2047, base64).
    func field(_ name: String) -> String {
        let words = text.split(separator: " ")
        let isPlain =
            text.utf8.allSatisfy { (0x20...0x7E).contains($0) } && text.firstRange(of: "=?") == nil
            && words.allSatisfy { $0.utf8.count <= Self.lineMax }
        return Self.folded(name, isPlain ? words.map(String.init) : Self.encodedWords(text))
    }

    /// The whole field in encoded words, whatever it holds: for names, in which some ASCII has a meaning too.
    func encodedField(_ name: String) -> String { Self.folded(name, Self.encodedWords(text)) }

    /// A field of words that stand as they are, none longer than a line may be.
    static func folded(_ name: String, _ words: [String]) -> String {
        var out = name + ":"
        var length = out.utf8.count
        for (index, word) in words.enumerated() {
            if index > 0, length + 1 + word.utf8.count > lineMax {
                out += "\r\n"
                length = 0
            }
            out += " " + word
            length += 1 + word.utf8.count
        }
        return out + "\r\n"
    }

    /// Bytes of a line without its line end (RFC 5322, 2.1.1: should be at most 78).
    private static let lineMax = 76
    /// Bytes of text in one encoded word: with its frame, and a field's name before the first, within a line.
    private static let encodedMax = 39

    private static func isBlank(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0...0x20, 0x7F...0xA0, 0x2028, 0x2029: true
        default: false
        }
    }

    /// No character is divided between two words, unless it is longer than a word.
    private static func encodedWords(_ text: String) -> [String] {
        var words: [String] = []
        var chunk: [UInt8] = []
        func close() {
            if !chunk.isEmpty { words.append("=?utf-8?B?\(MailBase64.encode(chunk))?=") }
            chunk = []
        }
        for character in text {
            let pieces =
                character.utf8.count <= encodedMax
                ? [Array(character.utf8)] : character.unicodeScalars.map { Array(String($0).utf8) }
            for piece in pieces {
                if chunk.count + piece.count > encodedMax { close() }
                chunk += piece
            }
        }
        close()
        return words
    }
}
