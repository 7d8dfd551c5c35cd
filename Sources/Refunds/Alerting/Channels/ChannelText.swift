/// Texts cut to the limits of a service, never inside a character.
enum ChannelText {
    /// How a service counts. Units of UTF-16 are never fewer than characters, so that they are good for services that
    /// only say "characters".
    enum Measure { case utf16, bytes }

    /// The text within so many units, with an ellipsis where it was cut.
    ///
    /// - Parameter escape: what becomes of each character in the service's markup; the limit is for the result, and an
    ///   escape is never cut in two.
    static func bounded(
        _ text: String, _ limit: Int, in measure: Measure = .utf16, escape: (Character) -> String = { String($0) }
    ) -> String {
        let ellipsis = "…"
        var out = ""
        var count = 0
        // Where the text is cut if it turns out too long, in bytes: the last place at which the ellipsis fits.
        var fitting = 0
        for character in text {
            let pieces = pieces(of: character, within: limit, measure)
            for piece in pieces {
                let written = escape(piece)
                count += units(written, measure)
                guard count <= limit else {
                    guard limit >= units(ellipsis, measure) else { return "" }
                    return String(decoding: out.utf8.prefix(fitting), as: UTF8.self) + ellipsis
                }
                out += written
                if count + units(ellipsis, measure) <= limit { fitting = out.utf8.count }
            }
        }
        return out
    }

    /// In one line, without control characters: for subjects, and for words that others said.
    static func line(_ text: String) -> String {
        text.split { character in
            character.unicodeScalars.contains { $0.value <= 0x20 || (0x7F...0xA0).contains($0.value) }
                || character.isNewline
        }.joined(separator: " ")
    }

    /// A character that alone is longer than the limit (letters may carry any number of marks) in its parts.
    private static func pieces(of character: Character, within limit: Int, _ measure: Measure) -> [Character] {
        units(String(character), measure) <= limit / 2
            // More than that many parts cannot fit, whatever a hostile text piles up.
            ? [character] : character.unicodeScalars.prefix(limit + 1).map { Character($0) }
    }

    private static func units(_ text: String, _ measure: Measure) -> Int {
        switch measure {
        case .utf16: text.utf16.count
        case .bytes: text.utf8.count
        }
    }
}
