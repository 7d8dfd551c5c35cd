import Time

/// A tape archive in the ustar form: what every system unpacks.
///
/// Source: POSIX.1-2017, pax, "ustar Interchange Format".
struct TarFile {
    private(set) var bytes: [UInt8] = []
    /// The time that every file in it bears.
    let at: Moment

    private static let block = 512

    init(at: Moment) { self.at = at }

    /// - Parameter name: ASCII, at most 100 bytes; of our own making.
    mutating func add(_ name: String, _ content: [UInt8]) {
        var header = [UInt8](repeating: 0, count: Self.block)
        func put(_ text: String, at offset: Int) {
            header.replaceSubrange(offset..<(offset + text.utf8.count), with: text.utf8)
        }
        put(String(decoding: name.utf8.prefix(100), as: UTF8.self), at: 0)
        put("0000644\0", at: 100)
        put("0000000\0", at: 108)
        put("0000000\0", at: 116)
        put(Self.octal(content.count, digits: 11) + "\0", at: 124)
        put(Self.octal(Int(max(0, at.milliseconds / 1000)), digits: 11) + "\0", at: 136)
        put("        ", at: 148)
        put("0", at: 156)
        put("ustar\u{0}00", at: 257)
        // The sum is taken with blanks in its own place.
        let sum = header.reduce(0) { $0 + Int($1) }
        put(Self.octal(sum, digits: 6) + "\0 ", at: 148)
        bytes.append(contentsOf: header)
        bytes.append(contentsOf: content)
        bytes.append(contentsOf: [UInt8](repeating: 0, count: (Self.block - content.count % Self.block) % Self.block))
    }

    /// With the two empty blocks that end it.
    var ended: [UInt8] { bytes + [UInt8](repeating: 0, count: Self.block * 2) }

    private static func octal(_ number: Int, digits: Int) -> String {
        let text = String(number, radix: 8)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }
}
