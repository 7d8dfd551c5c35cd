/// A zone's file: when its clocks were changed, and by which rule they will be.
///
/// Source: RFC 8536. Only the second, 64-bit half of a file is read; files of the first version have none and are refused.
struct ZoneFile: Sendable {
    private var starts: [Int64] = []
    private var offsets: [Int64] = []
    /// Before the first change.
    private var first: Int64 = 0
    private var rule: ZoneRule?

    init?(_ bytes: [UInt8]) {
        guard let old = Header(bytes, at: 0), old.version >= UInt8(ascii: "2"),
            let new = Header(bytes, at: Header.size + old.bodySize(timeSize: 4))
        else { return nil }
        var at = new.body
        guard bytes.count >= at + new.bodySize(timeSize: 8) else { return nil }
        func number(_ at: Int, _ size: Int) -> Int64 {
            let raw = bytes[at..<at + size].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            return size == 4 ? Int64(Int32(truncatingIfNeeded: raw)) : Int64(bitPattern: raw)
        }
        starts = (0..<new.times).map { number(at + $0 * 8, 8) }
        at += new.times * 8
        let indices = bytes[at..<at + new.times].map(Int.init)
        at += new.times
        let types = (0..<new.types).map { number(at + $0 * 6, 4) }
        guard !types.isEmpty, indices.allSatisfy({ $0 < types.count }) else { return nil }
        guard zip(starts, starts.dropFirst()).allSatisfy({ $0 < $1 }) else { return nil }
        offsets = indices.map { types[$0] }
        first = types[0]
        let footer = bytes[(new.body + new.bodySize(timeSize: 8))...].drop { $0 == UInt8(ascii: "\n") }
            .prefix { $0 != UInt8(ascii: "\n") }
        rule = ZoneRule(String(decoding: footer, as: UTF8.self))
    }

    /// Seconds east of Greenwich at a moment in seconds since 1970.
    func offset(at moment: Int64) -> Int64 {
        guard let last = starts.last else { return rule?.offset(at: moment) ?? first }
        if moment >= last { return rule?.offset(at: moment) ?? offsets[offsets.count - 1] }
        guard moment >= starts[0] else { return first }
        var (low, high) = (0, starts.count - 1)
        while high - low > 1 {
            let middle = (low + high) / 2
            if starts[middle] <= moment { low = middle } else { high = middle }
        }
        return offsets[low]
    }

    private struct Header {
        static let size = 44
        let version: UInt8
        let body: Int
        let isUTC: Int
        let isStandard: Int
        let leaps: Int
        let times: Int
        let types: Int
        let letters: Int

        init?(_ bytes: [UInt8], at start: Int) {
            guard start >= 0, bytes.count >= start + Self.size, bytes[start..<start + 4].elementsEqual("TZif".utf8)
            else { return nil }
            version = bytes[start + 4]
            let counts = (0..<6).map { index in
                bytes[(start + 20 + index * 4)..<(start + 24 + index * 4)].reduce(0) { $0 << 8 | Int($1) }
            }
            // A real file has some hundreds; more is no file of zones.
            guard counts.allSatisfy({ $0 <= 10_000 }) else { return nil }
            (isUTC, isStandard, leaps, times, types, letters) = (
                counts[0], counts[1], counts[2], counts[3], counts[4], counts[5]
            )
            body = start + Self.size
        }

        func bodySize(timeSize: Int) -> Int {
            times * timeSize + times + types * 6 + letters + leaps * (timeSize + 4) + isStandard + isUTC
        }
    }
}
