import Crypto
import Testing

@Suite struct PrivateKeyFileTests {
    private func file(_ text: String) -> SecretBytes { SecretBytes(copying: Array(text.utf8)) }

    private func text(of key: borrowing P256Key) -> String {
        PrivateKeyFile.pem(of: key).withBytes { bytes in
            var out: [UInt8] = []
            for i in 0..<bytes.count { out.append(bytes[i]) }
            return String(decoding: out, as: UTF8.self)
        }
    }

    private func block(_ label: String, _ hex: String) throws -> String {
        let body = Base64.encode(try #require(Hex.decode(hex)))
        return "-----BEGIN \(label)-----\n\(body)\n-----END \(label)-----\n"
    }

    private func refusal(_ text: String) -> PrivateKeyFileError? {
        do {
            _ = try PrivateKeyFile.p256(fromPEM: file(text))
            return nil
        } catch {
            return error
        }
    }

    @Test func `a .p8 file gives the key that was written`() throws {
        let key = try P256Key.generate()
        let text = text(of: key)
        #expect(text.hasPrefix("-----BEGIN PRIVATE KEY-----\nMIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg"))
        #expect(text.split(separator: "\n").allSatisfy { $0.count <= 64 })
        let read = try PrivateKeyFile.p256(fromPEM: file(text))
        #expect(read.publicKey == key.publicKey)
        let message = Array("x".utf8)
        #expect(key.publicKey.isValidSignature(try read.sign(message), for: message))
    }

    @Test func `line breaks may be of any form, or lost`() throws {
        let key = try P256Key.generate()
        let clean = text(of: key)
        let forms = [
            clean.replacing("\n", with: "\\n"), clean.replacing("\n", with: " "), clean.replacing("\n", with: ""),
            clean.replacing("\n", with: "\r\n"), clean.replacing("\n", with: "\\r\\n"), "\u{FEFF}" + clean,
            "Bag Attributes\n  friendlyName: x\n" + clean, clean + "\n\n",
        ]
        for form in forms {
            let read = try PrivateKeyFile.p256(fromPEM: file(form))
            #expect(read.publicKey.fingerprint == key.publicKey.fingerprint)
        }
    }

    @Test func `the form of RFC 5915 is read as well`() throws {
        let key = try P256Key(scalar: SecretBytes(copying: [UInt8](repeating: 7, count: 32)))
        let scalar = String(repeating: "07", count: 32)
        let sec1 = try block("EC PRIVATE KEY", "303102010104" + "20" + scalar + "a00a06082a8648ce3d030107")
        #expect(try PrivateKeyFile.p256(fromPEM: file(sec1)).publicKey == key.publicKey)
        let parameters = try block("EC PARAMETERS", "06082a8648ce3d030107")
        #expect(try PrivateKeyFile.p256(fromPEM: file(parameters + sec1)).publicKey == key.publicKey)
    }

    @Test func `each kind of wrong file has its own name`() throws {
        let key = try P256Key.generate()
        let clean = text(of: key)
        let head = "3041020100301306072a8648ce3d020106082a8648ce3d030107042730250201010420"
        let cases: [(String, PrivateKeyFileError)] = [
            ("", .empty), (" \n\t", .empty), ("hello", .notPEM), ("<!DOCTYPE html>", .notPEM),
            (String(repeating: "a", count: 20_000), .notPEM),
            (String(clean.prefix(100)), .truncated), (String(clean.prefix(15)), .truncated),
            (try block("PRIVATE KEY", head + "0102"), .truncated),
            ("-----BEGIN PRIVATE KEY-----\n-----END PRIVATE KEY-----", .truncated),
            (try block("ENCRYPTED PRIVATE KEY", "3000"), .encrypted),
            (
                "-----BEGIN EC PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n\nAAAA\n-----END EC PRIVATE KEY-----",
                .encrypted
            ),
            (try block("CERTIFICATE", "3000"), .certificate), (try block("PUBLIC KEY", "3000"), .publicKey),
            (try block("RSA PRIVATE KEY", "3000"), .rsa),
            (try block("PRIVATE KEY", "3016020100300d06092a864886f70d01010105000402" + "3000"), .rsa),
            (
                try block("PRIVATE KEY", "302e020100300506032b657004220420" + String(repeating: "01", count: 32)),
                .otherKind("another algorithm")
            ),
            (try block("OPENSSH PRIVATE KEY", "3000"), .otherKind("OPENSSH PRIVATE KEY")),
            // secp384r1
            (try block("PRIVATE KEY", "301b020100301006072a8648ce3d020106052b810400220404300201" + "01"), .otherCurve),
            (try block("EC PRIVATE KEY", "30250201010420" + String(repeating: "01", count: 32)), .otherCurve),
            (try block("PRIVATE KEY", head + String(repeating: "00", count: 32)), .unreadable),
            (try block("PRIVATE KEY", "0500"), .unreadable),
            ("-----BEGIN PRIVATE KEY-----\n????\n-----END PRIVATE KEY-----", .unreadable),
        ]
        for (text, expected) in cases { #expect(refusal(text) == expected, "\(text.prefix(60))") }
    }

    @Test func `a file whose two halves are of different keys is refused`() throws {
        let key = try P256Key.generate()
        let other = try P256Key.generate()
        let scalar = other.scalar().withBytes { bytes in
            var out: [UInt8] = []
            for i in 0..<bytes.count { out.append(bytes[i]) }
            return out
        }
        let der =
            "308187020100301306072a8648ce3d020106082a8648ce3d030107046d306b0201010420" + Hex.encode(scalar)
            + "a144034200" + Hex.encode(key.publicKey.x963)
        #expect(refusal(try block("PRIVATE KEY", der)) == .mismatch)
    }
}
