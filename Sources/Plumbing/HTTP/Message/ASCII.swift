/// Bytes with a name.
enum ASCII {
    static let tab = UInt8(ascii: "\t")
    static let lineFeed = UInt8(ascii: "\n")
    static let carriageReturn = UInt8(ascii: "\r")
    static let space = UInt8(ascii: " ")
    static let quote = UInt8(ascii: "\"")
    static let percent = UInt8(ascii: "%")
    static let ampersand = UInt8(ascii: "&")
    static let plus = UInt8(ascii: "+")
    static let comma = UInt8(ascii: ",")
    static let hyphen = UInt8(ascii: "-")
    static let slash = UInt8(ascii: "/")
    static let colon = UInt8(ascii: ":")
    static let semicolon = UInt8(ascii: ";")
    static let equals = UInt8(ascii: "=")
    static let question = UInt8(ascii: "?")
    static let backslash = UInt8(ascii: "\\")
}

extension UInt8 {
    var isDigit: Bool { (0x30...0x39).contains(self) }

    /// 0…15; nil for anything but a hexadecimal digit.
    var hexValue: UInt8? {
        switch self {
        case 0x30...0x39: self - 0x30
        case 0x41...0x46: self - 0x37
        case 0x61...0x66: self - 0x57
        default: nil
        }
    }

    /// A to Z as a to z, all else as it is.
    var lowercased: UInt8 { (0x41...0x5A).contains(self) ? self | 0x20 : self }

    /// `tchar` of RFC 9110: what names of methods and header fields are made of.
    var isTokenCharacter: Bool {
        switch self {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        case 0x21, 0x23, 0x24, 0x25, 0x26, 0x27, 0x2A, 0x2B, 0x2D, 0x2E, 0x5E, 0x5F, 0x60, 0x7C, 0x7E: true
        default: false
        }
    }

    /// What may stand in the value of a header field: visible characters, space, tab, and bytes
    /// above ASCII. No control character, above all no CR, LF or NUL.
    var isFieldCharacter: Bool { self >= 0x20 ? self != 0x7F : self == ASCII.tab }
}

extension StringProtocol {
    /// Equal but for the case of ASCII letters.
    func equalsIgnoringCase(_ other: some StringProtocol) -> Bool {
        let a = utf8
        let b = other.utf8
        guard a.count == b.count else { return false }
        return zip(a, b).allSatisfy { $0 == $1 || $0.lowercased == $1.lowercased }
    }

    /// Without spaces and tabs at both ends.
    var trimmedOfBlanks: SubSequence {
        let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        guard let first = firstIndex(where: { !isBlank($0) }), let last = lastIndex(where: { !isBlank($0) })
        else { return self[endIndex...] }
        return self[first...last]
    }
}
