/// What is wrong with a file that should hold a private P-256 key.
package enum PrivateKeyFileError: Error, Sendable, Equatable, CustomStringConvertible {
    case empty
    case notPEM
    case truncated
    case encrypted
    case certificate
    case publicKey
    case rsa
    case otherCurve
    /// The name of the kind, or of the PEM block.
    case otherKind(String)
    /// The public key in the file does not belong to the private one.
    case mismatch
    case unreadable

    package var description: String {
        switch self {
        case .empty: "the file is empty"
        case .notPEM: "this is not a .p8 file: it has no line -----BEGIN PRIVATE KEY-----"
        case .truncated: "the key is cut off: part of the file is missing"
        case .encrypted: "the key is protected by a password; Apple's .p8 files are not"
        case .certificate: "this is a certificate, not a private key"
        case .publicKey: "this is a public key, not a private one"
        case .rsa: "this is an RSA key; Apple's In-App Purchase keys are P-256 elliptic-curve keys"
        case .otherCurve: "this key is on another elliptic curve than P-256"
        case .otherKind(let name): "this is another kind of file (\(name)), not a P-256 private key"
        case .mismatch: "the public key in the file does not belong to the private key"
        case .unreadable: "the key between its two marker lines cannot be read"
        }
    }
}

/// Apple's `.p8` files: PEM around an unencrypted PKCS#8 P-256 key (RFC 5958, RFC 5915).
package enum PrivateKeyFile {
    /// Bytes; a .p8 file has about 260.
    package static let bytesMax = 16 * 1024

    /// Makes no copy of the text or the scalar outside wiped memory.
    ///
    /// Line breaks may be missing, blanks, or the two characters `\n`: secret stores do that to keys.
    package static func p256(fromPEM text: borrowing SecretBytes) throws(PrivateKeyFileError) -> P256Key {
        guard text.count <= bytesMax else { throw .notPEM }
        let block = try text.withBytes { (bytes) throws(PrivateKeyFileError) in try keyBlock(bytes) }
        let der = try text.withBytes { (bytes) throws(PrivateKeyFileError) in try decoded(bytes, block.body) }
        return try der.withBytes { (bytes) throws(PrivateKeyFileError) in try key(bytes, isPKCS8: block.isPKCS8) }
    }

    private static func key(
        _ bytes: borrowing Span<UInt8>, isPKCS8: Bool
    ) throws(PrivateKeyFileError) -> P256Key {
        do {
            if isPKCS8 { return try pkcs8(bytes) }
            return try ecPrivateKey(bytes, 0..<bytes.count, needsCurve: true)
        } catch {
            switch error {
            case .format(.truncated): throw .truncated
            case .format(.malformed): throw .unreadable
            case .file(let error): throw error
            }
        }
    }

    /// The key as Apple's files have it, for those who hand out keys: simulators and tests.
    package static func pem(of key: borrowing P256Key) -> SecretBytes {
        let point = key.publicKey.x963
        let scalar = key.scalar()
        let der = scalar.withBytes { scalar in
            SecretBytes(count: derHead.count + 32 + derMiddle.count + point.count) { out in
                var at = 0
                for byte in derHead { out[at] = byte; at += 1 }
                for i in 0..<32 { out[at] = scalar[i]; at += 1 }
                for byte in derMiddle { out[at] = byte; at += 1 }
                for byte in point { out[at] = byte; at += 1 }
            }
        }
        let characters = der.withBytes { Base64Alphabet.standard.encode($0) }
        let padded = (characters.count + 3) / 4 * 4
        let begin = Array("-----BEGIN PRIVATE KEY-----\n".utf8)
        let end = Array("-----END PRIVATE KEY-----\n".utf8)
        return SecretBytes(count: begin.count + padded + (padded + 63) / 64 + end.count) { out in
            var at = 0
            for byte in begin { out[at] = byte; at += 1 }
            for i in 0..<padded {
                out[at] = i < characters.count ? characters[i] : UInt8(ascii: "=")
                at += 1
                if i % 64 == 63 || i == padded - 1 { out[at] = 0x0A; at += 1 }
            }
            for byte in end { out[at] = byte; at += 1 }
        }
    }

    // MARK: PEM

    private static let marker = Array("-----BEGIN ".utf8)
    private static let endMarker = Array("-----END ".utf8)

    private static func keyBlock(
        _ text: borrowing Span<UInt8>
    ) throws(PrivateKeyFileError) -> (isPKCS8: Bool, body: Range<Int>) {
        var isBlank = true
        for i in 0..<text.count where !isSpace(text[i]) { isBlank = false }
        if isBlank { throw .empty }
        var first: PrivateKeyFileError?
        var at = 0
        while let begin = find(marker, in: text, from: at) {
            var labelEnd = begin + marker.count
            while labelEnd < text.count, text[labelEnd] != UInt8(ascii: "-") { labelEnd += 1 }
            guard labelEnd + 5 <= text.count, labelEnd - begin < 80 else { throw .truncated }
            var label = ""
            for i in (begin + marker.count)..<labelEnd { label.unicodeScalars.append(Unicode.Scalar(text[i])) }
            let bodyStart = labelEnd + 5
            let bodyEnd = find(endMarker, in: text, from: bodyStart)
            at = bodyEnd ?? text.count
            switch label {
            case "PRIVATE KEY", "EC PRIVATE KEY":
                guard let bodyEnd else { throw .truncated }
                if find(Array("ENCRYPTED".utf8), in: text, from: bodyStart).map({ $0 < bodyEnd }) ?? false {
                    throw .encrypted
                }
                return (label == "PRIVATE KEY", bodyStart..<bodyEnd)
            case "EC PARAMETERS": continue
            case "ENCRYPTED PRIVATE KEY": first = first ?? .encrypted
            case "RSA PRIVATE KEY": first = first ?? .rsa
            case "CERTIFICATE", "TRUSTED CERTIFICATE", "X509 CERTIFICATE": first = first ?? .certificate
            case "PUBLIC KEY", "RSA PUBLIC KEY": first = first ?? .publicKey
            default: first = first ?? .otherKind(label)
            }
        }
        throw first ?? .notPEM
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    private static func find(_ needle: [UInt8], in text: borrowing Span<UInt8>, from start: Int) -> Int? {
        var at = start
        while at + needle.count <= text.count {
            var i = 0
            while i < needle.count, text[at + i] == needle[i] { i += 1 }
            if i == needle.count { return at }
            at += 1
        }
        return nil
    }

    /// The body's base64, without what line breaks became.
    private static func decoded(
        _ text: borrowing Span<UInt8>, _ body: Range<Int>
    ) throws(PrivateKeyFileError) -> SecretBytes {
        var count = 0
        let characters = SecretBytes(count: body.count) { out in
            var i = body.lowerBound
            while i < body.upperBound {
                let byte = text[i]
                let follower = i + 1 < body.upperBound ? text[i + 1] : 0
                if byte == UInt8(ascii: "\\"), follower == UInt8(ascii: "n") || follower == UInt8(ascii: "r") {
                    i += 2
                    continue
                }
                i += 1
                if isSpace(byte) { continue }
                out[count] = byte
                count += 1
            }
        }
        return try characters.withBytes { (characters) throws(PrivateKeyFileError) in
            var end = count
            while end > 0, count - end < 2, characters[end - 1] == UInt8(ascii: "=") { end -= 1 }
            guard count > 0 else { throw .truncated }
            guard let size = Base64Alphabet.decodedCount(end) else { throw .truncated }
            let text = characters.extracting(0..<end)
            return try SecretBytes(count: size) { (out) throws(PrivateKeyFileError) in
                guard Base64Alphabet.standard.decode(text, into: &out) else { throw .unreadable }
            }
        }
    }

    // MARK: DER

    private enum Failure: Error {
        case format(DERReader.Failure)
        case file(PrivateKeyFileError)
    }

    private static let ecPublicKey: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01]
    private static let prime256v1: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]
    /// rsaEncryption, RSASSA-PSS and their kin begin so.
    private static let pkcs1: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01]

    /// What stands before, and after, the scalar in a PKCS#8 P-256 key.
    private static let derHead: [UInt8] =
        [0x30, 0x81, 0x87, 0x02, 0x01, 0x00, 0x30, 0x13, 0x06, 0x07] + ecPublicKey + [0x06, 0x08] + prime256v1
        + [0x04, 0x6D, 0x30, 0x6B, 0x02, 0x01, 0x01, 0x04, 0x20]
    private static let derMiddle: [UInt8] = [0xA1, 0x44, 0x03, 0x42, 0x00]

    private static func pkcs8(_ bytes: borrowing Span<UInt8>) throws(Failure) -> P256Key {
        var outer = DERReader(0..<bytes.count)
        do {
            var info = DERReader(try outer.take(0x30, bytes))
            _ = try info.take(0x02, bytes)
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
        } catch let error as Failure {
            throw error
        } catch let error as DERReader.Failure {
            throw .format(error)
        } catch {
            throw .format(.malformed)
        }
    }

    private static func ecPrivateKey(
        _ bytes: borrowing Span<UInt8>, _ range: Range<Int>, needsCurve: Bool
    ) throws(Failure) -> P256Key {
        var outer = DERReader(range)
        let digits: Range<Int>
        var point: Range<Int>?
        do {
            var key = DERReader(try outer.take(0x30, bytes))
            _ = try key.take(0x02, bytes)
            digits = try key.take(0x04, bytes)
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
        } catch let error as Failure {
            throw error
        } catch let error as DERReader.Failure {
            throw .format(error)
        } catch {
            throw .format(.malformed)
        }
        guard (1...32).contains(digits.count) else { throw .format(.malformed) }
        let scalar = SecretBytes(count: 32) { out in
            for i in 0..<digits.count { out[32 - digits.count + i] = bytes[digits.lowerBound + i] }
        }
        let key: P256Key
        do { key = try P256Key(scalar: scalar) } catch { throw .file(.unreadable) }
        // A compressed point is not compared; OpenSSL and Apple write the plain one.
        if let point, point.count == 65, !equal(point, key.publicKey.x963, bytes) { throw .file(.mismatch) }
        return key
    }

    private static func equal(_ range: Range<Int>, _ other: [UInt8], _ bytes: borrowing Span<UInt8>) -> Bool {
        guard range.count == other.count else { return false }
        for i in 0..<other.count where bytes[range.lowerBound + i] != other[i] { return false }
        return true
    }
}
