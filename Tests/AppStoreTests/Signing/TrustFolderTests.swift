import AppStore
import Crypto
import FoundationEssentials
import Support
import Testing
import Time

@Suite struct TrustFolderTests {
    private let now = Given.now
    private let folder: String

    init() throws {
        folder = FileManager.default.temporaryDirectory.path + "/trust-" + Random.token()
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    private func write(_ name: String, _ bytes: [UInt8]) throws {
        try Data(bytes).write(to: URL(filePath: folder + "/" + name))
    }

    @Test func `BL-098: one bad file costs a warning and nothing else`() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let chain = try Given.chain.get()
        let expired = try SampleChain(now: now) {
            $0.root.commonName = "Ended Root"
            $0.root.notAfter = now - .days(1)
        }
        try write("a.der", chain.root.der)
        try write("b.cer", expired.root.der)
        try write("c.pem", Array(CertificateFile.pem(chain.root).utf8))
        try write("d.cer", [])
        try write("e.cer", Array("<!DOCTYPE html><title>404</title>".utf8))
        try write("f.pem", Array("-----BEGIN CERTIFICATE-----\nMAAA\n-----END CERTIFICATE-----\n".utf8))
        try write("g.der", chain.intermediate.der)
        try write("h.der", chain.root.der.dropLast())
        let (anchors, warnings) = TrustAnchors.load(folder: folder, at: now)
        #expect(!anchors.isEmpty)
        #expect(warnings.count == 6)
        for name in ["b.cer", "d.cer", "e.cer", "f.pem", "g.der", "h.der"] {
            #expect(warnings.count { $0.contains("/\(name):") } == 1, "\(name)")
        }
        let verifier = Verifier(trust: anchors, clock: WallClock { [now] in now })
        let text = try chain.jws(Sample.notification("TEST", now))
        _ = try await verifier.outer(Array(text.utf8), for: Given.app, at: now, from: .posted)
    }

    @Test func `BL-098: a folder with nothing good in it leaves no trust`() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try write("e.cer", Array("<html>".utf8))
        let (anchors, warnings) = TrustAnchors.load(folder: folder, at: now)
        #expect(anchors.isEmpty && warnings.count == 1)
        #expect(TrustAnchors.load(folder: folder + "/none", at: now).anchors.isEmpty)
    }

    @Test func `a PEM file may hold several roots`() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let one = try Given.chain.get().root
        let two = try Given.evil.get().root
        try write("both.pem", Array((CertificateFile.pem(one) + "comment\n" + CertificateFile.pem(two)).utf8))
        let (anchors, warnings) = TrustAnchors.load(folder: folder, at: now)
        #expect(!anchors.isEmpty && warnings.isEmpty)
    }
}
