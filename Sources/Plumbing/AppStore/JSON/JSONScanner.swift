/// Reads a JSON text into a flat list of nodes (RFC 8259), refusing what two readers could read differently.
struct JSONScanner {
    private(set) var nodes: [JSONNode] = []

    init(nodesExpected: Int) { nodes.reserveCapacity(min(max(nodesExpected, 16), 4096)) }

    mutating func scan(_ bytes: [UInt8]) throws(JSONError) {
        // Offsets are 32 bits wide.
        guard bytes.count < Int32.max else { throw JSONError(kind: .tooLarge, offset: 0) }
        var cursor = JSONCursor(text: bytes)
        cursor.skipSpace()
        try value(&cursor, depth: 0)
        cursor.skipSpace()
        guard cursor.isAtEnd else { throw cursor.error(.syntax) }
    }

    private mutating func value(_ cursor: inout JSONCursor, depth: Int) throws(JSONError) {
        let start = cursor.at
        switch cursor.peek {
        case UInt8(ascii: "{"): try object(&cursor, depth: depth)
        case UInt8(ascii: "["): try array(&cursor, depth: depth)
        case UInt8(ascii: "\""): try string(&cursor)
        case UInt8(ascii: "t"):
            try cursor.word("true")
            add(.isTrue, start, cursor.at)
        case UInt8(ascii: "f"):
            try cursor.word("false")
            add(.isFalse, start, cursor.at)
        case UInt8(ascii: "n"):
            try cursor.word("null")
            add(.null, start, cursor.at)
        default:
            let isInteger = try cursor.number()
            add(isInteger ? .integer : .number, start, cursor.at)
        }
    }

    private mutating func object(_ cursor: inout JSONCursor, depth: Int) throws(JSONError) {
        guard depth < JSONDocument.depthMax else { throw cursor.error(.tooDeep) }
        let index = nodes.count
        add(.object, cursor.at, cursor.at)
        cursor.at += 1
        cursor.skipSpace()
        var keys = MemberNames()
        if cursor.take(UInt8(ascii: "}")) {
            close(index, cursor.at)
            return
        }
        while true {
            guard cursor.peek == UInt8(ascii: "\"") else { throw cursor.error(.syntax) }
            let key = nodes.count
            try string(&cursor)
            guard keys.insert(nodes[key], cursor.text) else { throw cursor.error(.duplicateMember) }
            guard keys.count <= JSONDocument.membersMax else { throw cursor.error(.tooLarge) }
            cursor.skipSpace()
            guard cursor.take(UInt8(ascii: ":")) else { throw cursor.error(.syntax) }
            cursor.skipSpace()
            try value(&cursor, depth: depth + 1)
            cursor.skipSpace()
            if cursor.take(UInt8(ascii: ",")) {
                cursor.skipSpace()
                continue
            }
            guard cursor.take(UInt8(ascii: "}")) else { throw cursor.error(.syntax) }
            close(index, cursor.at)
            return
        }
    }

    private mutating func array(_ cursor: inout JSONCursor, depth: Int) throws(JSONError) {
        guard depth < JSONDocument.depthMax else { throw cursor.error(.tooDeep) }
        let index = nodes.count
        add(.array, cursor.at, cursor.at)
        cursor.at += 1
        cursor.skipSpace()
        if cursor.take(UInt8(ascii: "]")) {
            close(index, cursor.at)
            return
        }
        var count = 0
        while true {
            count += 1
            guard count <= JSONDocument.membersMax else { throw cursor.error(.tooLarge) }
            try value(&cursor, depth: depth + 1)
            cursor.skipSpace()
            if cursor.take(UInt8(ascii: ",")) {
                cursor.skipSpace()
                continue
            }
            guard cursor.take(UInt8(ascii: "]")) else { throw cursor.error(.syntax) }
            close(index, cursor.at)
            return
        }
    }

    private mutating func string(_ cursor: inout JSONCursor) throws(JSONError) {
        let start = cursor.at + 1
        let hasEscapes = try cursor.string()
        add(hasEscapes ? .stringWithEscapes : .string, start, cursor.at - 1)
    }

    private mutating func add(_ kind: JSONNode.Kind, _ start: Int, _ end: Int) {
        nodes.append(
            JSONNode(kind: kind, start: Int32(start), end: Int32(end), next: Int32(nodes.count + 1)))
    }

    private mutating func close(_ index: Int, _ end: Int) {
        nodes[index].end = Int32(end)
        nodes[index].next = Int32(nodes.count)
    }
}

/// The member names of one object, for finding a name that comes twice.
private struct MemberNames {
    private var few: [JSONNode] = []
    /// From here on a set: comparing each with each would let a hostile text cost its length squared.
    private var many: Set<[UInt8]> = []
    private static let fewMax = 48
    private(set) var count = 0

    /// False if the name was there.
    mutating func insert(_ node: JSONNode, _ text: [UInt8]) -> Bool {
        count += 1
        if count <= Self.fewMax {
            for other in few where Self.equal(node, other, text) { return false }
            few.append(node)
            return true
        }
        if many.isEmpty { many = Set(few.map { Self.name($0, text) }) }
        return many.insert(Self.name(node, text)).inserted
    }

    private static func equal(_ a: JSONNode, _ b: JSONNode, _ text: [UInt8]) -> Bool {
        guard a.kind == .string, b.kind == .string else { return name(a, text) == name(b, text) }
        let count = Int(a.end - a.start)
        guard count == Int(b.end - b.start) else { return false }
        for i in 0..<count where text[Int(a.start) + i] != text[Int(b.start) + i] { return false }
        return true
    }

    private static func name(_ node: JSONNode, _ text: [UInt8]) -> [UInt8] {
        let range = Int(node.start)..<Int(node.end)
        return node.kind == .string ? Array(text[range]) : JSONText.unescaped(text[range])
    }
}
