package import FoundationEssentials
package import Time

extension Bool: SQLValue {
    package static var sqlType: SQLType { .bool }

    package func encode(into bytes: inout [UInt8]) -> Bool {
        bytes.append(self ? 1 : 0)
        return true
    }

    package static func decode(_ bytes: RawSpan?, type: SQLType) throws(DecodingTrouble) -> Bool {
        guard let bytes else { throw .null }
        guard type == .bool, bytes.byteCount == 1 else { throw .type(type) }
        return bytes.byte(0) != 0
    }
}

/// Whole numbers read every width of whole number that fits them.
package protocol SQLInteger: SQLValue, FixedWidthInteger {}

extension SQLInteger {
    package static func decode(_ bytes: RawSpan?, type: SQLType) throws(DecodingTrouble) -> Self {
        guard let bytes else { throw .null }
        let wide: Int64
        switch (type, bytes.byteCount) {
        case (.int2, 2): wide = Int64(bytes.bigEndian(Int16.self))
        case (.int4, 4): wide = Int64(bytes.bigEndian(Int32.self))
        case (.int8, 8): wide = bytes.bigEndian(Int64.self)
        default: throw .type(type)
        }
        guard let value = Self(exactly: wide) else { throw .value }
        return value
    }

    package func encode(into bytes: inout [UInt8]) -> Bool {
        bytes.append(bigEndian: self)
        return true
    }
}

extension Int16: SQLInteger { package static var sqlType: SQLType { .int2 } }
extension Int32: SQLInteger { package static var sqlType: SQLType { .int4 } }
extension Int64: SQLInteger { package static var sqlType: SQLType { .int8 } }
extension Int: SQLInteger { package static var sqlType: SQLType { .int8 } }

extension Double: SQLValue {
    package static var sqlType: SQLType { .float8 }

    package func encode(into bytes: inout [UInt8]) -> Bool {
        bytes.append(bigEndian: bitPattern)
        return true
    }

    package static func decode(_ bytes: RawSpan?, type: SQLType) throws(DecodingTrouble) -> Double {
        guard let bytes else { throw .null }
        switch (type, bytes.byteCount) {
        case (.float8, 8): return Double(bitPattern: bytes.bigEndian(UInt64.self))
        case (.float4, 4): return Double(Float(bitPattern: bytes.bigEndian(UInt32.self)))
        default: throw .type(type)
        }
    }
}

extension String: SQLValue {
    package static var sqlType: SQLType { .text }

    /// A text with U+0000 is refused by the server (SQLSTATE 22021); check texts at the border.
    package func encode(into bytes: inout [UInt8]) -> Bool {
        bytes.append(contentsOf: utf8)
        return true
    }

    package static func decode(_ bytes: RawSpan?, type: SQLType) throws(DecodingTrouble) -> String {
        guard let bytes else { throw .null }
        switch type {
        case .text, .varchar, .bpchar, .name, .json: return String(decoding: bytes.array, as: UTF8.self)
        case .jsonb:
            // A version number stands in front.
            guard bytes.byteCount > 0, bytes.byte(0) == 1 else { throw .value }
            return String(decoding: bytes.array.dropFirst(), as: UTF8.self)
        default: throw .type(type)
        }
    }
}

extension UUID: SQLValue {
    package static var sqlType: SQLType { .uuid }

    package func encode(into bytes: inout [UInt8]) -> Bool {
        let u = uuid
        bytes.append(contentsOf: [
            u.0, u.1, u.2, u.3, u.4, u.5, u.6, u.7, u.8, u.9, u.10, u.11, u.12, u.13, u.14, u.15,
        ])
        return true
    }

    package static func decode(_ bytes: RawSpan?, type: SQLType) throws(DecodingTrouble) -> UUID {
        guard let b = bytes else { throw .null }
        guard type == .uuid, b.byteCount == 16 else { throw .type(type) }
        return UUID(
            uuid: (
                b.byte(0), b.byte(1), b.byte(2), b.byte(3), b.byte(4), b.byte(5), b.byte(6), b.byte(7),
                b.byte(8), b.byte(9), b.byte(10), b.byte(11), b.byte(12), b.byte(13), b.byte(14), b.byte(15)
            ))
    }
}

extension Moment: SQLValue {
    package static var sqlType: SQLType { .timestamptz }

    /// 2000-01-01T00:00:00Z, where PostgreSQL counts from.
    private static let epochMilliseconds: Int64 = 946_684_800_000

    /// Microseconds since 2000. No zone of host, session or database takes part.
    ///
    /// A moment beyond the server's years (before 4713 BC or after 294276) is sent as a number that
    /// the server refuses (SQLSTATE 22008), so that it never becomes another moment in silence.
    package func encode(into bytes: inout [UInt8]) -> Bool {
        let (since, early) = milliseconds.subtractingReportingOverflow(Self.epochMilliseconds)
        let (micro, large) = since.multipliedReportingOverflow(by: 1000)
        bytes.append(bigEndian: early || large ? (milliseconds < 0 ? Int64.min + 1 : Int64.max - 1) : micro)
        return true
    }

    /// Rounds down to the millisecond; `infinity` is the farthest moment there is.
    package static func decode(_ bytes: RawSpan?, type: SQLType) throws(DecodingTrouble) -> Moment {
        guard let bytes else { throw .null }
        switch (type, bytes.byteCount) {
        case (.timestamptz, 8):
            let micro = bytes.bigEndian(Int64.self)
            if micro == .max || micro == .min { return Moment(milliseconds: micro) }
            let down = micro >= 0 ? micro / 1000 : -((-micro + 999) / 1000)
            return Moment(milliseconds: down + epochMilliseconds)
        case (.date, 4):
            // Midnight UTC.
            let days = Int64(bytes.bigEndian(Int32.self))
            return Moment(milliseconds: days * 86_400_000 + epochMilliseconds)
        default: throw .type(type)
        }
    }
}

extension Duration: SQLValue {
    package static var sqlType: SQLType { .interval }

    /// Microseconds, rounded towards zero; no days and no months, whose length depends on a calendar.
    package func encode(into bytes: inout [UInt8]) -> Bool {
        let (seconds, attoseconds) = components
        let (micro, large) = seconds.multipliedReportingOverflow(by: 1_000_000)
        bytes.append(bigEndian: large ? (seconds < 0 ? Int64.min : .max) : micro &+ attoseconds / 1_000_000_000_000)
        bytes.append(bigEndian: Int32(0))
        bytes.append(bigEndian: Int32(0))
        return true
    }

    package static func decode(_ bytes: RawSpan?, type: SQLType) throws(DecodingTrouble) -> Duration {
        guard let bytes else { throw .null }
        guard type == .interval, bytes.byteCount == 16 else { throw .type(type) }
        guard bytes.bigEndian(Int32.self, at: 12) == 0 else { throw .value }
        return .microseconds(bytes.bigEndian(Int64.self))
            + .seconds(86_400 * Int64(bytes.bigEndian(Int32.self, at: 8)))
    }
}

extension Optional: SQLValue where Wrapped: SQLValue {
    package static var sqlType: SQLType { Wrapped.sqlType }

    package func encode(into bytes: inout [UInt8]) -> Bool {
        guard let self else { return false }
        return self.encode(into: &bytes)
    }

    package static func decode(_ bytes: RawSpan?, type: SQLType) throws(DecodingTrouble) -> Wrapped? {
        guard let bytes else { return nil }
        return try Wrapped.decode(bytes, type: type)
    }
}
