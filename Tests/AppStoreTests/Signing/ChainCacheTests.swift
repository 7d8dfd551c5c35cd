import AppStore
import Crypto
import Support
import Testing
import Time

@Suite struct ChainCacheTests {
    private let now = Given.now

    private func reason(
        _ verifier: Verifier, _ text: String, inbox: Int64 = 1, at moment: Moment = Given.now
    ) async -> JWSError.Reason? {
        do {
            _ = try await verifier.outer(Array(text.utf8), for: Given.app, inbox: inbox, at: moment, from: .posted)
            return nil
        } catch {
            return error.reason
        }
    }

    @Test func `copies that arrive together wait for one judgement`() async throws {
        let chain = try Given.chain.get()
        let verifier = Given.verifier(chain)
        let texts = try (0..<64).map { _ in try chain.jws(Sample.notification("TEST", now)) }
        let failures = await withTaskGroup(of: JWSError.Reason?.self) { group in
            for text in texts { group.addTask { await reason(verifier, text) } }
            return await group.compactMap { $0 }.reduce(into: []) { $0.append($1) }
        }
        #expect(failures.isEmpty)
        #expect(verifier.knownChains == 1)
    }

    @Test func `unknown chains are limited by inbox and second, and known ones are not`() async throws {
        let chain = try Given.chain.get()
        let verifier = Given.verifier(chain)
        #expect(await reason(verifier, try chain.jws(Sample.notification("TEST", now))) == nil)
        let strangers = try (0..<6).map { _ in
            let other = try chain.withLeaf { $0.extensions = [] }
            return try other.jws(Sample.notification("TEST", now))
        }
        for text in strangers.prefix(4) { #expect(await reason(verifier, text) == .leafMarkerMissing) }
        #expect(await reason(verifier, strangers[4]) == .tooManyNewChains)
        #expect(await reason(verifier, strangers[4], inbox: 2) == .leafMarkerMissing)
        #expect(await reason(verifier, strangers[0]) == .leafMarkerMissing)
        #expect(await reason(verifier, try chain.jws(Sample.notification("TEST", now))) == nil)
        #expect(await reason(verifier, strangers[5], at: now + .seconds(1)) == .leafMarkerMissing)
        #expect(verifier.knownChains == 1)
    }

    @Test func `another third certificate makes no other chain`() async throws {
        let chain = try Given.chain.get()
        let verifier = Given.verifier(chain)
        for third in [chain.x5c[2], chain.x5c[0], "AAAA", "BBBB"] {
            let header: SampleValue = ["alg": "ES256", "x5c": [chain.x5c[0], chain.x5c[1], third]]
            #expect(await reason(verifier, try chain.jws(Sample.notification("TEST", now), header: header)) == nil)
        }
        #expect(verifier.knownChains == 1)
        let header: SampleValue = ["alg": "ES256", "x5c": [chain.x5c[0], chain.x5c[1], "not base64"]]
        #expect(
            await reason(verifier, try chain.jws(Sample.notification("TEST", now), header: header))
                == .certificateListInvalid)
    }

    @Test func `a known header does not carry a foreign signature`() async throws {
        let chain = try Given.chain.get()
        let evil = try Given.evil.get()
        let verifier = Given.verifier(chain)
        #expect(await reason(verifier, try chain.jws(Sample.notification("TEST", now))) == nil)
        let forged = try evil.jws(Sample.notification("REFUND", now), header: chain.header)
        #expect(await reason(verifier, forged) == .signatureInvalid)
        #expect(await reason(verifier, try chain.jws(Sample.notification("TEST", now))) == nil)
    }
}
