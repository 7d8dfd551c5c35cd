import Loop

/// A body on its way in: no more memory than has really come.
struct BodyReception {
    private enum Decoder {
        case length(Int)
        case chunked(ChunkedDecoder)
    }

    private var decoder: Decoder
    private(set) var bytes: [UInt8] = []

    /// - Throws: `Refusal` 413 when the announced length is above `max`.
    init(_ framing: RequestHead.Framing, max: Int, fieldsMax: Int) throws(Refusal) {
        switch framing {
        case .none: decoder = .length(0)
        case .length(let count):
            guard count <= max else { throw .tooLarge }
            decoder = .length(count)
            // A stranger's word is good for a few kilobytes; what is more must come first.
            bytes.reserveCapacity(min(count, 16 * 1024))
        case .chunked: decoder = .chunked(ChunkedDecoder(bodyMax: max, fieldsMax: fieldsMax))
        }
    }

    var isComplete: Bool {
        switch decoder {
        case .length(let left): left == 0
        case .chunked(let chunks): chunks.isComplete
        }
    }

    /// - Returns: how many of `new` belong to this body.
    mutating func take(_ new: Span<UInt8>) throws(Refusal) -> Int {
        switch decoder {
        case .length(let left):
            let count = min(left, new.count)
            bytes.append(new.extracting(0..<count))
            decoder = .length(left - count)
            return count
        case .chunked(var chunks):
            decoder = .length(0)  // So that the decoder's buffers have one owner.
            defer { decoder = .chunked(chunks) }
            return try chunks.take(new, into: &bytes)
        }
    }
}
