/// What stood around the signed text of a delivery, so that its body can be given back to the byte.
///
/// Apple writes `{"signedPayload":"…"}` and nothing else: of that nothing is kept. Whatever differs (blanks, another
/// member, an escaped character) is kept without the signed text where that stands in it as it is, else as a whole.
enum BodyWrapping {
    private static let head = Array(#"{"signedPayload":""#.utf8)
    private static let tail = Array(#""}"#.utf8)

    /// What has to be kept; nil for the usual form.
    static func of(_ body: [UInt8], around text: [UInt8]) -> [UInt8]? {
        if body.count == head.count + text.count + tail.count, body.starts(with: head),
            body[head.count...].starts(with: text), body.suffix(tail.count).elementsEqual(tail)
        {
            return nil
        }
        guard let at = place(of: text, in: body) else { return bytes(of: .max) + body }
        return bytes(of: UInt32(at)) + body[..<at] + body[(at + text.count)...]
    }

    /// The body as it was received; nil where what was kept is damaged.
    static func body(around text: [UInt8], wrapping: [UInt8]?) -> [UInt8]? {
        guard let wrapping else { return head + text + tail }
        guard wrapping.count >= 4 else { return nil }
        let at = wrapping[..<4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        let rest = wrapping[4...]
        if at == .max { return Array(rest) }
        guard Int(at) <= rest.count else { return nil }
        let cut = rest.startIndex + Int(at)
        return rest[..<cut] + text + rest[cut...]
    }

    /// A signed text is long and begins with its header: the first place that fits is the right one, or none.
    private static func place(of text: [UInt8], in body: [UInt8]) -> Int? {
        guard let first = text.first, text.count <= body.count else { return nil }
        for at in 0...(body.count - text.count)
        where body[at] == first && body[at..<(at + text.count)].elementsEqual(text) {
            return at
        }
        return nil
    }

    private static func bytes(of number: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> UInt32($0)) }
    }
}
