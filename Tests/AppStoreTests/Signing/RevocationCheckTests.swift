import AppStore
import Crypto
import Support
import Synchronization
import Testing
import Time

@Suite struct RevocationCheckTests {
    private let now = Given.now

    /// A responder for both certificates of a chain.
    private final class Responder: Sendable {
        enum Manner: Sendable {
            case answers(OCSPResponder.Status)
            case refuses
            case silent
            case nonsense
            case foreign
        }

        struct Refused: Error {}

        let chain: SampleChain
        let manner: Mutex<Manner>
        let asked = Mutex<[String]>([])

        init(_ manner: Manner) throws {
            self.manner = Mutex(manner)
            chain = try SampleChain(now: Given.now) {
                $0.leaf.ocspURL = "http://ocsp.example/leaf"
                $0.intermediate.ocspURL = "http://ocsp.example/intermediate"
            }
        }

        func answer(_ url: String, _ body: [UInt8]) async throws -> [UInt8] {
            asked.withLock { $0.append(url) }
            let isLeaf = url.hasSuffix("leaf")
            let signer = OCSPResponder(
                certificate: isLeaf ? chain.intermediate : chain.root,
                key: isLeaf ? chain.intermediateKey : chain.rootKey)
            let window = (Given.now - .hours(1), Given.now + .hours(10))
            switch manner.withLock({ $0 }) {
            case .answers(let status):
                return try signer.answer(body, isLeaf ? status : .good, from: window.0, until: window.1)
            case .refuses: throw Refused()
            case .silent:
                try await Task.sleep(for: .seconds(3600))
                return []
            case .nonsense: return Array("<html>".utf8)
            case .foreign:
                let evil = try Given.evil.get()
                return try OCSPResponder(certificate: evil.root, key: evil.rootKey)
                    .answer(body, .revoked(at: Given.now), from: window.0, until: window.1)
            }
        }
    }

    private func verify(
        _ responder: Responder, _ verifier: Verifier
    ) async throws -> (reason: JWSError.Reason?, isUnknown: Bool) {
        let text = try responder.chain.jws(Sample.notification("TEST", now))
        do throws(JWSError) {
            let verified = try await verifier.outer(Array(text.utf8), for: Given.app, at: now, from: .posted)
            return (nil, verified.isRevocationUnknown)
        } catch {
            return (error.reason, false)
        }
    }

    private func verifier(_ responder: Responder, _ mode: RevocationCheck.Mode) -> Verifier {
        Given.verifier(responder.chain, revocation: RevocationCheck(mode: mode) { try await responder.answer($0, $1) })
    }

    @Test(arguments: [RevocationCheck.Mode.soft, .strict])
    func `a good answer serves all that follow`(mode: RevocationCheck.Mode) async throws {
        let responder = try Responder(.answers(.good))
        let verifier = verifier(responder, mode)
        for _ in 0..<3 {
            let (reason, isUnknown) = try await verify(responder, verifier)
            #expect(reason == nil && !isUnknown)
        }
        #expect(
            responder.asked.withLock { $0.sorted() } == [
                "http://ocsp.example/intermediate", "http://ocsp.example/leaf",
            ])
    }

    @Test(arguments: [RevocationCheck.Mode.soft, .strict])
    func `a certificate that is signed as revoked is refused`(mode: RevocationCheck.Mode) async throws {
        let responder = try Responder(.answers(.revoked(at: now - .days(1))))
        let verifier = verifier(responder, mode)
        #expect(try await verify(responder, verifier).reason == .certificateRevoked)
        // A responder that falls silent later does not make it good again.
        responder.manner.withLock { $0 = .refuses }
        #expect(try await verify(responder, verifier).reason == .certificateRevoked)
    }

    @Test func `nobody is asked when the check is off`() async throws {
        let responder = try Responder(.answers(.revoked(at: now)))
        #expect(try await verify(responder, verifier(responder, .off)).reason == nil)
        #expect(responder.asked.withLock { $0.isEmpty })
    }

    @Test(arguments: [0, 1, 2, 3, 4])
    func `BL-054: a responder that says nothing is never taken for a forgery`(kind: Int) async throws {
        let manner: [Responder.Manner] = [.refuses, .silent, .nonsense, .foreign, .answers(.unknown)]
        let responder = try Responder(manner[kind])
        async let soft = verify(responder, verifier(responder, .soft))
        async let strict = verify(responder, verifier(responder, .strict))
        let (accepted, refused) = (try await soft, try await strict)
        #expect(accepted.reason == nil && accepted.isUnknown)
        #expect(refused.reason == .revocationUnavailable)
        #expect(JWSError(.revocationUnavailable, "").isOurTrouble)
    }

    @Test func `a silent responder is waited for once`() async throws {
        let responder = try Responder(.silent)
        let verifier = verifier(responder, .soft)
        // That it returns at all is the point: this responder never would.
        #expect(try await verify(responder, verifier).isUnknown)
        let asked = responder.asked.withLock { $0.count }
        #expect(try await verify(responder, verifier).isUnknown)
        #expect(responder.asked.withLock { $0.count } == asked)
    }

    @Test func `certificates that ended are not asked about`() async throws {
        let responder = try Responder(.refuses)
        let old = try responder.chain.withLeaf {
            $0.ocspURL = "http://ocsp.example/leaf"
            $0.notAfter = now - .hours(1)
        }
        let text = try old.jws(
            Sample.notification("TEST", now).with(["signedDate": .int((now - .hours(150)).milliseconds)]))
        let verified = try await verifier(responder, .strict).outer(
            Array(text.utf8), for: Given.app, at: now, from: .posted)
        #expect(!verified.isRevocationUnknown)
        #expect(responder.asked.withLock { $0.isEmpty })
    }

    @Test func `a responder that falls silent and comes back is noticed, also without a notification`() async throws {
        let responder = try Responder(.refuses)
        let check = RevocationCheck(mode: .soft) { try await responder.answer($0, $1) }
        #expect(check.responders == .unasked)
        _ = try await verify(responder, Given.verifier(responder.chain, revocation: check))
        #expect(check.responders == .silent(since: now))

        check.askAgain(at: now + .seconds(30))
        #expect(responder.asked.withLock { $0.count } == 2, "not before its time")
        responder.manner.withLock { $0 = .answers(.good) }
        check.askAgain(at: now + .seconds(61))
        while check.responders != .answering { await Task.yield() }
        check.askAgain(at: now + .minutes(5))
        #expect(responder.asked.withLock { $0.count } == 4, "what answers is asked no more")
    }
}
