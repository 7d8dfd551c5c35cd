package import Time

/// A value inside a JSON text. Questions that do not fit the value's kind answer nil: Apple's
/// fields are all optional, and an odd one must not spoil the others.
package struct JSONValue: Sendable {
    let document: JSONDocument
    let index: Int

    private var node: JSONNode { document.nodes[index] }

    package var isNull: Bool { node.kind == .null }
    package var isObject: Bool { node.kind == .object }

    /// The value of a member; nil where there is none, and where this is no object.
    package subscript(_ name: StaticString) -> JSONValue? {
        unsafe member(UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
    }

    private func member(_ name: UnsafeBufferPointer<UInt8>) -> JSONValue? {
        let node = node
        guard node.kind == .object else { return nil }
        return unsafe document.nodes.withUnsafeBufferPointer { nodes in
            unsafe document.bytes.withUnsafeBufferPointer { bytes in
                var at = index + 1
                while at < Int(node.next) {
                    let key = unsafe nodes[at]
                    let count = Int(key.end - key.start)
                    if key.kind == .string, count == name.count {
                        let text = unsafe UnsafeBufferPointer(rebasing: bytes[Int(key.start)..<Int(key.end)])
                        if unsafe text.elementsEqual(name) { return JSONValue(document: document, index: at + 1) }
                    } else if key.kind == .stringWithEscapes,
                        unsafe JSONText.unescaped(document.bytes[Int(key.start)..<Int(key.end)]).elementsEqual(name)
                    {
                        return JSONValue(document: document, index: at + 1)
                    }
                    at = Int(unsafe nodes[at + 1].next)
                }
                return nil
            }
        }
    }

    /// The members in their order; empty where this is no object.
    package var members: [(name: String, value: JSONValue)] {
        let node = node
        guard node.kind == .object else { return [] }
        var out: [(String, JSONValue)] = []
        var at = index + 1
        while at < Int(node.next) {
            let value = JSONValue(document: document, index: at + 1)
            out.append((JSONValue(document: document, index: at).string ?? "", value))
            at = Int(document.nodes[at + 1].next)
        }
        return out
    }

    /// The elements in their order; nil where this is no array.
    package var elements: [JSONValue]? {
        let node = node
        guard node.kind == .array else { return nil }
        var out: [JSONValue] = []
        var at = index + 1
        while at < Int(node.next) {
            out.append(JSONValue(document: document, index: at))
            at = Int(document.nodes[at].next)
        }
        return out
    }

    package var string: String? { stringBytes.map { String(decoding: $0, as: UTF8.self) } }

    /// The text of a string in UTF-8, escapes undone.
    package var stringBytes: [UInt8]? {
        let node = node
        switch node.kind {
        case .string: return Array(document.bytes[Int(node.start)..<Int(node.end)])
        case .stringWithEscapes: return JSONText.unescaped(document.bytes[Int(node.start)..<Int(node.end)])
        default: return nil
        }
    }

    package var bool: Bool? {
        switch node.kind {
        case .isTrue: true
        case .isFalse: false
        default: nil
        }
    }

    /// A whole number written with digits alone, within 64 bits.
    package var int: Int64? {
        guard node.kind == .integer else { return nil }
        return Int64(String(decoding: raw, as: UTF8.self))
    }

    package var int32: Int32? { int.flatMap(Int32.init(exactly:)) }

    /// Milliseconds since 1970, within the years 1 to 9999: reckoning with a moment must not overflow,
    /// and dates are read before the signature is checked.
    package var moment: Moment? {
        guard let int, (-62_135_596_800_000...253_402_300_799_999).contains(int) else { return nil }
        return Moment(milliseconds: int)
    }

    /// The value's own text, as it stands in the document; of a string without its quotation marks.
    package var raw: ArraySlice<UInt8> { document.bytes[Int(node.start)..<Int(node.end)] }
}
