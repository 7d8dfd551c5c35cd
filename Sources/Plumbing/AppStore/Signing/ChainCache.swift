import Crypto
import Synchronization
import Time

/// Chains that were judged, by the SHA-256 of their first two certificates.
///
/// An unknown chain costs 1.7 ms and a stranger nothing. So the third certificate is compared first,
/// the judging leaves the loop, copies that arrive meanwhile wait for it, and new chains are limited
/// per inbox and second. Only chains that hold can push each other out; failures are kept apart.
final class ChainCache: Sendable {
    struct Limits: Sendable {
        var chainsMax = 128
        var failuresMax = 256
        var newPerInboxAndSecond = 5
        /// Chains being judged at one time.
        var judgingMax = 8
    }

    struct Key: Hashable, Sendable {
        private let a, b, c, d: UInt64

        init(_ header: JWSHeader) {
            var text = header.certificateTexts[0]
            text.reserveCapacity(text.count + 1 + header.certificateTexts[1].count)
            text.append(0x2C)
            text.append(contentsOf: header.certificateTexts[1])
            let digest = Digest.sha256(text)
            func word(_ from: Int) -> UInt64 { digest[from..<(from + 8)].reduce(0) { $0 << 8 | UInt64($1) } }
            (a, b, c, d) = (word(0), word(8), word(16), word(24))
        }
    }

    private typealias Answer = Result<TrustedChain, JWSError>

    private struct Kept {
        let chain: TrustedChain
        var usedAt: UInt64
    }

    private struct State {
        var chains: [Key: Kept] = [:]
        var failures: [Key: JWSError] = [:]
        var waiting: [Key: [CheckedContinuation<Answer, Never>]] = [:]
        var uses: UInt64 = 0
        var second: Int64 = 0
        var newInSecond: [Int64: Int] = [:]
    }

    private enum Step {
        case answer(Answer)
        case wait
        case judge
    }

    private let trust: TrustAnchors
    private let limits: Limits
    private let state = Mutex(State())

    init(trust: TrustAnchors, limits: Limits = Limits()) {
        self.trust = trust
        self.limits = limits
    }

    /// How many chains are kept.
    var count: Int { state.withLock { $0.chains.count } }

    /// The chain of a header, judged now or before; its dates are the caller's to check.
    func chain(_ header: JWSHeader, inbox: Int64, at now: Moment) async throws(JWSError) -> TrustedChain {
        let key = Key(header)
        if let chain = state.withLock({ kept(key, &$0) }) {
            if header.certificateTexts[2] != chain.rootText { try requireRoot(header) }
            return chain
        }
        try requireRoot(header)
        switch state.withLock({ step(key, inbox, now, &$0) }) {
        case .answer(let answer): return try answer.get()
        case .judge: return try await judge(header, key).get()
        case .wait:
            let answer = await withCheckedContinuation { (continuation: CheckedContinuation<Answer, Never>) in
                let done: Answer? = state.withLock { state in
                    guard state.waiting[key] != nil else {
                        // It was judged between the two looks.
                        return kept(key, &state).map(Result.success)
                            ?? .failure(state.failures[key] ?? Self.tooMany)
                    }
                    state.waiting[key]?.append(continuation)
                    return nil
                }
                if let done { continuation.resume(returning: done) }
            }
            return try answer.get()
        }
    }

    /// The third certificate: pinned by its fingerprint, or else no more than counted.
    private func requireRoot(_ header: JWSHeader) throws(JWSError) {
        guard let der = Base64.decode(header.certificateTexts[2]) else {
            throw JWSError(.certificateListInvalid, "the root certificate is not standard base64")
        }
        if case .pinned(let fingerprint, let name) = trust.kind, Digest.sha256(der) != fingerprint {
            throw JWSError(.rootNotTrusted, "the third certificate is not \(name)")
        }
    }

    private func kept(_ key: Key, _ state: inout State) -> TrustedChain? {
        state.uses += 1
        state.chains[key]?.usedAt = state.uses
        return state.chains[key]?.chain
    }

    private func step(_ key: Key, _ inbox: Int64, _ now: Moment, _ state: inout State) -> Step {
        if let chain = kept(key, &state) { return .answer(.success(chain)) }
        if let failure = state.failures[key] { return .answer(.failure(failure)) }
        if state.waiting[key] != nil { return .wait }
        if state.second != now.seconds {
            state.second = now.seconds
            state.newInSecond.removeAll(keepingCapacity: true)
        }
        let count = state.newInSecond[inbox, default: 0]
        guard count < limits.newPerInboxAndSecond, state.waiting.count < limits.judgingMax else {
            return .answer(.failure(Self.tooMany))
        }
        state.newInSecond[inbox] = count + 1
        state.waiting[key] = []
        return .judge
    }

    private func judge(_ header: JWSHeader, _ key: Key) async -> Answer {
        let trust = trust
        let answer = await withTaskExecutorPreference(globalConcurrentExecutor) {
            await Self.judged(header, trust)
        }
        let waiting = state.withLock { state in
            switch answer {
            case .success(let chain):
                state.uses += 1
                state.chains[key] = Kept(chain: chain, usedAt: state.uses)
                if state.chains.count > limits.chainsMax,
                    let oldest = state.chains.min(by: { $0.value.usedAt < $1.value.usedAt })
                {
                    state.chains[oldest.key] = nil
                }
            case .failure(let error):
                if state.failures.count >= limits.failuresMax { state.failures.removeAll(keepingCapacity: true) }
                state.failures[key] = error
            }
            return state.waiting.removeValue(forKey: key) ?? []
        }
        for continuation in waiting { continuation.resume(returning: answer) }
        return answer
    }

    @concurrent
    private static func judged(_ header: JWSHeader, _ trust: TrustAnchors) async -> Answer {
        do throws(JWSError) { return .success(try TrustedChain(header, trust: trust)) } catch { return .failure(error) }
    }

    private static let tooMany = JWSError(.tooManyNewChains, "too many unknown certificates at once; try again")
}
