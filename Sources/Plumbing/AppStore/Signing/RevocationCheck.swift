import Crypto
package import Journal
import Synchronization
package import Time

/// Whether certificates are looked up at their issuer's responder (OCSP).
///
/// One look-up per chain serves all that wait for it, for 1.5 seconds at most; its result is kept, and
/// renewed before it ends while texts go on being accepted. An answer signed "revoked" refuses in
/// every mode but `off`. A responder that is silent is never taken for a forgery.
package final class RevocationCheck: Sendable {
    package enum Mode: String, Sendable, CaseIterable {
        case off
        /// A responder that cannot be reached is no obstacle.
        case soft
        /// A responder that cannot be reached is our own trouble.
        case strict
    }

    /// Posts an OCSP request (`application/ocsp-request`) to a responder and returns its answer.
    package typealias Fetch = @Sendable (_ url: String, _ body: [UInt8]) async throws -> [UInt8]

    /// What a look-up of leaf and intermediate came to.
    enum Standing: Sendable, Equatable {
        case good(until: Moment)
        case revoked(String)
        case unavailable(String)
    }

    /// What the responders have said to this process.
    package enum Responders: Sendable, Equatable {
        case unasked
        case answering
        /// No look-up came to anything since then.
        case silent(since: Moment)
    }

    private struct Entry {
        var standing: Standing?
        /// The newest look-up came to nothing.
        var hasFailed = false
        /// When to look again.
        var askAgainAt = Moment(milliseconds: 0)
        /// The look-up that runs; later ones have higher numbers.
        var running: Int?
        var waiting: [CheckedContinuation<Standing, Never>] = []
    }

    static let waitMax: Duration = .milliseconds(1500)
    private static let retryAfter: Duration = .seconds(60)
    /// However long a responder's answer is good for.
    private static let believedMax: Duration = .hours(12)
    private static let entriesMax = 256

    package let mode: Mode
    private let journal: Journal
    private let fetch: Fetch
    private let entries = Mutex<[ObjectIdentifier: (chain: TrustedChain, entry: Entry, started: Int)]>([:])
    private let heard = Mutex(Responders.unasked)

    /// - Parameter journal: is told of each look-up that came to nothing, and of each revocation.
    package init(mode: Mode, journal: Journal = .silent, fetch: @escaping Fetch) {
        self.mode = mode
        self.journal = journal
        self.fetch = fetch
    }

    package static let off = RevocationCheck(mode: .off) { _, _ in [] }

    package var responders: Responders { heard.withLock { $0 } }

    /// Asks again where the newest look-up came to nothing: whether a responder is back is known without a notification.
    package func askAgain(at now: Moment) {
        let failed = entries.withLock { $0.values.filter { $0.entry.hasFailed && $0.chain.leaf.notAfter >= now } }
        for one in failed { _ = known(one.chain, now) }
    }

    /// - Returns: true where the responder said nothing and the mode is soft.
    /// - Throws: `certificateRevoked`; `revocationUnavailable` in the strict mode.
    func isUnknown(_ chain: TrustedChain, at now: Moment) async throws(JWSError) -> Bool {
        // Responders forget certificates that ended; what they signed in their time is judged by its date.
        if mode == .off || chain.leaf.notAfter < now { return false }
        var standing = known(chain, now)
        if standing == nil { standing = await wait(chain, now) }
        switch standing {
        case .good(let until) where mode == .strict && until < now:
            throw JWSError(.revocationUnavailable, "the revocation look-up is unavailable: the last answer is old")
        case .good: return false
        case .revoked(let text): throw JWSError(.certificateRevoked, text)
        case .unavailable(let text):
            guard mode == .soft else {
                throw JWSError(.revocationUnavailable, "the revocation look-up is unavailable: \(text)")
            }
            return true
        case nil: return true
        }
    }

    /// What is known without waiting; starts a look-up where it is time.
    private func known(_ chain: TrustedChain, _ now: Moment) -> Standing? {
        let (standing, number): (Standing?, Int?) = entries.withLock { entries in
            let id = ObjectIdentifier(chain)
            if entries[id] == nil {
                // Chains are few; a full table means that they were replaced, so old ones may go.
                if entries.count >= Self.entriesMax { entries = entries.filter { $0.value.entry.running != nil } }
                entries[id] = (chain, Entry(), 0)
            }
            guard var kept = entries[id] else { return (nil, nil) }
            var number: Int?
            if kept.entry.running == nil, now >= kept.entry.askAgainAt {
                kept.started += 1
                kept.entry.running = kept.started
                number = kept.started
            }
            entries[id] = kept
            switch kept.entry.standing {
            case .good(let until) where mode == .strict && now > until: return (nil, number)
            case let standing: return (standing, number)
            }
        }
        if let number { start(chain, now, number) }
        return standing
    }

    private func wait(_ chain: TrustedChain, _ now: Moment) async -> Standing {
        await withCheckedContinuation { continuation in
            let done: Standing? = entries.withLock { entries in
                let id = ObjectIdentifier(chain)
                guard entries[id]?.entry.running != nil else {
                    return entries[id]?.entry.standing ?? .unavailable("it was not asked")
                }
                entries[id]?.entry.waiting.append(continuation)
                return nil
            }
            if let done { continuation.resume(returning: done) }
        }
    }

    private func start(_ chain: TrustedChain, _ now: Moment, _ number: Int) {
        let asking = Task {
            settle(chain, number, await ask(chain, now), now)
        }
        Task {
            try? await Task.sleep(for: Self.waitMax)
            settle(chain, number, .unavailable("no answer within 1.5 seconds"), now)
            asking.cancel()
        }
    }

    private func settle(_ chain: TrustedChain, _ number: Int, _ standing: Standing, _ now: Moment) {
        let settled: [CheckedContinuation<Standing, Never>]? = entries.withLock { entries in
            let id = ObjectIdentifier(chain)
            guard var kept = entries[id], kept.entry.running == number else { return nil }
            kept.entry.running = nil
            kept.entry.hasFailed = if case .unavailable = standing { true } else { false }
            switch standing {
            case .good(let until):
                let end = min(until, now + Self.believedMax)
                kept.entry.standing = .good(until: end)
                // Half-way, so that the answer is renewed while it still holds.
                kept.entry.askAgainAt = now + .milliseconds(max((end - now).wholeMilliseconds / 2, 60_000))
            case .revoked:
                kept.entry.standing = standing
                kept.entry.askAgainAt = now + Self.believedMax
            case .unavailable:
                // A good answer that still holds, and a revocation, outlive a silent responder.
                switch kept.entry.standing {
                case .revoked: break
                case .good(let until) where until >= now: break
                default: kept.entry.standing = standing
                }
                kept.entry.askAgainAt = now + Self.retryAfter
            }
            let waiting = kept.entry.waiting
            kept.entry.waiting = []
            entries[id] = kept
            return waiting
        }
        guard let waiting = settled else { return }
        heard.withLock { heard in
            switch (standing, heard) {
            case (.unavailable, .silent): break
            case (.unavailable, _): heard = .silent(since: now)
            case (.good, _), (.revoked, _): heard = .answering
            }
        }
        switch standing {
        case .good: break
        case .revoked(let text): journal.error("a signing certificate is revoked", ["detail": .string(text)])
        case .unavailable(let text):
            journal.warning(
                "the revocation look-up is unavailable",
                [
                    "certificate": .string(chain.leaf.subject.shortened), "mode": .string(mode.rawValue),
                    "detail": .string(text),
                ])
        }
        let answer =
            waiting.isEmpty ? standing : (entries.withLock { $0[ObjectIdentifier(chain)]?.entry.standing } ?? standing)
        for continuation in waiting { continuation.resume(returning: answer) }
    }

    private func ask(_ chain: TrustedChain, _ now: Moment) async -> Standing {
        async let leaf = ask(chain.leaf, issuer: chain.intermediate, now)
        async let intermediate = ask(chain.intermediate, issuer: chain.root, now)
        switch (await leaf, await intermediate) {
        case (.revoked(let text), _), (_, .revoked(let text)): return .revoked(text)
        case (.unavailable(let text), _), (_, .unavailable(let text)): return .unavailable(text)
        case (.good(let a), .good(let b)): return .good(until: min(a, b))
        }
    }

    private func ask(_ certificate: Certificate, issuer: Certificate, _ now: Moment) async -> Standing {
        // A certificate that names no responder cannot be asked about.
        guard let url = certificate.ocspURL else { return .good(until: now + Self.believedMax) }
        do {
            let answer = try await fetch(url, OCSP.request(for: certificate, issuer: issuer))
            switch try OCSP.check(response: answer, for: certificate, issuer: issuer, at: now) {
            case .good(let until): return .good(until: until)
            case .revoked(let date):
                return .revoked("the certificate \(certificate.subject.shortened) was revoked \(date.iso8601)")
            case .unknown:
                return .unavailable("the responder does not know \(certificate.subject.shortened)")
            }
        } catch {
            return .unavailable("\(error)".shortened(to: 200))
        }
    }
}
