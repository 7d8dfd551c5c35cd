/// A place in a JSON text, and the words that may stand there.
struct JSONCursor {
    let text: [UInt8]
    var at = 0

    init(text: [UInt8]) { self.text = text }

    var isAtEnd: Bool { at == text.count }

    /// The byte here; 0, which no JSON text holds, at the end.
    var peek: UInt8 { at < text.count ? text[at] : 0 }

    func error(_ kind: JSONError.Kind) -> JSONError { JSONError(kind: kind, offset: at) }

    mutating func take(_ byte: UInt8) -> Bool {
        guard peek == byte else { return false }
        at += 1
        return true
    }

    mutating func skipSpace() {
        while at < text.count {
            switch text[at] {
            case 0x20, 0x0A, 0x0D, 0x09: at += 1
            default: return
            }
        }
    }

    mutating func word(_ word: StaticString) throws(JSONError) {
        for i in 0..<word.utf8CodeUnitCount {
            guard unsafe peek == word.utf8Start[i] else { throw error(.syntax) }
            at += 1
        }
    }

    /// - Returns: true if it has neither fraction nor exponent.
    mutating func number() throws(JSONError) -> Bool {
        var isInteger = true
        _ = take(UInt8(ascii: "-"))
        if take(UInt8(ascii: "0")) {
            // A leading zero stands alone.
        } else {
            try digits()
        }
        if take(UInt8(ascii: ".")) {
            isInteger = false
            try digits()
        }
        if peek | 0x20 == UInt8(ascii: "e") {
            isInteger = false
            at += 1
            if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
            try digits()
        }
        return isInteger
    }

    private mutating func digits() throws(JSONError) {
        guard (0x30...0x39).contains(peek) else { throw error(.syntax) }
        while (0x30...0x39).contains(peek) { at += 1 }
    }

    /// Passes a string with its quotation marks.
    /// - Returns: true if it holds escapes.
    mutating func string() throws(JSONError) -> Bool {
        var hasEscapes = false
        at += 1
        while true {
            skipPlain()
            guard at < text.count else { break }
            let byte = text[at]
            switch byte {
            case 0x22:
                at += 1
                return hasEscapes
            case 0x5C:
                hasEscapes = true
                try escape()
            case 0x00..<0x20: throw error(.syntax)
            case 0x20..<0x80: at += 1
            default: try multibyte(byte)
            }
        }
        throw error(.syntax)
    }

    /// Passes what a string mostly consists of, eight bytes at a time; stops at or before the first byte
    /// that needs a look. Texts inside a notification have 17,000 bytes.
    private mutating func skipPlain() {
        at = unsafe text.withUnsafeBytes { raw in
            let every: UInt64 = 0x0101_0101_0101_0101
            let tops = every &* 0x80
            func zeros(_ word: UInt64) -> UInt64 { (word &- every) & ~word & tops }
            var i = at
            while i + 8 <= raw.count {
                let word = unsafe UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: i, as: UInt64.self))
                let control = (word &- every &* 0x20) & ~word & tops
                let marks = word & tops | control | zeros(word ^ every &* 0x22) | zeros(word ^ every &* 0x5C)
                // Borrows can mark a byte above a marked one, never one below the first.
                if marks != 0 { return i + marks.trailingZeroBitCount / 8 }
                i += 8
            }
            return i
        }
    }

    private mutating func escape() throws(JSONError) {
        at += 1
        switch peek {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            at += 1
        case UInt8(ascii: "u"):
            at += 1
            let unit = try hex4()
            // Halves of a pair that stand alone are no characters.
            if (0xDC00...0xDFFF).contains(unit) { throw error(.syntax) }
            if (0xD800...0xDBFF).contains(unit) {
                guard take(0x5C), take(UInt8(ascii: "u")) else { throw error(.syntax) }
                guard (0xDC00...0xDFFF).contains(try hex4()) else { throw error(.syntax) }
            }
        default: throw error(.syntax)
        }
    }

    private mutating func hex4() throws(JSONError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            let byte = peek
            switch byte {
            case 0x30...0x39: value = value << 4 | UInt32(byte - 0x30)
            case 0x41...0x46, 0x61...0x66: value = value << 4 | UInt32((byte | 0x20) - 0x57)
            default: throw error(.syntax)
            }
            at += 1
        }
        return value
    }

    /// One character of two to four bytes, well formed (Unicode, table 3-7).
    private mutating func multibyte(_ first: UInt8) throws(JSONError) {
        let count: Int
        var low: UInt8 = 0x80
        var high: UInt8 = 0xBF
        switch first {
        case 0xC2...0xDF: count = 1
        case 0xE0: (count, low) = (2, 0xA0)
        case 0xED: (count, high) = (2, 0x9F)
        case 0xE1...0xEF: count = 2
        case 0xF0: (count, low) = (3, 0x90)
        case 0xF1...0xF3: count = 3
        case 0xF4: (count, high) = (3, 0x8F)
        default: throw error(.notUTF8)
        }
        for i in 1...count {
            guard at + i < text.count else { throw error(.notUTF8) }
            let byte = text[at + i]
            guard byte >= (i == 1 ? low : 0x80), byte <= (i == 1 ? high : 0xBF) else { throw error(.notUTF8) }
        }
        at += count + 1
    }
}
