/// A body of parts (`multipart/form-data`), as browsers send files.
///
/// Parts are ranges of the request's body: nothing is copied, so that an uploaded secret has one
/// place in memory.
package struct MultipartBody: Sendable {
    package struct Part: Sendable, Hashable {
        package let name: String
        package let filename: String?
        package let mediaType: String?
        /// Where its bytes lie in the request's body.
        package let range: Range<Int>
    }

    package let parts: [Part]

    package func first(_ name: String) -> Part? { parts.first { $0.name == name } }
}

extension Request {
    /// - Parameter partsMax: more are refused.
    /// - Throws: `BodyError`: another type, a missing or over-long boundary, parts that are not
    ///   well-formed or not ended, too many of them.
    package func multipart(partsMax: Int = 20) throws(BodyError) -> MultipartBody {
        guard headers.mediaType == "multipart/form-data" else {
            throw BodyError(reason: .wrongType, text: "a form with files was expected")
        }
        guard let boundary = parameter("boundary", of: headers["Content-Type"] ?? ""),
            (1...70).contains(boundary.utf8.count)
        else { throw BodyError(reason: .malformed, text: "the form's boundary is missing") }
        return try MultipartBody(body, boundary: boundary, partsMax: partsMax)
    }

    package func bytes(of part: MultipartBody.Part) -> ArraySlice<UInt8> { body[part.range] }

    /// The text of a field; nil where it is not UTF-8.
    package func text(of part: MultipartBody.Part) -> String? { String(validating: bytes(of: part), as: UTF8.self) }
}

extension MultipartBody {
    private static let lineEnd = Array("\r\n".utf8)
    private static let headerEnd = Array("\r\n\r\n".utf8)
    private static let headerBytesMax = 4096

    init(_ body: [UInt8], boundary: String, partsMax: Int) throws(BodyError) {
        let dashes = Array("--\(boundary)".utf8)
        let delimiter = Self.lineEnd + dashes
        // The first boundary may be the very start; what stands before it is no part.
        var position: Int
        if body.starts(with: dashes) {
            position = dashes.count
        } else if let start = body.firstRange(of: delimiter, from: 0) {
            position = start.upperBound
        } else {
            throw BodyError(reason: .malformed, text: "the form has no parts")
        }
        var parts: [Part] = []
        while true {
            if body[position...].starts(with: [ASCII.hyphen, ASCII.hyphen]) { break }
            while position < body.count, body[position] == ASCII.space || body[position] == ASCII.tab { position += 1 }
            guard body[position...].starts(with: Self.lineEnd) else {
                throw BodyError(reason: .malformed, text: "a boundary of the form is not a line of its own")
            }
            guard parts.count < partsMax else {
                throw BodyError(reason: .tooLarge, text: "the form has more than \(partsMax) parts")
            }
            // The header begins with the line end of the boundary, so that an empty one is found too.
            guard let header = body.firstRange(of: Self.headerEnd, from: position),
                header.lowerBound - position <= Self.headerBytesMax
            else { throw BodyError(reason: .malformed, text: "the header of a part is not ended") }
            guard let end = body.firstRange(of: delimiter, from: header.upperBound - 2) else {
                throw BodyError(reason: .malformed, text: "a part is not ended")
            }
            let range = header.upperBound..<max(header.upperBound, end.lowerBound)
            let lines = String(decoding: body[position..<header.lowerBound], as: UTF8.self)
            parts.append(try Self.part(header: lines, range: range))
            position = end.upperBound
        }
        self.parts = parts
    }

    private static func part(header: String, range: Range<Int>) throws(BodyError) -> Part {
        var disposition: String?
        var type: String?
        for line in header.split(whereSeparator: \.isNewline) {
            guard let colon = line.firstIndex(of: ":") else {
                throw BodyError(reason: .malformed, text: "the header of a part cannot be read")
            }
            let value = String(line[line.index(after: colon)...].trimmedOfBlanks)
            if line[..<colon].equalsIgnoringCase("Content-Disposition") { disposition = value }
            if line[..<colon].equalsIgnoringCase("Content-Type") {
                type = value.prefix { $0 != ";" }.trimmedOfBlanks.lowercased()
            }
        }
        guard let disposition, disposition.prefix(while: { $0 != ";" }).trimmedOfBlanks.equalsIgnoringCase("form-data"),
            let name = parameter("name", of: disposition)
        else { throw BodyError(reason: .malformed, text: "a part has no name") }
        return Part(name: name, filename: parameter("filename", of: disposition), mediaType: type, range: range)
    }
}

/// The value of a parameter (`; name=value` or `; name="value"`) behind a header value.
private func parameter(_ wanted: String, of value: String) -> String? {
    var rest = value.utf8[...]
    guard let start = rest.firstIndex(of: ASCII.semicolon) else { return nil }
    rest = rest[start...]
    while rest.first == ASCII.semicolon {
        rest = rest.dropFirst().drop { $0 == ASCII.space || $0 == ASCII.tab }
        let name = rest.prefix { $0.isTokenCharacter }
        rest = rest.dropFirst(name.count)
        guard rest.first == ASCII.equals else { return nil }
        rest = rest.dropFirst()
        var text: [UInt8] = []
        if rest.first == ASCII.quote {
            rest = rest.dropFirst()
            while let byte = rest.first, byte != ASCII.quote {
                rest = rest.dropFirst()
                // Browsers write a quote as %22 and leave a backslash alone; others escape with one.
                if byte == ASCII.backslash, let next = rest.first, next == ASCII.quote || next == ASCII.backslash {
                    text.append(next)
                    rest = rest.dropFirst()
                } else {
                    text.append(byte)
                }
            }
            guard rest.first == ASCII.quote else { return nil }
            rest = rest.dropFirst()
        } else {
            text = Array(rest.prefix { $0 != ASCII.semicolon && $0 != ASCII.space })
            rest = rest.dropFirst(text.count)
        }
        if Substring(name).equalsIgnoringCase(wanted) { return String(validating: text, as: UTF8.self) }
        rest = rest.drop { $0 == ASCII.space || $0 == ASCII.tab }
    }
    return nil
}

extension [UInt8] {
    /// Where `pattern` stands first at or behind `from`.
    func firstRange(of pattern: [UInt8], from: Int) -> Range<Int>? {
        guard from >= 0, !pattern.isEmpty, count - from >= pattern.count else { return nil }
        var index = from
        while index <= count - pattern.count {
            guard let first = self[index...(count - pattern.count)].firstIndex(of: pattern[0]) else { return nil }
            if self[first..<first + pattern.count].elementsEqual(pattern) { return first..<first + pattern.count }
            index = first + 1
        }
        return nil
    }
}
