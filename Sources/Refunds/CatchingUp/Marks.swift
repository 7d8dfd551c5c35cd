import Crypto

/// Numbers that stand for pages and places: what comes a second time is noticed.
enum Marks {
    /// Stands for these texts; nil for none.
    static func number(of texts: [String]) -> UInt64? {
        guard !texts.isEmpty else { return nil }
        let digest = Digest.sha256(Array(texts.joined(separator: "\n").utf8))
        return digest.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    static func bytes(_ numbers: [UInt64]) -> [UInt8] {
        numbers.flatMap { number in (0..<8).map { UInt8(truncatingIfNeeded: number >> UInt64(56 - 8 * $0)) } }
    }

    static func numbers(_ bytes: [UInt8]) -> [UInt64] {
        stride(from: 0, to: bytes.count - bytes.count % 8, by: 8).map { at in
            bytes[at..<(at + 8)].reduce(0) { $0 << 8 | UInt64($1) }
        }
    }
}
