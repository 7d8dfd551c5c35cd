/// DER inside key files: reads P-256 private keys, and knows the other things that people have for keys.
enum PrivateKeyDER {
    enum Failure: Error {
        case format(DERReader.Failure)
        case file(PrivateKeyFileError)
    }

    private static let ecPublicKey: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01]
    private static let prime256v1: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]
    /// rsaEncryption, RSASSA-PSS and their kin begin so.
    private static let pkcs1: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01]

    /// Whether bytes begin as a DER sequence and not as text, in which `0` may come first too.
    static func looksLikeDER(_ bytes: borrowing Span<UInt8>) -> Bool {
        guard bytes.count >= 8, bytes[0] == 0x30 else { return false }
        // The second byte is a length; as text it would be a letter, a blank or, in UTF-16, zero.
        if bytes[1] >= 0x80 { return bytes[1] <= 0x84 }
        return bytes[1] > 0 && [0x02, 0x30, 0x06].contains(bytes[2])
    }

    static func key(_ bytes: borrowing Span<UInt8>) throws(Failure) -> P256Key {
        do {
            var outer = DERReader(0..<bytes.count)
            let whole = try outer.take(0x30, bytes)
            var items = DERReader(whole)
            switch items.peek(bytes) {
            case 0x02:
                let version = try items.take(0x02, bytes)
                switch items.peek(bytes) {
                case 0x30:
                    if version.count == 1, bytes[version.lowerBound] == 3 { throw Failure.file(.otherKind("PKCS #12")) }
                    return try pkcs8(&items, bytes)
                case 0x04: return try ecPrivateKey(bytes, 0..<bytes.count, needsCurve: true)
                case 0x02:
                    let isPrivate = version.count == 1 && bytes[version.lowerBound] <= 1
                    throw Failure.file(isPrivate ? .rsa : .publicKey)
                default: throw DERReader.Failure.malformed
                }
            case 0x30: throw Failure.file(try headed(try items.take(0x30, bytes), items, bytes))
            case 0x06: throw Failure.file(.otherKind("PKCS #7"))
            default: throw DERReader.Failure.malformed
            }
        } catch let error as Failure {
            throw error
        } catch let error as DERReader.Failure {
            throw .format(error)
        } catch {
            throw .format(.malformed)
        }
    }

    /// What a sequence is that begins with another one: public and encrypted keys begin with an algorithm,
    /// certificates and requests with what is certified.
    private static func headed(
        _ head: Range<Int>, _ rest: DERReader, _ bytes: borrowing Span<UInt8>
    ) throws(DERReader.Failure) -> PrivateKeyFileError {
        var inner = DERReader(head)
        switch inner.peek(bytes) {
        case 0x06: return rest.peek(bytes) == 0x03 ? .publicKey : .encrypted
        case 0xA0: return .certificate
        case 0x02:
            _ = try inner.take(0x02, bytes)
            let next = DERReader(try inner.take(0x30, bytes))
            return next.peek(bytes) == 0x06 ? .certificate : .otherKind("certificate request")
        default: throw .malformed
        }
    }

    private static func pkcs8(
        _ info: inout DERReader, _ bytes: borrowing Span<UInt8>
    ) throws -> P256Key {
        var algorithm = DERReader(try info.take(0x30, bytes))
        let kind = try algorithm.take(0x06, bytes)
        guard equal(kind, ecPublicKey, bytes) else {
            if kind.count >= pkcs1.count, equal(kind.prefix(pkcs1.count), pkcs1, bytes) { throw Failure.file(.rsa) }
            throw Failure.file(.otherKind("another algorithm"))
        }
        guard algorithm.peek(bytes) == 0x06, equal(try algorithm.take(0x06, bytes), prime256v1, bytes) else {
            throw Failure.file(.otherCurve)
        }
        let key = try info.take(0x04, bytes)
        return try ecPrivateKey(bytes, key, needsCurve: false)
    }

    private static func ecPrivateKey(
        _ bytes: borrowing Span<UInt8>, _ range: Range<Int>, needsCurve: Bool
    ) throws -> P256Key {
        var outer = DERReader(range)
        var point: Range<Int>?
        var key = DERReader(try outer.take(0x30, bytes))
        _ = try key.take(0x02, bytes)
        let digits = try key.take(0x04, bytes)
        var namesCurve = false
        if key.peek(bytes) == 0xA0 {
            var parameters = DERReader(try key.take(0xA0, bytes))
            guard parameters.peek(bytes) == 0x06, equal(try parameters.take(0x06, bytes), prime256v1, bytes) else {
                throw Failure.file(.otherCurve)
            }
            namesCurve = true
        }
        if key.peek(bytes) == 0xA1 {
            var bits = DERReader(try key.take(0xA1, bytes))
            let string = try bits.take(0x03, bytes)
            guard string.count > 1 else { throw DERReader.Failure.malformed }
            point = string.dropFirst()
        }
        if needsCurve, !namesCurve { throw Failure.file(.otherCurve) }
        guard (1...32).contains(digits.count) else { throw DERReader.Failure.malformed }
        let scalar = SecretBytes(count: 32) { out in
            for i in 0..<digits.count { out[32 - digits.count + i] = bytes[digits.lowerBound + i] }
        }
        let made: P256Key
        do { made = try P256Key(scalar: scalar) } catch { throw Failure.file(.unreadable) }
        // A compressed point is not compared; OpenSSL and Apple write the plain one.
        if let point, point.count == 65, !equal(point, made.publicKey.x963, bytes) { throw Failure.file(.mismatch) }
        return made
    }

    private static func equal(_ range: Range<Int>, _ other: [UInt8], _ bytes: borrowing Span<UInt8>) -> Bool {
        guard range.count == other.count else { return false }
        for i in 0..<other.count where bytes[range.lowerBound + i] != other[i] { return false }
        return true
    }

    // MARK: writing

    /// What stands before, and after, the scalar in a PKCS#8 P-256 key.
    private static let head: [UInt8] =
        [0x30, 0x81, 0x87, 0x02, 0x01, 0x00, 0x30, 0x13, 0x06, 0x07] + ecPublicKey + [0x06, 0x08] + prime256v1
        + [0x04, 0x6D, 0x30, 0x6B, 0x02, 0x01, 0x01, 0x04, 0x20]
    private static let middle: [UInt8] = [0xA1, 0x44, 0x03, 0x42, 0x00]

    static func pkcs8(of key: borrowing P256Key) -> SecretBytes {
        let point = key.publicKey.x963
        return key.scalar().withBytes { scalar in
            SecretBytes(count: head.count + 32 + middle.count + point.count) { out in
                var at = 0
                for byte in head { out[at] = byte; at += 1 }
                for i in 0..<32 { out[at] = scalar[i]; at += 1 }
                for byte in middle { out[at] = byte; at += 1 }
                for byte in point { out[at] = byte; at += 1 }
            }
        }
    }
}
