import Crypto
import Testing

/// A fresh key in the forms that reach a text field, and everything else that people take for a key.
@Suite struct `Private key file` {
    private static func file(_ text: String) -> SecretBytes { SecretBytes(copying: Array(text.utf8)) }

    private static func text(of key: borrowing P256Key) -> String {
        PrivateKeyFile.pem(of: key).withBytes { bytes in
            String(decoding: (0..<bytes.count).map { bytes[$0] }, as: UTF8.self)
        }
    }

    private static func scalar(of key: borrowing P256Key) -> [UInt8] {
        key.scalar().withBytes { bytes in (0..<bytes.count).map { bytes[$0] } }
    }

    private static func block(_ label: String, _ body: String) -> String {
        "-----BEGIN \(label)-----\n\(body)\n-----END \(label)-----\n"
    }

    private static func block(_ label: String, hex: String) throws -> String {
        block(label, Base64.encode(try #require(Hex.decode(hex))))
    }

    private static func body(_ clean: String) -> String {
        clean.split(separator: "\n").filter { !$0.hasPrefix("-") }.joined()
    }

    private static func sec1(_ key: borrowing P256Key) -> [UInt8] {
        [0x30, 0x77, 0x02, 0x01, 0x01, 0x04, 0x20] + scalar(of: key)
            + [0xA0, 0x0A, 0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07, 0xA1, 0x44, 0x03, 0x42, 0x00]
            + key.publicKey.x963
    }

    private static func utf16(_ text: String, bigEndian: Bool) -> [UInt8] {
        text.utf16.flatMap { unit in
            let bytes = [UInt8(unit & 0xFF), UInt8(unit >> 8)]
            return bigEndian ? bytes.reversed() : bytes
        }
    }

    private func refusal(_ bytes: [UInt8]) -> PrivateKeyFileError? {
        do {
            _ = try PrivateKeyFile.p256(from: SecretBytes(copying: bytes))
            return nil
        } catch {
            return error
        }
    }

    @Test func `a .p8 file gives the key that was written`() throws {
        let key = try P256Key.generate()
        let text = Self.text(of: key)
        #expect(text.hasPrefix("-----BEGIN PRIVATE KEY-----\nMIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg"))
        #expect(text.hasSuffix("\n-----END PRIVATE KEY-----\n"))
        #expect(text.split(separator: "\n").allSatisfy { $0.count <= 64 })
        let read = try PrivateKeyFile.p256(from: Self.file(text))
        #expect(read.publicKey == key.publicKey)
        let message = Array("x".utf8)
        #expect(key.publicKey.isValidSignature(try read.sign(message), for: message))
    }

    @Test func `BL-002: whatever survived the clipboard gives the same fingerprint as the clean file`() throws {
        let key = try P256Key.generate()
        let clean = Self.text(of: key)
        let body = Self.body(clean)
        let der = try #require(Base64.decode(body))
        let oneLine = "-----BEGIN PRIVATE KEY-----\n\(body)\n-----END PRIVATE KEY-----"
        let texts: [String: String] = [
            "clean": clean,
            "each line end escaped": clean.replacing("\n", with: "\\n"),
            "each line end a blank": clean.replacing("\n", with: " "),
            "line ends lost": clean.replacing("\n", with: ""),
            "body on one line": oneLine,
            "escaped twice": clean.replacing("\n", with: "\\\\n"),
            "escaped Windows ends": clean.replacing("\n", with: "\\r\\n"),
            "escaped as code points": clean.replacing("\n", with: "\\u000a"),
            "escaped as bytes": clean.replacing("\n", with: "\\x0a"),
            "percent-encoded": clean.replacing("+", with: "%2B").replacing("/", with: "%2F")
                .replacing("=", with: "%3D").replacing("\n", with: "%0A").replacing(" ", with: "%20"),
            "slashes escaped": clean.replacing("/", with: "\\/").replacing("\n", with: "\\n"),
            "continued lines": clean.replacing("\n", with: "\\\n"),
            "Windows ends": clean.replacing("\n", with: "\r\n"),
            "old Macintosh ends": clean.replacing("\n", with: "\r"),
            "doubled ends": clean.replacing("\n", with: "\n\n"),
            "tabs": clean.replacing("\n", with: "\n\t"),
            "indented": clean.replacing("\n", with: "\n    "),
            "stray blanks": "  " + clean.map { "\($0)" }.joined(separator: " ") + "  \n",
            "blanks of other kinds": clean.replacing("\n", with: "\u{A0}\u{200B}\u{2028}"),
            "byte-order mark": "\u{FEFF}" + clean,
            "mark inside": clean.replacing("\n", with: "\n\u{FEFF}"),
            "quoted": "\"" + clean.replacing("\n", with: "\\n") + "\"",
            "single quotes": "'" + clean + "'",
            "typographic quotes": "\u{201C}" + clean + "\u{201D}",
            "long dashes": clean.replacing("-----", with: "\u{2014}\u{2014}\u{2013}"),
            "fewer dashes": clean.replacing("-----", with: "---"),
            "first dashes lost": String(clean.dropFirst(5)),
            "all dashes lost": clean.replacing("-----", with: ""),
            "line of an env file": "APPLE_KEY=\"" + clean.replacing("\n", with: "\\n") + "\"\n",
            "JSON": #"{"keyId":"2X9R4HXF34","privateKey":""# + clean.replacing("\n", with: "\\n") + #""}"#,
            "JSON of lines": "[" + clean.split(separator: "\n").map { "\"\($0)\"" }.joined(separator: ",") + "]",
            "bare body": body,
            "bare body in lines": clean.split(separator: "\n").filter { !$0.hasPrefix("-") }.joined(separator: "\r\n"),
            "bare body without padding": body.replacing("=", with: ""),
            "bare body for URLs": body.replacing("+", with: "-").replacing("/", with: "_"),
            "first line lost": String(clean.drop { $0 != "\n" }),
            "last line lost": body.isEmpty ? "" : "-----BEGIN PRIVATE KEY-----\n\(body)\n",
            "base64 of the file": Base64.encode(Array(clean.utf8)),
            "base64 in lines": String(
                Base64.encode(Array(clean.utf8)).enumerated().flatMap {
                    $0.offset % 76 == 75 ? [$0.element, "\n"] : [$0.element]
                }),
            "base64 for URLs": Base64URL.encode(Array(clean.utf8)),
            "base64 twice": Base64.encode(Array(Base64.encode(Array(clean.utf8)).utf8)),
            "base64 of the escaped file": Base64.encode(Array(clean.replacing("\n", with: "\\n").utf8)),
            "attributes before": "Bag Attributes\n  friendlyName: x\n" + clean,
            "blank lines after": clean + "\n\n",
            "SEC1": Self.block("EC PRIVATE KEY", Base64.encode(Self.sec1(key))),
            "SEC1 after its parameters": try Self.block("EC PARAMETERS", hex: "06082a8648ce3d030107")
                + Self.block("EC PRIVATE KEY", Base64.encode(Self.sec1(key))),
            "SEC1 under the other label": Self.block("PRIVATE KEY", Base64.encode(Self.sec1(key))),
            "SEC1 bare": Base64.encode(Self.sec1(key)),
        ]
        var forms = texts.mapValues { Array($0.utf8) }
        forms["UTF-16 with mark"] = [0xFF, 0xFE] + Self.utf16(clean, bigEndian: false)
        forms["UTF-16 with mark, big end first"] = [0xFE, 0xFF] + Self.utf16(clean, bigEndian: true)
        forms["UTF-16 without mark"] = Self.utf16(clean, bigEndian: false)
        forms["UTF-16 without mark, big end first"] = Self.utf16(clean, bigEndian: true)
        forms["base64 of UTF-16"] = Array(Base64.encode([0xFF, 0xFE] + Self.utf16(clean, bigEndian: false)).utf8)
        forms["DER"] = der
        let expected = key.publicKey.fingerprint
        for (form, bytes) in forms {
            do {
                let read = try PrivateKeyFile.p256(from: SecretBytes(copying: bytes))
                #expect(read.publicKey.fingerprint == expected, "\(form)")
            } catch {
                Issue.record("\(form): \(error)")
            }
        }
    }

    @Test func `each kind of wrong file has its own name`() throws {
        let key = try P256Key.generate()
        let clean = Self.text(of: key)
        let body = Self.body(clean)
        let head = "3041020100301306072a8648ce3d020106082a8648ce3d030107042730250201010420"
        let rsa = "3016020100300d06092a864886f70d01010105000402" + "3000"
        let p384 = "301b020100301006072a8648ce3d020106052b810400220404300201" + "01"
        let locked = "301e301806092a864886f70d01050d300b300906072a864886f70d0204023000"
        let certificate = "301b3012a003020102020101300906072a8648ce3d02013000300503030000" + "00"
        let request = "30123006020100300031003003060100030200" + "00"
        let publicKey = "3059301306072a8648ce3d020106082a8648ce3d030107034200" + Hex.encode(key.publicKey.x963)
        func bare(_ hex: String) throws -> String { Base64.encode(try #require(Hex.decode(hex))) }
        let cases: [(String, PrivateKeyFileError)] = [
            ("", .empty), (" \n\t", .empty), ("\u{FEFF}\r\n", .empty), ("\"\"", .empty),
            ("hello", .notPEM), ("<!DOCTYPE html>", .notPEM), ("2X9R4HXF34", .notPEM), ("🔑🔑🔑🔑", .notPEM),
            ("57246542-96fe-1a63-e053-0824d011072a", .notPEM), (String(repeating: "a", count: 20_000), .notPEM),
            (String(repeating: "MIGH", count: 4), .truncated),
            (#"{"keyId": "2X9R4HXF34"}"#, .json), ("[]", .json),
            // Cut off at the end, in the middle, in a marker, at the beginning.
            (String(clean.prefix(100)), .truncated), (String(clean.prefix(101)), .truncated),
            (String(clean.prefix(15)), .truncated), ("-----BEGIN", .truncated),
            (String(clean.dropLast(60)), .truncated), (String(body.prefix(120)), .truncated),
            (String(clean.dropFirst(60)), .truncated), ("-----END PRIVATE KEY-----", .truncated),
            (Self.block("PRIVATE KEY", ""), .truncated),
            (Self.block("PRIVATE KEY", String(body.prefix(99))), .truncated),
            (try Self.block("PRIVATE KEY", hex: head + "0102"), .truncated),
            (try Self.block("ENCRYPTED PRIVATE KEY", hex: "3000"), .encrypted),
            (try Self.block("PRIVATE KEY", hex: locked), .encrypted), (try bare(locked), .encrypted),
            (
                Self.block("EC PRIVATE KEY", "Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n\nAAAA"), .encrypted
            ),
            (try Self.block("CERTIFICATE", hex: "3000"), .certificate),
            (try Self.block("PRIVATE KEY", hex: certificate), .certificate), (try bare(certificate), .certificate),
            (try Self.block("CERTIFICATE REQUEST", hex: "3000"), .otherKind("certificate request")),
            (try bare(request), .otherKind("certificate request")),
            (try Self.block("PUBLIC KEY", hex: "3000"), .publicKey),
            (try Self.block("PRIVATE KEY", hex: publicKey), .publicKey), (try bare(publicKey), .publicKey),
            (try Self.block("RSA PRIVATE KEY", hex: "3000"), .rsa),
            (try Self.block("PRIVATE KEY", hex: rsa), .rsa), (try bare(rsa), .rsa),
            (try bare("3009020100020103020103"), .rsa),
            (
                try Self.block(
                    "PRIVATE KEY", hex: "302e020100300506032b657004220420" + String(repeating: "01", count: 32)),
                .otherKind("another algorithm")
            ),
            (try Self.block("OPENSSH PRIVATE KEY", hex: "3000"), .otherKind("OPENSSH PRIVATE KEY")),
            (try Self.block("DSA PRIVATE KEY", hex: "3000"), .otherKind("DSA PRIVATE KEY")),
            (try Self.block("PKCS7", hex: "3000"), .otherKind("PKCS #7")),
            (try Self.block("DH PARAMETERS", hex: "3000"), .otherKind("another kind of PEM block")),
            ("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIA me@host", .otherKind("OpenSSH public key")),
            ("PuTTY-User-Key-File-3: ssh-rsa", .otherKind("PuTTY key")),
            (try bare("30080201033003060100"), .otherKind("PKCS #12")),
            // secp384r1, with and without its marker lines, and SEC1 without a curve.
            (try Self.block("PRIVATE KEY", hex: p384), .otherCurve), (try bare(p384), .otherCurve),
            (try Self.block("EC PRIVATE KEY", hex: "30250201010420" + String(repeating: "01", count: 32)), .otherCurve),
            (try Self.block("PRIVATE KEY", hex: head + String(repeating: "00", count: 32)), .unreadable),
            (try Self.block("PRIVATE KEY", hex: "0500"), .unreadable), (Self.block("PRIVATE KEY", "????"), .unreadable),
            (clean.replacing("MIGH", with: "M*GH"), .unreadable),
        ]
        for (text, expected) in cases {
            #expect(
                refusal(Array(text.utf8)) == expected,
                "\(text.prefix(60)): \(String(describing: refusal(Array(text.utf8))))")
        }
        #expect(refusal([0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0xFF, 0xFE]) == .notPEM)
        #expect(refusal([0x30, 0x82, 0x10, 0x00] + [UInt8](repeating: 1, count: 40)) == .truncated)
    }

    @Test func `no refusal repeats what stood in the file`() throws {
        let clean = Self.text(of: try P256Key.generate())
        let body = Self.body(clean)
        let spoiled = [
            "-----BEGIN \(body)-----\n", "-----BEGIN PRIVATE \(body)",
            clean.replacing("PRIVATE KEY", with: "PRIVATEX KEY"),
            "{\(body)", "ssh-rsa \(body)",
        ]
        for text in spoiled {
            let error = refusal(Array(text.utf8))
            #expect(error != nil, "\(text.prefix(30))")
            let said = "\(String(describing: error)) \(error.map { $0.description } ?? "")"
            for start in stride(from: 0, to: body.count - 8, by: 4) {
                #expect(!said.contains(body.dropFirst(start).prefix(8)))
            }
        }
    }

    @Test func `a key that was cut anywhere is refused or whole`() throws {
        let key = try P256Key.generate()
        let clean = Self.text(of: key)
        for count in 0..<clean.utf8.count {
            do {
                let read = try PrivateKeyFile.p256(from: Self.file(String(clean.prefix(count))))
                #expect(read.publicKey == key.publicKey)
            } catch {
                #expect(error == .truncated || (count < 10 && [.empty, .notPEM].contains(error)), "\(count): \(error)")
            }
        }
    }

    @Test func `a file whose two halves are of different keys is refused`() throws {
        let key = try P256Key.generate()
        let other = try P256Key.generate()
        let der =
            "308187020100301306072a8648ce3d020106082a8648ce3d030107046d306b0201010420"
            + Hex.encode(Self.scalar(of: other)) + "a144034200" + Hex.encode(key.publicKey.x963)
        #expect(refusal(Array(try Self.block("PRIVATE KEY", hex: der).utf8)) == .mismatch)
    }
}
