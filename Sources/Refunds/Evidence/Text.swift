/// What a text from outside must be like before it becomes a column.
enum Text {
    /// PostgreSQL refuses NUL, and one such row would fail its whole batch.
    static func isKept(_ text: String, bytesMax: Int) -> Bool {
        text.utf8.count <= bytesMax && !text.utf8.contains(0)
    }

    /// The text cut to a length in bytes, on a character's border, without NUL.
    static func kept(_ text: String, bytesMax: Int) -> String {
        if isKept(text, bytesMax: bytesMax) { return text }
        var out = ""
        var bytes = 0
        for character in text where character != "\u{0}" {
            bytes += character.utf8.count
            guard bytes <= bytesMax else { break }
            out.append(character)
        }
        return isKept(out, bytesMax: bytesMax)
            ? out : String(out.unicodeScalars.filter { $0.value != 0 }.map(Character.init))
    }

    /// Whether people can read it as it stands: no control characters but tabs and ends of lines, and none that
    /// turns the direction of what follows (U+202A to U+202E, U+2066 to U+2069), behind which something else may stand.
    static func isPlain(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { scalar in
            switch scalar.value {
            case 0x09, 0x0A, 0x0D: true
            case 0...0x1F, 0x7F...0x9F, 0x202A...0x202E, 0x2066...0x2069: false
            default: true
            }
        }
    }

    /// What people and programs write of their own: kept as it is, and read as it stands.
    static func isWritten(_ text: String, bytesMax: Int) -> Bool { isKept(text, bytesMax: bytesMax) && isPlain(text) }

    /// Whether nothing of it is seen: blanks, and characters that are drawn as nothing.
    static func isBlank(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { scalar in
            // The blank Braille pattern is drawn as nothing, though Unicode counts it as a symbol.
            scalar.properties.isWhitespace || scalar.properties.isDefaultIgnorableCodePoint || scalar == "\u{2800}"
        }
    }

    /// What is said of a text that is not plain, behind the name of its field.
    static let notPlain = "has a control character, or one that turns the direction of writing: take it out"

    /// Eight, four, four, four and twelve hexadecimal digits with hyphens.
    static func isUUID(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        guard bytes.count == 36 else { return false }
        return bytes.enumerated().allSatisfy { index, byte in
            switch index {
            case 8, 13, 18, 23: byte == 0x2D
            default: (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte | 0x20)
            }
        }
    }
}
