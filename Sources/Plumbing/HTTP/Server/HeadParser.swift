/// Reads the head of a request by RFC 9112, refusing whatever two readers could understand
/// differently: bare CR or LF, folded fields, spaces before the colon, two lengths.
struct HeadParser {
    private let headerBytesMax: Int
    private let targetBytesMax: Int
    private let fieldsMax: Int

    // Where the search for the end goes on when more bytes have come, so that a slow sender does
    // not make us read its bytes again and again.
    private var position = 0
    private var lineStart = 0
    private var start = 0

    /// No byte of a head has been looked at.
    var isAtStart: Bool { position == 0 }

    init(_ limits: Limits) {
        headerBytesMax = limits.headerBytesMax
        targetBytesMax = limits.targetBytesMax
        fieldsMax = limits.headerFieldsMax
    }

    /// The head at the start of `bytes` and its length; nil until it is complete. Call it again
    /// with the same bytes and more behind them.
    ///
    /// - Throws: `Refusal` as soon as no further byte can make it right.
    mutating func parse(_ bytes: Span<UInt8>) throws(Refusal) -> (head: RequestHead, count: Int)? {
        guard let end = try findEnd(bytes) else { return nil }
        let head = try Self.head(bytes.extracting(start..<end), targetBytesMax: targetBytesMax, fieldsMax: fieldsMax)
        position = 0
        lineStart = 0
        start = 0
        return (head, end)
    }

    private mutating func findEnd(_ bytes: Span<UInt8>) throws(Refusal) -> Int? {
        let stop = min(bytes.count, headerBytesMax)
        while position < stop {
            guard bytes[position] == ASCII.lineFeed else {
                position += 1
                continue
            }
            guard position > lineStart, bytes[position - 1] == ASCII.carriageReturn else {
                throw .bad("a line must end in CR LF")
            }
            position += 1
            if position - lineStart == 2 {
                // One empty line before the request is forgiven: old clients send it behind a body.
                if lineStart > start { return position }
                guard start == 0 else { throw .bad("the request line is missing") }
                start = 2
            }
            lineStart = position
        }
        if lineStart == start, position - start > targetBytesMax + 64 {
            throw Refusal(status: .uriTooLong, text: "the target is too long")
        }
        if bytes.count >= headerBytesMax {
            throw Refusal(status: .headerFieldsTooLarge, text: "the header is too large")
        }
        return nil
    }

    private static func head(_ bytes: Span<UInt8>, targetBytesMax: Int, fieldsMax: Int) throws(Refusal) -> RequestHead {
        var cursor = 0
        let line = bytes.extracting(bytes.line(&cursor))
        let (method, target, isVersion10) = try requestLine(line, targetBytesMax: targetBytesMax)
        let path = String(target.prefix { $0 != "?" })
        do throws(Refusal) {
            return try head(
                bytes, from: cursor, method: method, target: target, path: path, isVersion10: isVersion10,
                fieldsMax: fieldsMax)
        } catch {
            throw error.about(path)
        }
    }

    /// What stands behind the request line.
    private static func head(
        _ bytes: Span<UInt8>, from start: Int, method: Method, target: String, path: String, isVersion10: Bool,
        fieldsMax: Int
    ) throws(Refusal) -> RequestHead {
        var cursor = start
        var headers = HeaderFields()
        headers.reserveCapacity(12)
        while true {
            let line = bytes.extracting(bytes.line(&cursor))
            if line.isEmpty { break }
            guard headers.count < fieldsMax else {
                throw Refusal(status: .headerFieldsTooLarge, text: "there are too many header fields")
            }
            let field = try FieldLine.parse(line)
            headers.addChecked(field.name, field.value)
        }

        try checkHost(headers, isVersion10: isVersion10)
        let segments: [String]
        do { segments = try Request.segments(of: path) } catch { throw .bad("the path cannot be decoded") }
        let connection = headers.tokens("Connection")
        return RequestHead(
            method: method, target: target, path: path, segments: segments, headers: headers,
            isVersion10: isVersion10, framing: try framing(headers, isVersion10: isVersion10),
            keepsAlive: isVersion10
                ? connection.contains("keep-alive") && !connection.contains("close") : !connection.contains("close"),
            expectsContinue: try expectation(headers, isVersion10: isVersion10))
    }

    private static func requestLine(
        _ line: Span<UInt8>, targetBytesMax: Int
    ) throws(Refusal) -> (Method, target: String, isVersion10: Bool) {
        guard let first = line.firstIndex(of: ASCII.space, from: 0),
            let second = line.firstIndex(of: ASCII.space, from: first + 1)
        else { throw .bad("the request line has three parts") }
        guard (1...32).contains(first) else { throw .bad("the method is no token") }
        for index in 0..<first where !line[index].isTokenCharacter { throw .bad("the method is no token") }
        let target = line.extracting(first + 1..<second)
        guard !target.isEmpty else { throw .bad("the target is missing") }
        guard target.count <= targetBytesMax else {
            throw Refusal(status: .uriTooLong, text: "the target is too long")
        }
        for index in 0..<target.count where !(0x21...0x7E).contains(target[index]) {
            throw .bad("the target has characters that must be encoded")
        }
        let isVersion10 = try version(line.extracting(second + 1..<line.count))
        return (
            Method(String(checked: line.extracting(0..<first))), try originForm(String(checked: target)), isVersion10
        )
    }

    private static let versionStart = Array("HTTP/".utf8)

    private static func version(_ bytes: Span<UInt8>) throws(Refusal) -> Bool {
        guard bytes.count == 8 else { throw .bad("the version cannot be read") }
        for (index, expected) in versionStart.enumerated() where bytes[index] != expected {
            throw .bad("the version cannot be read")
        }
        guard bytes[5].isDigit, bytes[6] == UInt8(ascii: "."), bytes[7].isDigit else {
            throw .bad("the version cannot be read")
        }
        guard bytes[5] == UInt8(ascii: "1") else {
            throw Refusal(status: .versionNotSupported, text: "this server speaks HTTP/1.1")
        }
        return bytes[7] == UInt8(ascii: "0")
    }

    /// Path and query; of `http://host/path` too, which servers must understand.
    private static func originForm(_ target: String) throws(Refusal) -> String {
        if target.utf8.first == ASCII.slash { return target }
        for scheme in ["http://", "https://"]
        where target.utf8.count > scheme.utf8.count && target.prefix(scheme.count).equalsIgnoringCase(scheme) {
            let rest = target.dropFirst(scheme.count)
            let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
            guard !authority.isEmpty else { break }
            let path = rest.dropFirst(authority.count)
            return path.hasPrefix("/") ? String(path) : "/" + path
        }
        throw .bad("the target must be a path")
    }

    private static func checkHost(_ headers: HeaderFields, isVersion10: Bool) throws(Refusal) {
        let hosts = headers.all("Host")
        guard hosts.count <= 1 else { throw .bad("there is more than one Host") }
        guard let host = hosts.first else {
            if isVersion10 { return }
            throw .bad("Host is missing")
        }
        for byte in host.utf8 {
            switch byte {
            // Of `reg-name`, IP literals and the port; no user, no path, no list.
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x3A, 0x5B, 0x5D, 0x5F, 0x7E, 0x25: continue
            default: throw .bad("Host cannot be read")
            }
        }
    }

    private static func framing(_ headers: HeaderFields, isVersion10: Bool) throws(Refusal) -> RequestHead.Framing {
        let lengths = headers.all("Content-Length")
        let codings = headers.all("Transfer-Encoding")
        guard !codings.isEmpty else {
            guard let length = lengths.first else { return .none }
            guard lengths.count == 1 else { throw .bad("there is more than one Content-Length") }
            guard !length.isEmpty, length.utf8.allSatisfy(\.isDigit) else { throw .bad("Content-Length is no number") }
            guard let count = Int(length) else { throw .tooLarge }
            return count == 0 ? .none : .length(count)
        }
        guard lengths.isEmpty else { throw .bad("Content-Length and Transfer-Encoding exclude each other") }
        guard !isVersion10 else { throw .bad("HTTP/1.0 has no Transfer-Encoding") }
        let names = headers.tokens("Transfer-Encoding")
        guard names.allSatisfy({ $0 == "chunked" }) || names.last == "chunked" else {
            throw .bad("the last transfer coding must be chunked")
        }
        guard names.allSatisfy({ $0 == "chunked" }) else {
            throw Refusal(status: .notImplemented, text: "the only transfer coding is chunked")
        }
        guard names.count == 1, codings.count == 1 else { throw .bad("the body is chunked once") }
        return .chunked
    }

    private static func expectation(_ headers: HeaderFields, isVersion10: Bool) throws(Refusal) -> Bool {
        guard !isVersion10, headers.contains("Expect") else { return false }
        guard headers.tokens("Expect").allSatisfy({ $0 == "100-continue" }) else {
            throw Refusal(status: .expectationFailed, text: "the only expectation is 100-continue")
        }
        return true
    }
}
