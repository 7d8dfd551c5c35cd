import Crypto
import Testing

@testable import Tenants

@Suite struct `Upload of a signing key` {
    private func check(
        _ file: borrowing SecretBytes, keyID: String = Samples.keyID, issuerID: String = Samples.issuerID
    ) throws(SigningKeyUploadError) -> String {
        try SigningKeyUpload.check(file: file, keyID: keyID, issuerID: issuerID).fingerprint
    }

    @Test func `a file from Apple is taken and shows the fingerprint of its public key`() throws {
        let key = try P256Key.generate()
        #expect(try check(Samples.file(key)) == key.publicKey.fingerprint)
    }

    @Test func `a wrong key ID or issuer ID is named before the file is looked at`() throws {
        let none = SecretBytes(copying: [])
        for keyID in ["", "2X9R4HXF3", "2X9R4HXF345", "2x9r4hxf34", "2X9R4HXF3Ö"] {
            #expect(throws: SigningKeyUploadError.self, "\(keyID)") { try check(none, keyID: keyID) }
            do { _ = try check(none, keyID: keyID) } catch { #expect("\(error)".contains("key ID")) }
        }
        for issuerID in ["", "57246542-96fe-1a63-e053-0824d011072", "5724654296fe1a63e0530824d011072a"] {
            do {
                _ = try check(none, issuerID: issuerID)
                Issue.record("taken: \(issuerID)")
            } catch { #expect("\(error)".contains("issuer ID")) }
        }
    }

    @Test func `a file that is no private key is refused without showing any of it`() {
        let marker = "QUJDREVGR0g"
        let files = [
            "", "hello \(marker)", "-----BEGIN CERTIFICATE-----\n\(marker)\n-----END CERTIFICATE-----\n",
            "-----BEGIN PRIVATE KEY-----\n\(marker)\n-----END PRIVATE KEY-----\n",
            String(repeating: "A", count: SigningKeyUpload.fileBytesMax + 1),
        ]
        for file in files {
            do {
                _ = try check(SecretBytes(copying: Array(file.utf8)))
                Issue.record("taken: \(file.prefix(40))")
            } catch {
                #expect(!"\(error)".contains(marker) && !String(reflecting: error).contains(marker))
            }
        }
    }
}

@Suite struct `Name of a key file` {
    @Test func `the key ID is read from Apple's form of name and no other`() {
        let table: [(String?, String?)] = [
            ("SubscriptionKey_2X9R4HXF34.p8", "2X9R4HXF34"), ("SubscriptionKey_2X9R4HXF34 (1).p8", "2X9R4HXF34"),
            ("SubscriptionKey_2X9R4HXF34.p8.txt", "2X9R4HXF34"),
            ("C:\\fakepath\\SubscriptionKey_2X9R4HXF34.p8", "2X9R4HXF34"),
            ("/home/ada/SubscriptionKey_2X9R4HXF34.p8", "2X9R4HXF34"), ("AuthKey_2X9R4HXF34.p8", nil),
            ("SubscriptionKey_2X9R4HXF345.p8", nil), ("SubscriptionKey_2x9r4hxf34.p8", nil),
            ("SubscriptionKey_.p8", nil), ("key.p8", nil), ("", nil), (nil, nil),
        ]
        for (name, keyID) in table { #expect(SigningKeyUpload.keyID(fromFileName: name) == keyID, "\(name ?? "none")") }
    }

    @Test func `a name fills the key ID in, hints at another kind of key, and is kept without its folders`() throws {
        let file = Samples.file(try P256Key.generate())
        let named = try SigningKeyUpload.check(
            file: file, fileName: "folder/SubscriptionKey_2X9R4HXF34.p8", keyID: " ", issuerID: " \(Samples.issuerID)\n"
        )
        #expect(named.keyID == "2X9R4HXF34" && named.hints.isEmpty)
        #expect(named.fileName == "SubscriptionKey_2X9R4HXF34.p8")
        let connect = try SigningKeyUpload.check(
            file: file, fileName: "AuthKey_2X9R4HXF34.p8", keyID: "2X9R4HXF34", issuerID: Samples.issuerID)
        #expect(connect.hints == [.looksLikeConnectKey])
        let other = try SigningKeyUpload.check(
            file: file, fileName: "SubscriptionKey_AAAAAAAAAA.p8", keyID: "2X9R4HXF34", issuerID: Samples.issuerID)
        #expect(other.hints == [.fileNamesOtherKeyID("AAAAAAAAAA")])
        #expect(throws: SigningKeyUploadError.noKeyID) {
            _ = try SigningKeyUpload.check(
                file: file, fileName: "AuthKey_2X9R4HXF34.p8", keyID: nil, issuerID: Samples.issuerID
            ).keyID
        }
    }
}
