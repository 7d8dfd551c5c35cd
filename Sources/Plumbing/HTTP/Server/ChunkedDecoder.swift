import Loop

/// Takes a chunked body apart, byte for byte, whatever pieces it comes in.
struct ChunkedDecoder {
    private enum State {
        case size
        case blankBehindSize
        case extensions
        case sizeLineFeed
        case data(Int)
        case dataReturn
        case dataLineFeed
        case trailer
        case ended
    }

    private var state = State.size
    private var size = 0
    private var digits = 0
    private var extensionBytes = 0
    private var trailer: [UInt8] = []
    private var trailerBytes = 0
    private var trailerFields = 0
    private let bodyMax: Int
    private let fieldsMax: Int

    /// Of all chunks together, and of the trailer.
    private static let overheadMax = 16 * 1024

    init(bodyMax: Int, fieldsMax: Int) {
        self.bodyMax = bodyMax
        self.fieldsMax = fieldsMax
    }

    var isComplete: Bool {
        if case .ended = state { true } else { false }
    }

    /// Adds the data in `bytes` to `body`.
    ///
    /// - Returns: how many bytes belong to this body; fewer than were given only when it has ended.
    /// - Throws: `Refusal`: 413 as soon as the size of a chunk says that the body will be too large;
    ///   400 for what is not well-formed.
    mutating func take(_ bytes: Span<UInt8>, into body: inout [UInt8]) throws(Refusal) -> Int {
        var index = 0
        while index < bytes.count {
            if case .data(let left) = state {
                let count = min(left, bytes.count - index)
                body.append(bytes.extracting(index..<index + count))
                index += count
                state = count == left ? .dataReturn : .data(left - count)
                continue
            }
            if case .ended = state { break }
            try take(bytes[index], bodyCount: body.count)
            index += 1
        }
        return index
    }

    private mutating func take(_ byte: UInt8, bodyCount: Int) throws(Refusal) {
        switch state {
        case .size: try takeSize(byte, bodyCount: bodyCount)
        case .blankBehindSize:
            switch byte {
            case ASCII.space, ASCII.tab: try countExtension()
            case ASCII.semicolon: state = .extensions
            default: throw .bad("the size of a chunk cannot be read")
            }
        case .extensions:
            if byte == ASCII.carriageReturn {
                state = .sizeLineFeed
            } else {
                guard byte.isFieldCharacter else { throw .bad("the extension of a chunk cannot be read") }
                try countExtension()
            }
        case .sizeLineFeed:
            guard byte == ASCII.lineFeed else { throw .bad("the size of a chunk must end in CR LF") }
            state = size == 0 ? .trailer : .data(size)
            size = 0
            digits = 0
        case .dataReturn:
            guard byte == ASCII.carriageReturn else { throw .bad("a chunk is longer than its size") }
            state = .dataLineFeed
        case .dataLineFeed:
            guard byte == ASCII.lineFeed else { throw .bad("a chunk must end in CR LF") }
            state = .size
        case .trailer: try takeTrailer(byte)
        case .data, .ended: break
        }
    }

    private mutating func takeSize(_ byte: UInt8, bodyCount: Int) throws(Refusal) {
        if let value = byte.hexValue {
            digits += 1
            // Sixteen digits are the largest number there is; leading zeros gain nobody anything.
            guard digits <= 16 else { throw .bad("the size of a chunk is too long") }
            guard size <= Int.max >> 4 else { throw .tooLarge }
            size = size << 4 | Int(value)
            return
        }
        guard digits > 0 else { throw .bad("the size of a chunk is missing") }
        guard size <= bodyMax - bodyCount else { throw .tooLarge }
        switch byte {
        case ASCII.carriageReturn: state = .sizeLineFeed
        case ASCII.semicolon: state = .extensions
        case ASCII.space, ASCII.tab: state = .blankBehindSize
        default: throw .bad("the size of a chunk cannot be read")
        }
    }

    private mutating func countExtension() throws(Refusal) {
        extensionBytes += 1
        guard extensionBytes <= Self.overheadMax else { throw .bad("the extensions of the chunks are too long") }
    }

    /// Trailers are checked as header fields are, and dropped: nothing here needs one, and one that
    /// replaced a header field would have passed its checks by.
    private mutating func takeTrailer(_ byte: UInt8) throws(Refusal) {
        trailer.append(byte)
        trailerBytes += 1
        guard trailerBytes <= Self.overheadMax else {
            throw Refusal(status: .headerFieldsTooLarge, text: "the trailer is too large")
        }
        guard byte == ASCII.lineFeed else { return }
        guard trailer.count >= 2, trailer[trailer.count - 2] == ASCII.carriageReturn else {
            throw .bad("a line must end in CR LF")
        }
        if trailer.count == 2 {
            trailer = []
            state = .ended
            return
        }
        trailerFields += 1
        guard trailerFields <= fieldsMax else {
            throw Refusal(status: .headerFieldsTooLarge, text: "there are too many trailer fields")
        }
        trailer.removeLast(2)
        _ = try FieldLine.parse(trailer.span)
        trailer.removeAll(keepingCapacity: true)
    }
}
