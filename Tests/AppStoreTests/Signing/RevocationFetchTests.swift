import AppStore
import Crypto
import HTTP
import Journal
import Support
import Synchronization
import Testing
import Time

@Suite struct RevocationFetchTests {
    private let now = Given.now

    @Test(arguments: ["silence", "reset", "status"])
    func `BL-054: a responder on the network that gives no answer is told in the journal`(kind: String) async throws {
        let server = try ScriptedServer { _, _ in
            switch kind {
            case "silence": .silence
            case "reset": .reset
            default: .answer(503)
            }
        }
        defer { server.stop() }
        let chain = try SampleChain(now: now) { $0.leaf.ocspURL = "http://127.0.0.1:\(server.port)/ocsp" }
        let lines = Mutex<[String]>([])
        let journal = Journal(level: .warning) { line in lines.withLock { $0.append(line) } }
        let http = HTTPClient(name: "ocsp", options: .init(), journal: .silent, counters: Counters())
        let text = Array(try chain.jws(Sample.notification("TEST", now)).utf8)
        for mode in [RevocationCheck.Mode.soft, .strict] {
            let check = RevocationCheck(mode: mode, http: http, journal: journal)
            let verifier = Given.verifier(chain, revocation: check)
            var reason: JWSError.Reason?
            do throws(JWSError) {
                let verified = try await verifier.outer(text, for: Given.app, at: now, from: .posted)
                #expect(verified.isRevocationUnknown)
            } catch {
                reason = error.reason
            }
            #expect(reason == (mode == .strict ? .revocationUnavailable : nil))
        }
        #expect(lines.withLock { $0.count { $0.contains("the revocation look-up is unavailable") } } == 2)
        await http.shutdown()
        let first = try #require(server.received.first)
        #expect(first.method == "POST" && first.target == "/ocsp")
        #expect(first.field("Content-Type") == "application/ocsp-request")
        #expect(first.body == (try OCSP.request(for: chain.leaf, issuer: chain.intermediate)))
    }
}
