import Crypto
import Support
import Testing
import Time

@Suite struct CertificateTests {
    private static let now = Moment(milliseconds: 1_790_000_000_000)
    private static let shared = Result { try SampleChain(now: now) }
    private let now = CertificateTests.now
    private let chain: SampleChain

    init() throws { chain = try Self.shared.get() }

    private func failure(
        _ leaf: Certificate, _ intermediate: Certificate, _ anchors: [Certificate], at moment: Moment? = nil
    ) -> ChainError? {
        do {
            try CertificateChain.verify(leaf: leaf, intermediate: intermediate, anchors: anchors, at: moment ?? now)
            return nil
        } catch {
            return error
        }
    }

    @Test func `a certificate reads back as it was built`() throws {
        #expect(chain.leaf.subject == "CN=Sample Receipt Signing,O=Sample")
        #expect(chain.leaf.issuer == chain.intermediate.subject)
        #expect(chain.root.issuer == chain.root.subject)
        #expect(chain.leaf.notBefore == now - .days(30) && chain.leaf.notAfter == now + .days(300))
        #expect(chain.root.isCA && chain.intermediate.isCA && !chain.leaf.isCA)
        #expect(chain.leaf.publicKey?.x963 == chain.leafKey.point)
        #expect(chain.intermediate.publicKey == nil)
        #expect(chain.leaf.hasExtension(SampleChain.leafMarker))
        #expect(!chain.leaf.hasExtension(SampleChain.intermediateMarker))
        #expect(chain.intermediate.hasExtension(SampleChain.intermediateMarker))
        #expect(!chain.leaf.hasExtension("not an OID"))
        #expect(chain.leaf.ocspURL == nil)
        let asked = try chain.withLeaf { $0.ocspURL = "http://ocsp.example/x" }
        #expect(asked.leaf.ocspURL == "http://ocsp.example/x")
        #expect(try Certificate(der: chain.leaf.der) == chain.leaf)
        #expect(chain.leaf.sha256 == Digest.sha256(chain.leaf.der))
    }

    @Test func `bytes that are not one whole certificate are refused`() {
        for spoiled in [[], [0x30], Array(chain.leaf.der.dropLast()), chain.leaf.der + [0], Array("<html>".utf8)] {
            #expect(throws: OpenSSLError.self) { try Certificate(der: spoiled) }
        }
    }

    @Test func `a chain of three holds, and its root is named`() throws {
        let other = try SampleChain(now: now)
        let root = try CertificateChain.verify(
            leaf: chain.leaf, intermediate: chain.intermediate, anchors: [other.root, chain.root], at: now)
        #expect(root == chain.root)
    }

    @Test func `a chain to nobody, or to a namesake, does not hold`() throws {
        let other = try SampleChain(now: now)
        #expect(failure(chain.leaf, chain.intermediate, []) != nil)
        #expect(failure(chain.leaf, chain.intermediate, [other.root]) != nil)
        #expect(failure(other.leaf, chain.intermediate, [chain.root]) != nil)
        #expect(failure(chain.leaf, other.intermediate, [chain.root]) != nil)
        // An anchor that is no root, or a leaf in the middle, ends no chain of three.
        #expect(failure(chain.leaf, chain.intermediate, [chain.intermediate]) != nil)
        #expect(failure(chain.leaf, chain.leaf, [chain.root]) != nil)
        #expect(failure(chain.intermediate, chain.root, [chain.root]) != nil)
    }

    @Test func `the certificate outside its dates is named`() throws {
        #expect(
            failure(chain.leaf, chain.intermediate, [chain.root], at: now + .days(301))
                == .expired(subject: chain.leaf.subject, notAfter: now + .days(300)))
        #expect(
            failure(chain.leaf, chain.intermediate, [chain.root], at: now - .days(31))
                == .notYetValid(subject: chain.leaf.subject, notBefore: now - .days(30)))
        let old = try chain.withIntermediate { $0.notAfter = now - .days(1) }
        #expect(
            failure(old.leaf, old.intermediate, [old.root])
                == .expired(subject: old.intermediate.subject, notAfter: now - .days(1)))
    }

    @Test func `an intermediate without authority issues nothing`() throws {
        let plain = try chain.withIntermediate { $0.isCA = false }
        #expect(failure(plain.leaf, plain.intermediate, [plain.root]) != nil)
    }

    @Test func `a changed byte of the leaf breaks its chain`() throws {
        var der = chain.leaf.der
        der[der.count - 1] ^= 1
        let spoiled = try Certificate(der: der)
        #expect(failure(spoiled, chain.intermediate, [chain.root]) == .badSignature(subject: chain.leaf.subject))
    }

    @Test func `a file of certificates may be DER or PEM`() throws {
        let pem = CertificateFile.pem(chain.leaf) + "text\r\n" + CertificateFile.pem(chain.root)
        #expect(CertificateFile.certificates(Array(pem.utf8)) == [chain.leaf.der, chain.root.der])
        #expect(
            CertificateFile.certificates(Array(pem.replacing("\n", with: "\r\n").utf8))
                == [chain.leaf.der, chain.root.der])
        #expect(CertificateFile.certificates(chain.leaf.der) == [chain.leaf.der])
        #expect(CertificateFile.certificates(Array("-----BEGIN CERTIFICATE-----\nAAAA".utf8)).isEmpty)
        #expect(CertificateFile.certificates([]).isEmpty)
    }
}
