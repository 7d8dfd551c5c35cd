package import AppStore
import Crypto

/// A notification as it is kept: the signed text, to the byte, in one of two forms.
///
/// A notification repeats the same 4 kB of certificates three times, two of them coded twice. Packed,
/// it is the number of the header's row, the 64 bytes of the signature, and the payload's JSON in
/// which each inner signed text stands decoded once: 1.6 kB instead of 18. base64url without padding
/// and with zero tail bits has one spelling, so unpacking gives the original; it is tried before the
/// text is stored, and what does not come back equal is kept as received.
package struct StoredNotification: Sendable, Hashable {
    package enum Form: Int16, Sendable {
        case asReceived = 0
        case packed = 1
    }

    package let form: Form
    /// Rows of `signature_headers`: the outer one first, then one for each inner text; none as received.
    package let headers: [Int32]
    /// Of the outer text; empty as received.
    package let signature: [UInt8]
    package let body: [UInt8]

    package init(form: Form, headers: [Int32], signature: [UInt8], body: [UInt8]) {
        self.form = form
        self.headers = headers
        self.signature = signature
        self.body = body
    }

    /// The signed text as it was received.
    package static func asReceived(_ text: [UInt8]) -> StoredNotification {
        StoredNotification(form: .asReceived, headers: [], signature: [], body: text)
    }

    /// Packs a verified compact text where that is possible without loss.
    ///
    /// - Parameter headerNumber: the row of the outer header, whose chain was verified. Inner texts are
    ///   packed where they carry the same header; others stay as they are.
    package static func packing(_ text: JWS, headerNumber: Int32) -> StoredNotification {
        guard text.signature.count == 64 else { return .asReceived(text.text) }
        let (payload, signature) = (text.payload, text.signature)
        let inner = innerTexts(of: payload, header: text.headerText)
        var body: [UInt8] = [UInt8(inner.count)]
        var rest: [UInt8] = []
        rest.reserveCapacity(payload.count)
        var at = 0
        for piece in inner {
            body.append(bigEndian: UInt32(piece.range.lowerBound))
            body.append(contentsOf: piece.signature)
            body.append(bigEndian: UInt32(piece.payload.count))
            body.append(contentsOf: piece.payload)
            rest.append(contentsOf: payload[at..<piece.range.lowerBound])
            at = piece.range.upperBound
        }
        rest.append(contentsOf: payload[at...])
        body.append(contentsOf: rest)
        let packed = StoredNotification(
            form: .packed, headers: Array(repeating: headerNumber, count: inner.count + 1), signature: signature,
            body: body)
        let header = Array(text.headerText)
        guard packed.text(header: { _ in header }) == text.text else { return .asReceived(text.text) }
        return packed
    }

    /// The signed text as it was received; nil where a header is missing or the row is damaged.
    ///
    /// - Parameter header: the header of a row, as it stands before the first dot.
    package func text(header: (Int32) -> [UInt8]?) -> [UInt8]? {
        guard form == .packed else { return body }
        guard let outer = headers.first.flatMap(header), let count = body.first.map(Int.init),
            headers.count == count + 1
        else { return nil }
        var reader = Reader(bytes: body, at: 1)
        var pieces: [(offset: Int, text: [UInt8])] = []
        for number in headers.dropFirst() {
            guard let offset = reader.number(), let signature = reader.take(64), let length = reader.number(),
                let payload = reader.take(length), let header = header(number)
            else { return nil }
            pieces.append((offset, Self.compact(header, payload, signature)))
        }
        let rest = body[reader.at...]
        var payload: [UInt8] = []
        payload.reserveCapacity(rest.count + pieces.reduce(0) { $0 + $1.text.count })
        var at = rest.startIndex
        for piece in pieces {
            let plain = piece.offset - payload.count
            guard plain >= 0, plain <= rest.endIndex - at else { return nil }
            payload.append(contentsOf: rest[at..<(at + plain)])
            at += plain
            payload.append(contentsOf: piece.text)
        }
        payload.append(contentsOf: rest[at...])
        return Self.compact(outer, payload[...], signature[...])
    }

    private static func compact(
        _ header: [UInt8], _ payload: ArraySlice<UInt8>, _ signature: ArraySlice<UInt8>
    ) -> [UInt8] {
        let payload = Base64URL.encodedBytes(Array(payload))
        let signature = Base64URL.encodedBytes(Array(signature))
        var out: [UInt8] = []
        out.reserveCapacity(header.count + payload.count + signature.count + 2)
        out.append(contentsOf: header)
        out.append(0x2E)
        out.append(contentsOf: payload)
        out.append(0x2E)
        out.append(contentsOf: signature)
        return out
    }

    private struct Inner {
        let range: Range<Int>
        let payload: [UInt8]
        let signature: [UInt8]
    }

    /// The strings of a JSON text that are signed texts with the given header, in order.
    private static func innerTexts(of json: [UInt8], header: ArraySlice<UInt8>) -> [Inner] {
        var found: [Inner] = []
        var at = 0
        while at < json.count, found.count < 16 {
            guard json[at] == 0x22 else {
                at += 1
                continue
            }
            let start = at + 1
            at = start
            while at < json.count, json[at] != 0x22 { at += 1 }
            guard at < json.count else { break }
            // A key or a short value ends at once; a signed text is longer than its header.
            if at - start > header.count, let text = Compact(json[start..<at]), text.header.elementsEqual(header),
                let payload = Base64URL.decode(text.payload), let signature = Base64URL.decode(text.signature),
                signature.count == 64
            {
                found.append(Inner(range: start..<at, payload: payload, signature: signature))
            }
            at += 1
        }
        return found
    }

    /// The three parts of a compact text.
    private struct Compact {
        let header: ArraySlice<UInt8>
        let payload: ArraySlice<UInt8>
        let signature: ArraySlice<UInt8>

        init?(_ text: ArraySlice<UInt8>) {
            guard let first = text.firstIndex(of: 0x2E), let last = text.lastIndex(of: 0x2E), first < last else {
                return nil
            }
            header = text[..<first]
            payload = text[(first + 1)..<last]
            signature = text[(last + 1)...]
        }
    }

    private struct Reader {
        let bytes: [UInt8]
        var at: Int

        mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
            guard count >= 0, count <= bytes.count - at else { return nil }
            defer { at += count }
            return bytes[at..<(at + count)]
        }

        mutating func number() -> Int? { take(4)?.reduce(0) { $0 << 8 | Int($1) } }
    }
}

extension [UInt8] {
    fileprivate mutating func append(bigEndian number: UInt32) {
        for shift: UInt32 in [24, 16, 8, 0] { append(UInt8(truncatingIfNeeded: number >> shift)) }
    }
}
