/// Reads CBOR in the canonical form of CTAP2 and nothing else: shortest lengths, definite lengths, no tags, no floats,
/// map keys in order and none twice, at most four levels.
///
/// Source: Client to Authenticator Protocol 2.1, section 8, "Message Encoding".
struct CBORReader {
    enum Value: Hashable {
        case integer(Int64)
        case bytes([UInt8])
        case text(String)
        case array([Value])
        case map([Entry])
        case bool(Bool)
        case null

        struct Entry: Hashable {
            let key: Value
            let value: Value
        }

        subscript(_ key: String) -> Value? { self[.text(key)] }
        subscript(_ key: Int64) -> Value? { self[.integer(key)] }
        private subscript(_ key: Value) -> Value? {
            guard case .map(let entries) = self else { return nil }
            return entries.first { $0.key == key }?.value
        }

        var bytes: [UInt8]? { if case .bytes(let bytes) = self { bytes } else { nil } }
        var integer: Int64? { if case .integer(let number) = self { number } else { nil } }
        var text: String? { if case .text(let text) = self { text } else { nil } }
    }

    struct Malformed: Error {}

    static let depthMax = 4
    /// Of an array, or of a map's entries.
    static let itemsMax = 64

    private let bytes: [UInt8]
    private(set) var position: Int

    init(_ bytes: [UInt8], at position: Int = 0) {
        self.bytes = bytes
        self.position = position
    }

    /// The one value that the bytes are, with nothing behind it.
    static func whole(_ bytes: [UInt8]) throws(Malformed) -> Value {
        var reader = CBORReader(bytes)
        let value = try reader.value()
        guard reader.position == bytes.count else { throw Malformed() }
        return value
    }

    mutating func value(depth: Int = 1) throws(Malformed) -> Value {
        guard depth <= Self.depthMax, position < bytes.count else { throw Malformed() }
        let head = bytes[position]
        let (major, small) = (head >> 5, head & 31)
        if major == 7 {
            position += 1
            switch small {
            case 20: return .bool(false)
            case 21: return .bool(true)
            case 22: return .null
            default: throw Malformed()
            }
        }
        let number = try argument()
        switch major {
        case 0:
            guard let number = Int64(exactly: number) else { throw Malformed() }
            return .integer(number)
        case 1:
            guard let number = Int64(exactly: number) else { throw Malformed() }
            return .integer(-1 - number)
        case 2: return .bytes(Array(try take(number)))
        case 3:
            guard let text = String(validating: try take(number), as: UTF8.self) else { throw Malformed() }
            return .text(text)
        case 4:
            guard number <= Self.itemsMax else { throw Malformed() }
            var items: [Value] = []
            for _ in 0..<number { items.append(try value(depth: depth + 1)) }
            return .array(items)
        case 5:
            guard number <= Self.itemsMax else { throw Malformed() }
            return .map(try entries(Int(number), depth: depth))
        default: throw Malformed()
        }
    }

    private mutating func entries(_ count: Int, depth: Int) throws(Malformed) -> [Value.Entry] {
        var entries: [Value.Entry] = []
        var before: ArraySlice<UInt8>?
        for _ in 0..<count {
            let start = position
            let key = try value(depth: depth + 1)
            switch key {
            case .integer, .text, .bytes: break
            default: throw Malformed()
            }
            let encoded = bytes[start..<position]
            if let before, !Self.isOrdered(before, encoded) { throw Malformed() }
            before = encoded
            entries.append(Value.Entry(key: key, value: try value(depth: depth + 1)))
        }
        return entries
    }

    /// Major type first, then length, then byte by byte; equal keys are not in order.
    private static func isOrdered(_ a: ArraySlice<UInt8>, _ b: ArraySlice<UInt8>) -> Bool {
        let (x, y) = ((a.first ?? 0) >> 5, (b.first ?? 0) >> 5)
        if x != y { return x < y }
        if a.count != b.count { return a.count < b.count }
        return a.lexicographicallyPrecedes(b)
    }

    /// The number of a head, in its shortest spelling.
    private mutating func argument() throws(Malformed) -> UInt64 {
        let small = bytes[position] & 31
        position += 1
        if small < 24 { return UInt64(small) }
        guard small <= 27 else { throw Malformed() }
        let width = 1 << Int(small - 24)
        let number = try take(UInt64(width)).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let least: UInt64 = width == 1 ? 24 : 1 << (4 * UInt64(width))
        guard number >= least else { throw Malformed() }
        return number
    }

    private mutating func take(_ count: UInt64) throws(Malformed) -> ArraySlice<UInt8> {
        guard count <= UInt64(bytes.count - position) else { throw Malformed() }
        defer { position += Int(count) }
        return bytes[position..<position + Int(count)]
    }
}
