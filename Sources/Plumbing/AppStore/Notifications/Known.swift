/// A value of Apple's that may be newer than this program: the raw value is always kept.
package struct Known<Value: RawRepresentable & Sendable>: Sendable where Value.RawValue: Sendable & Hashable {
    package let raw: Value.RawValue

    package init(_ raw: Value.RawValue) { self.raw = raw }

    /// nil for a value this program does not know.
    package var known: Value? { Value(rawValue: raw) }
}

extension Known: Equatable, Hashable {
    package static func == (a: Known, b: Known) -> Bool { a.raw == b.raw }
    package static func == (a: Known, b: Value) -> Bool { a.raw == b.rawValue }
    package static func != (a: Known, b: Value) -> Bool { a.raw != b.rawValue }
    package func hash(into hasher: inout Hasher) { hasher.combine(raw) }
}
