import Synchronization

/// One call as the caller hands it over: what to send, until when, and who waits for it.
final class PendingCall: Sendable {
    typealias Outcome = Result<ClientResponse, HTTPClientError>

    let request: ClientRequest
    let url: ClientURL
    let deadline: ContinuousClock.Instant
    let addressGuard: AddressGuard?
    private let cancelled = Atomic(false)
    private let waiting = Mutex<CheckedContinuation<Outcome, Never>?>(nil)

    init(_ request: ClientRequest, url: ClientURL, deadline: ContinuousClock.Instant, addressGuard: AddressGuard?) {
        self.request = request
        self.url = url
        self.deadline = deadline
        self.addressGuard = addressGuard
    }

    /// A cancellation may come before the transfer thread has seen the call.
    var isCancelled: Bool { cancelled.load(ordering: .acquiring) }

    func cancel() { cancelled.store(true, ordering: .releasing) }

    func await(_ continuation: CheckedContinuation<Outcome, Never>) { waiting.withLock { $0 = continuation } }

    /// Resumes the caller, on the caller's own executor; the second time does nothing.
    func finish(_ outcome: Outcome) {
        let continuation = waiting.withLock { waiting in
            defer { waiting = nil }
            return waiting
        }
        continuation?.resume(returning: outcome)
    }

    func fail(_ kind: HTTPClientError.Kind, _ words: String) {
        finish(.failure(HTTPClientError(arrival: .notReceived, kind: kind, text: "\(url.host): \(words)")))
    }
}
