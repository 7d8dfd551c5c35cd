/// One line of a header or of trailers: `name: value`.
enum FieldLine {
    /// - Parameter line: without its line end.
    /// - Throws: `Refusal`: a folded line, a space before the colon, a control character.
    static func parse(_ line: Span<UInt8>) throws(Refusal) -> (name: String, value: String) {
        guard line[0] != ASCII.space, line[0] != ASCII.tab else { throw .bad("a header field is folded") }
        var colon = 0
        while colon < line.count, line[colon] != ASCII.colon {
            guard line[colon].isTokenCharacter else { throw .bad("the name of a header field is no token") }
            colon += 1
        }
        guard colon > 0, colon < line.count else { throw .bad("a header field has no name or no colon") }
        var start = colon + 1
        var end = line.count
        while start < end, line[start] == ASCII.space || line[start] == ASCII.tab { start += 1 }
        while end > start, line[end - 1] == ASCII.space || line[end - 1] == ASCII.tab { end -= 1 }
        var isASCII = true
        for index in start..<end {
            guard line[index].isFieldCharacter else { throw .bad("a header field has a control character") }
            if line[index] >= 0x80 { isASCII = false }
        }
        let value = line.extracting(start..<end)
        return (
            String(checked: line.extracting(0..<colon)),
            isASCII ? String(checked: value) : String(utf8OrLatin1: value)
        )
    }
}

extension Span<UInt8> {
    /// Where the bytes from `cursor` to the next line end (CR LF), lie; behind it the cursor is
    /// moved.
    func line(_ cursor: inout Int) -> Range<Int> {
        let start = cursor
        while cursor < count, self[cursor] != ASCII.lineFeed { cursor += 1 }
        let end = Swift.max(start, cursor - 1)
        cursor = Swift.min(count, cursor + 1)
        return start..<end
    }

    func firstIndex(of byte: UInt8, from start: Int) -> Int? {
        var index = start
        while index < count {
            if self[index] == byte { return index }
            index += 1
        }
        return nil
    }
}

extension String {
    /// From bytes that are known to be ASCII.
    init(checked bytes: Span<UInt8>) {
        self = unsafe bytes.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
    }

    /// From the value of a header field: UTF-8 where it is that, else one character a byte.
    init(utf8OrLatin1 bytes: Span<UInt8>) {
        let array = unsafe bytes.withUnsafeBufferPointer { unsafe Array($0) }
        if let text = String(validating: array, as: UTF8.self) {
            self = text
        } else {
            self = String(String.UnicodeScalarView(array.map { Unicode.Scalar($0) }))
        }
    }
}
