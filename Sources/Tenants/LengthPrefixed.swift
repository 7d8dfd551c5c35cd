/// Fields written one after another so that no two lists of fields give the same bytes: each stands behind its
/// length in four bytes, and an absent one is marked as such.
struct LengthPrefixed {
    private(set) var bytes: [UInt8] = []

    mutating func add(_ field: [UInt8]) {
        let length = UInt32(field.count)
        bytes += [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: length >> $0) }
        bytes += field
    }

    mutating func add(_ field: String) { add(Array(field.utf8)) }

    mutating func add(_ field: Int64) {
        add((0..<8).reversed().map { UInt8(truncatingIfNeeded: field >> Int64($0 * 8)) })
    }

    mutating func add(_ field: String?) {
        if let field { add(field) } else { bytes += [0xFF, 0xFF, 0xFF, 0xFF] }
    }
}
