package import FoundationEssentials
package import Time

/// What may be an element of an array: a scalar, or a byte (an array of bytes is a `bytea`).
package protocol SQLElement: Sendable {
    static var arrayType: SQLType { get }
    static func encode(_ array: [Self], into bytes: inout [UInt8])
    static func decode(_ bytes: RawSpan, type: SQLType) throws(DecodingTrouble) -> [Self]
}

extension Array: SQLValue where Element: SQLElement {
    package static var sqlType: SQLType { Element.arrayType }

    package func encode(into bytes: inout [UInt8]) -> Bool {
        Element.encode(self, into: &bytes)
        return true
    }

    package static func decode(_ bytes: RawSpan?, type: SQLType) throws(DecodingTrouble) -> [Element] {
        guard let bytes else { throw .null }
        return try Element.decode(bytes, type: type)
    }
}

extension UInt8: SQLElement {
    package static var arrayType: SQLType { .bytea }
    package static func encode(_ array: [UInt8], into bytes: inout [UInt8]) { bytes += array }
    package static func decode(_ bytes: RawSpan, type: SQLType) throws(DecodingTrouble) -> [UInt8] {
        guard type == .bytea else { throw .type(type) }
        return bytes.array
    }
}

/// The binary form of an array: dimensions, whether there are nulls, the element's type, the count,
/// the first index, then each element with its length (-1 for null).
extension SQLElement where Self: SQLValue {
    package static func encode(_ array: [Self], into bytes: inout [UInt8]) {
        bytes.append(bigEndian: Int32(array.isEmpty ? 0 : 1))
        let nulls = bytes.count
        bytes.append(bigEndian: Int32(0))
        bytes.append(bigEndian: sqlType.oid)
        guard !array.isEmpty else { return }
        bytes.append(bigEndian: Int32(clamping: array.count))
        bytes.append(bigEndian: Int32(1))
        for element in array {
            let start = bytes.count
            bytes.append(bigEndian: Int32(-1))
            guard element.encode(into: &bytes) else {
                bytes[nulls + 3] = 1
                continue
            }
            let length = UInt32(truncatingIfNeeded: bytes.count - start - 4)
            for index in 0..<4 { bytes[start + index] = UInt8(truncatingIfNeeded: length >> UInt32(24 - 8 * index)) }
        }
    }

    package static func decode(_ bytes: RawSpan, type: SQLType) throws(DecodingTrouble) -> [Self] {
        guard type == arrayType || type == alsoReads else { throw .type(type) }
        guard bytes.byteCount >= 12 else { throw .value }
        let dimensions = bytes.bigEndian(Int32.self)
        if dimensions == 0 { return [] }
        guard dimensions == 1, bytes.byteCount >= 20 else { throw .value }
        let element = SQLType(oid: bytes.bigEndian(UInt32.self, at: 8))
        let count = Int(bytes.bigEndian(Int32.self, at: 12))
        // Each element has four bytes of length at the least: a wrong count cannot make us reserve more.
        guard count >= 0, count <= (bytes.byteCount - 20) / 4 else { throw .value }
        var array: [Self] = []
        array.reserveCapacity(count)
        var offset = 20
        for _ in 0..<count {
            guard offset + 4 <= bytes.byteCount else { throw .value }
            let length = Int(bytes.bigEndian(Int32.self, at: offset))
            offset += 4
            if length < 0 {
                array.append(try decode(nil, type: element))
            } else {
                guard offset + length <= bytes.byteCount else { throw .value }
                array.append(try decode(bytes.extracting(offset..<(offset + length)), type: element))
                offset += length
            }
        }
        return array
    }

    /// A second array type with the same elements in Swift.
    private static var alsoReads: SQLType? {
        switch arrayType {
        case .textArray: SQLType(oid: 1015)  // varchar[]
        default: nil
        }
    }
}

extension Bool: SQLElement { package static var arrayType: SQLType { .boolArray } }
extension Int16: SQLElement { package static var arrayType: SQLType { .int2Array } }
extension Int32: SQLElement { package static var arrayType: SQLType { .int4Array } }
extension Int64: SQLElement { package static var arrayType: SQLType { .int8Array } }
extension Int: SQLElement { package static var arrayType: SQLType { .int8Array } }
extension Double: SQLElement { package static var arrayType: SQLType { .float8Array } }
extension String: SQLElement { package static var arrayType: SQLType { .textArray } }
extension UUID: SQLElement { package static var arrayType: SQLType { .uuidArray } }
extension Moment: SQLElement { package static var arrayType: SQLType { .timestamptzArray } }
extension Duration: SQLElement { package static var arrayType: SQLType { .intervalArray } }
extension Array: SQLElement where Element == UInt8 { package static var arrayType: SQLType { .byteaArray } }

/// Arrays with nulls in them.
extension Optional: SQLElement where Wrapped: SQLElement & SQLValue {
    package static var arrayType: SQLType { Wrapped.arrayType }
}
