/// Reads JSON as RFC 8259 writes it: nothing more is understood.
///
/// Refused: text that is not UTF-8, a byte order mark, trailing commas, comments, two members of one
/// name, lone surrogates, anything after the value, and nesting deeper than `depthMax`.
package struct JSONReader {
    /// Why a text is not JSON, for people, with the byte at which reading stopped.
    package struct Fault: Error, CustomStringConvertible {
        package let text: String
        package let byte: Int
        package var description: String { "\(text) at byte \(byte)" }
    }

    static let depthMax = 32

    private let bytes: [UInt8]
    private var at = 0

    private init(_ bytes: [UInt8]) { self.bytes = bytes }

    package static func read(_ bytes: [UInt8]) throws(Fault) -> JSON {
        var reader = JSONReader(bytes)
        reader.skipBlanks()
        let value = try reader.value(depth: 0)
        reader.skipBlanks()
        guard reader.at == bytes.count else { throw reader.fault("something follows the value") }
        return value
    }

    package static func read(_ text: String) throws(Fault) -> JSON { try read(Array(text.utf8)) }

    private func fault(_ text: String) -> Fault { Fault(text: text, byte: at) }

    private var next: UInt8? { at < bytes.count ? bytes[at] : nil }

    private mutating func skipBlanks() {
        while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { at += 1 }
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard next == byte else { return false }
        at += 1
        return true
    }

    private mutating func value(depth: Int) throws(Fault) -> JSON {
        guard depth < Self.depthMax else { throw fault("nested too deeply") }
        guard let byte = next else { throw fault("a value was expected") }
        switch byte {
        case UInt8(ascii: "{"): return try object(depth: depth)
        case UInt8(ascii: "["): return try array(depth: depth)
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
        default: throw fault("a value was expected")
        }
    }

    private mutating func word(_ word: StaticString, _ value: JSON) throws(Fault) -> JSON {
        let text = Array(word.description.utf8)
        guard bytes.count - at >= text.count, Array(bytes[at..<at + text.count]) == text else {
            throw fault("a value was expected")
        }
        at += text.count
        return value
    }

    private mutating func object(depth: Int) throws(Fault) -> JSON {
        at += 1
        var object = JSONObject()
        var names = Set<String>()
        skipBlanks()
        if take(UInt8(ascii: "}")) { return .object(object) }
        while true {
            skipBlanks()
            guard next == UInt8(ascii: "\"") else { throw fault("the name of a member was expected") }
            let name = try string()
            guard names.insert(name).inserted else { throw fault("two members have one name") }
            skipBlanks()
            guard take(UInt8(ascii: ":")) else { throw fault("a colon was expected") }
            skipBlanks()
            object[name] = try value(depth: depth + 1)
            skipBlanks()
            if take(UInt8(ascii: "}")) { return .object(object) }
            guard take(UInt8(ascii: ",")) else { throw fault("a comma or the end of an object was expected") }
        }
    }

    private mutating func array(depth: Int) throws(Fault) -> JSON {
        at += 1
        var values: [JSON] = []
        skipBlanks()
        if take(UInt8(ascii: "]")) { return .array(values) }
        while true {
            skipBlanks()
            values.append(try value(depth: depth + 1))
            skipBlanks()
            if take(UInt8(ascii: "]")) { return .array(values) }
            guard take(UInt8(ascii: ",")) else { throw fault("a comma or the end of an array was expected") }
        }
    }

    private mutating func number() throws(Fault) -> JSON {
        let start = at
        _ = take(UInt8(ascii: "-"))
        if take(UInt8(ascii: "0")) {
            // A leading zero stands alone.
        } else {
            try digits()
        }
        if take(UInt8(ascii: ".")) { try digits() }
        if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
            at += 1
            if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { at += 1 }
            try digits()
        }
        return .number(String(decoding: bytes[start..<at], as: UTF8.self))
    }

    private mutating func digits() throws(Fault) {
        let start = at
        while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { at += 1 }
        guard at > start else { throw fault("a digit was expected") }
    }

    private mutating func string() throws(Fault) -> String {
        at += 1
        var text: [UInt8] = []
        while let byte = next {
            at += 1
            switch byte {
            case UInt8(ascii: "\""):
                guard let string = String(validating: text, as: UTF8.self) else { throw fault("text is not UTF-8") }
                return string
            case 0..<0x20: throw fault("a control character inside a string")
            case UInt8(ascii: "\\"): text += try escape()
            default: text.append(byte)
            }
        }
        throw fault("a string has no end")
    }

    private mutating func escape() throws(Fault) -> [UInt8] {
        guard let byte = next else { throw fault("a string has no end") }
        at += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [byte]
        case UInt8(ascii: "b"): return [0x08]
        case UInt8(ascii: "f"): return [0x0C]
        case UInt8(ascii: "n"): return [0x0A]
        case UInt8(ascii: "r"): return [0x0D]
        case UInt8(ascii: "t"): return [0x09]
        case UInt8(ascii: "u"):
            var code = UInt32(try fourHex())
            if (0xD800...0xDBFF).contains(code), take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) {
                let low = UInt32(try fourHex())
                guard (0xDC00...0xDFFF).contains(low) else { throw fault("a lone surrogate") }
                code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
            }
            guard let scalar = Unicode.Scalar(code) else { throw fault("a lone surrogate") }
            return Array(Character(scalar).utf8)
        default: throw fault("an unknown escape")
        }
    }

    private mutating func fourHex() throws(Fault) -> UInt16 {
        guard bytes.count - at >= 4 else { throw fault("four hexadecimal digits were expected") }
        var value: UInt16 = 0
        for byte in bytes[at..<at + 4] {
            guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                throw fault("four hexadecimal digits were expected")
            }
            value = value << 4 | UInt16(digit)
        }
        at += 4
        return value
    }
}
