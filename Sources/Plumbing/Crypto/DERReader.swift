/// Walks through DER (X.690) in memory it does not copy.
struct DERReader {
    private var at: Int
    private let end: Int

    init(_ range: Range<Int>) {
        at = range.lowerBound
        end = range.upperBound
    }

    enum Failure: Error {
        /// The encoding says that more bytes should be there.
        case truncated
        case malformed
    }

    var isAtEnd: Bool { at == end }

    /// The tag of the next element; nil at the end.
    func peek(_ bytes: borrowing Span<UInt8>) -> UInt8? { at < end ? bytes[at] : nil }

    /// The content of the next element, whose tag must be this.
    mutating func take(_ tag: UInt8, _ bytes: borrowing Span<UInt8>) throws(Failure) -> Range<Int> {
        guard at + 2 <= end else { throw .truncated }
        guard bytes[at] == tag else { throw .malformed }
        var length = Int(bytes[at + 1])
        var start = at + 2
        if length >= 0x80 {
            let count = length & 0x7F
            guard (1...3).contains(count) else { throw .malformed }
            guard start + count <= end else { throw .truncated }
            length = 0
            for _ in 0..<count {
                length = length << 8 | Int(bytes[start])
                start += 1
            }
        }
        guard start + length <= end else { throw .truncated }
        at = start + length
        return start..<at
    }
}
