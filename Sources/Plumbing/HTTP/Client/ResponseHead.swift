/// The status and fields of an answer, gathered line by line as libcurl hands them over.
struct ResponseHead {
    static let bytesMax = 64 * 1024
    static let linesMax = 200

    private(set) var status = 0
    private(set) var fields = HeaderFields()
    private var bytes = 0
    private var count = 0
    private var isComplete = false

    /// Takes one line with its line end. False when there are more or longer ones than allowed.
    mutating func take(_ line: UnsafeRawBufferPointer) -> Bool {
        bytes += line.count
        count += 1
        guard bytes <= Self.bytesMax, count <= Self.linesMax else { return false }
        let text = unsafe String(decoding: line, as: UTF8.self)
        if text.hasPrefix("HTTP/") {
            // Also after an interim answer (1xx), whose fields are not the answer's.
            status = text.split(separator: " ").dropFirst().first.flatMap { Int($0.prefix(3)) } ?? 0
            fields = HeaderFields()
            isComplete = false
            return true
        }
        let content = text.prefix { $0 != "\r" && $0 != "\n" && $0 != "\r\n" }
        if content.isEmpty { isComplete = true }
        // Fields after the body are trailers; nothing here reads them.
        guard !isComplete, let colon = content.firstIndex(of: ":") else { return true }
        let name = content[..<colon]
        guard !name.isEmpty, name.utf8.allSatisfy(\.isTokenCharacter) else { return true }
        let value = content[content.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
        fields.add(String(name), String(value))
        return true
    }
}
