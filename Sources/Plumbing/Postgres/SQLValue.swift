/// A type of PostgreSQL, by its number in `pg_type`, which is fixed for built-in types.
package struct SQLType: Hashable, Sendable {
    package let oid: UInt32

    package init(oid: UInt32) { self.oid = oid }

    static let bool = SQLType(oid: 16)
    static let bytea = SQLType(oid: 17)
    static let name = SQLType(oid: 19)
    static let int8 = SQLType(oid: 20)
    static let int2 = SQLType(oid: 21)
    static let int4 = SQLType(oid: 23)
    static let text = SQLType(oid: 25)
    static let json = SQLType(oid: 114)
    static let float4 = SQLType(oid: 700)
    static let float8 = SQLType(oid: 701)
    static let bpchar = SQLType(oid: 1042)
    static let varchar = SQLType(oid: 1043)
    static let date = SQLType(oid: 1082)
    static let timestamptz = SQLType(oid: 1184)
    static let interval = SQLType(oid: 1186)
    static let uuid = SQLType(oid: 2950)
    static let jsonb = SQLType(oid: 3802)
    static let void = SQLType(oid: 2278)

    static let boolArray = SQLType(oid: 1000)
    static let byteaArray = SQLType(oid: 1001)
    static let int2Array = SQLType(oid: 1005)
    static let int4Array = SQLType(oid: 1007)
    static let textArray = SQLType(oid: 1009)
    static let int8Array = SQLType(oid: 1016)
    static let float8Array = SQLType(oid: 1022)
    static let timestamptzArray = SQLType(oid: 1185)
    static let intervalArray = SQLType(oid: 1187)
    static let uuidArray = SQLType(oid: 2951)
}

/// A value that can be bound to a statement and read from a row, in PostgreSQL's binary form.
package protocol SQLValue: Sendable {
    /// The type that a bind is announced with.
    static var sqlType: SQLType { get }

    /// Appends the binary form, without its length; false for null, which appends nothing.
    func encode(into bytes: inout [UInt8]) -> Bool

    /// Reads the binary form of a column of type `type`; `bytes` is nil for null.
    static func decode(_ bytes: RawSpan?, type: SQLType) throws(DecodingTrouble) -> Self
}

/// Why a column could not be read as the wanted Swift type. Holds no value.
package enum DecodingTrouble: Error, Equatable {
    /// Null, where the Swift type has no nil.
    case null
    /// The column's type does not fit.
    case type(SQLType)
    /// The type fits and the value does not: a number too large, an interval of months.
    case value
}

extension [UInt8] {
    /// Appends an integer in network byte order.
    mutating func append<T: FixedWidthInteger>(bigEndian value: T) {
        var shift = T.bitWidth
        while shift > 0 {
            shift -= 8
            append(UInt8(truncatingIfNeeded: value >> T(shift)))
        }
    }
}

extension RawSpan {
    /// The integer in network byte order at `offset`; the caller has checked the bounds.
    func bigEndian<T: FixedWidthInteger>(_ type: T.Type, at offset: Int = 0) -> T {
        var value: T = 0
        for index in 0..<(T.bitWidth / 8) {
            value = value << 8 | T(truncatingIfNeeded: byte(offset + index))
        }
        return value
    }

    func byte(_ index: Int) -> UInt8 { unsafeLoad(fromByteOffset: index) }

    private func unsafeLoad(fromByteOffset offset: Int) -> UInt8 {
        precondition(offset >= 0 && offset < byteCount, "a read past the end of a column")
        return unsafe unsafeLoad(fromUncheckedByteOffset: offset, as: UInt8.self)
    }

    var array: [UInt8] { unsafe withUnsafeBytes { unsafe [UInt8]($0) } }
}
