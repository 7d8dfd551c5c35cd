import Crypto
import Support
import Testing
import Time

@Suite struct OCSPTests {
    private static let now = Moment(milliseconds: 1_790_000_000_000)
    private static let shared = Result { try SampleChain(now: now) }
    private let now = OCSPTests.now
    private let chain: SampleChain
    private let request: [UInt8]

    init() throws {
        chain = try Self.shared.get()
        request = try OCSP.request(for: chain.leaf, issuer: chain.intermediate)
    }

    private var issuer: OCSPResponder {
        OCSPResponder(certificate: chain.intermediate, key: chain.intermediateKey)
    }

    private func answer(
        _ responder: OCSPResponder, _ status: OCSPResponder.Status = .good, from: Moment? = nil, until: Moment? = nil
    ) throws -> [UInt8] {
        try responder.answer(request, status, from: from ?? now - .hours(1), until: until ?? now + .hours(1))
    }

    private func check(_ response: [UInt8], at moment: Moment? = nil) throws(OCSPError) -> OCSPAnswer {
        try OCSP.check(response: response, for: chain.leaf, issuer: chain.intermediate, at: moment ?? now)
    }

    private func failure(_ response: [UInt8]) -> OCSPError? {
        do {
            _ = try check(response)
            return nil
        } catch {
            return error
        }
    }

    @Test func `the three answers are told apart`() throws {
        #expect(try check(answer(issuer)) == .good(until: now + .hours(1)))
        let date = now - .days(2)
        #expect(try check(answer(issuer, .revoked(at: date))) == .revoked(at: date))
        #expect(try check(answer(issuer, .unknown)) == .unknown)
    }

    @Test func `a responder that the issuer appointed is believed, another one is not`() throws {
        func responder(_ isAppointed: Bool, by chain: SampleChain) throws -> OCSPResponder {
            var builder = CertificateBuilder(
                commonName: "Responder", notBefore: now - .days(1), notAfter: now + .days(1))
            builder.isOCSPResponder = isAppointed
            let key = try CertificateKey.generate(.p256)
            let certificate = try builder.issued(
                for: key, by: chain.intermediate, signedWith: chain.intermediateKey)
            return OCSPResponder(certificate: certificate, key: key)
        }
        #expect(try check(answer(responder(true, by: chain))) == .good(until: now + .hours(1)))
        #expect(try isNotAuthentic(answer(responder(false, by: chain))))
        #expect(try isNotAuthentic(answer(responder(true, by: SampleChain(now: now)))))
        #expect(try isNotAuthentic(answer(OCSPResponder(certificate: chain.root, key: chain.rootKey))))
        #expect(try isNotAuthentic(answer(OCSPResponder(certificate: chain.leaf, key: chain.leafKey))))
    }

    private func isNotAuthentic(_ response: [UInt8]) -> Bool {
        if case .notAuthentic = failure(response) { true } else { false }
    }

    @Test func `a changed answer is not believed`() throws {
        let response = try answer(issuer, .revoked(at: now))
        // Near the end lies the signature, or a certificate that belongs to it.
        var accepted = 0
        for i in stride(from: 0, to: response.count, by: 7) {
            var spoiled = response
            spoiled[i] ^= 0x10
            if let answer = try? check(spoiled), answer != .revoked(at: now) { accepted += 1 }
        }
        #expect(accepted == 0)
    }

    @Test func `an answer is believed in its own time only`() throws {
        #expect(failure(try answer(issuer, from: now - .hours(3), until: now - .hours(2))) == .notCurrent)
        #expect(failure(try answer(issuer, from: now + .hours(2), until: now + .hours(3))) == .notCurrent)
        #expect(
            try check(answer(issuer, from: now + .minutes(4), until: now + .hours(3))) == .good(until: now + .hours(3)))
        let endless = try issuer.answer(request, .good, from: now - .hours(1), until: nil)
        #expect(try check(endless) == .good(until: now + .hours(11)))
    }

    @Test func `an answer about another certificate says nothing`() throws {
        let other = try chain.withLeaf { _ in }
        let foreign = try OCSP.request(for: other.leaf, issuer: other.intermediate)
        let response = try issuer.answer(foreign, .good, from: now - .hours(1), until: now + .hours(1))
        #expect(failure(response) == .otherCertificate)
    }

    @Test func `what is no answer is malformed, and an error is told`() {
        #expect(failure([]) == .malformed)
        #expect(failure(Array("<html>".utf8)) == .malformed)
        // OCSPResponse with the status tryLater
        #expect(failure([0x30, 0x03, 0x0A, 0x01, 0x03]) == .refused(status: 3))
    }
}
