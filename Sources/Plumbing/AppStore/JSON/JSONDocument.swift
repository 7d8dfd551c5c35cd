/// A JSON text that was read once, strictly, and is looked into where needed.
///
/// Stricter than Foundation's decoder, which takes the first of two equal members, trailing commas,
/// UTF-16 and `1e3` for an integer: two readers of one signed text must not see two meanings.
/// Values are not copied out of the text until someone asks.
package struct JSONDocument: Sendable {
    /// Levels of objects and arrays.
    package static let depthMax = 64
    /// Members of one object, and elements of one array.
    package static let membersMax = 10_000

    /// The text as it came.
    package let bytes: [UInt8]
    let nodes: [JSONNode]

    package init(_ bytes: [UInt8]) throws(JSONError) {
        var scanner = JSONScanner(nodesExpected: bytes.count / 24)
        try scanner.scan(bytes)
        self.bytes = bytes
        self.nodes = scanner.nodes
    }

    package var root: JSONValue { JSONValue(document: self, index: 0) }
}
