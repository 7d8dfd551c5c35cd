package import Journal
import Time

/// Calls to other people's servers over libcurl: HTTP/2 where it is offered, connections kept and shared.
///
/// Certificates are always verified; redirects are never followed; only `http` and `https` are spoken; a
/// proxy is used only when it is set here. Each client has a thread of its own, so that hosts chosen by
/// tenants cannot hold up calls to Apple: give those another client.
package final class HTTPClient: Sendable {
    package struct Options: Sendable {
        /// `http://host:port`; nil: none, whatever the environment says.
        package var proxy: String?
        /// PEM file of certificates that are trusted beside those of the system.
        package var caFile: String?
        /// Which addresses may be called; nil: every one.
        package var addressGuard: AddressGuard?
        /// Calls without encryption reach only what of private networks the guard allows, and nothing public.
        package var limitsPlainCalls: Bool
        package var userAgent: String
        /// More calls at one time end at once with `busy`.
        package var inFlightMax: Int
        package var connectionsPerHostMax: Int
        package var idleConnectionsMax: Int

        package init(
            proxy: String? = nil, caFile: String? = nil, addressGuard: AddressGuard? = nil,
            limitsPlainCalls: Bool = false, userAgent: String = "refund-desk", inFlightMax: Int = 1024,
            connectionsPerHostMax: Int = 64,
            idleConnectionsMax: Int = 64
        ) {
            self.proxy = proxy
            self.caFile = caFile
            self.addressGuard = addressGuard
            self.limitsPlainCalls = limitsPlainCalls
            self.userAgent = userAgent
            self.inFlightMax = inFlightMax
            self.connectionsPerHostMax = connectionsPerHostMax
            self.idleConnectionsMax = idleConnectionsMax
        }
    }

    private let name: String
    private let options: Options
    private let thread: TransferThread
    private let journal: Journal
    private let counters: Counters

    /// - Parameter name: of the thread and in counters: `apple`, `callbacks`.
    package init(name: String, options: Options, journal: Journal, counters: Counters) {
        self.name = name
        self.options = options
        self.journal = journal.with(["client": .string(name)])
        self.counters = counters
        thread = TransferThread(name: "http-\(name)", options: options)
    }

    deinit { thread.stopLater() }

    /// Sends the request once and waits for the whole answer, whatever its status.
    ///
    /// Cancelling the task ends the call. The caller goes on where it ran before.
    /// - Parameter deadline: ends the call earlier than the request's own total time-out.
    /// - Throws: an error that says whether the other side can have received the request.
    package func send(
        _ request: ClientRequest, until deadline: Deadline = .never
    ) async throws(HTTPClientError) -> ClientResponse {
        let begun = ContinuousClock.now
        guard let url = ClientURL(request.url) else {
            throw HTTPClientError(
                arrival: .notReceived, kind: .badRequest, text: "the URL is no proper http or https URL")
        }
        if let error = refusal(of: url) { throw error }
        let call = PendingCall(
            request, url: url, deadline: min(begun + request.totalTimeout, deadline.instant),
            addressGuard: options.proxy == nil ? guardian(of: url) : nil)
        let thread = thread
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                call.await(continuation)
                thread.start(call)
            }
        } onCancel: {
            thread.cancel(call)
        }
        note(outcome, url.host, .now - begun)
        return try outcome.get()
    }

    /// Ends every call that still runs, as `cancelled`, and returns when the thread has ended.
    package func shutdown() async { await thread.stop() }

    private func guardian(of url: ClientURL) -> AddressGuard? {
        guard options.limitsPlainCalls, !url.isEncrypted else { return options.addressGuard }
        return (options.addressGuard ?? .publicOnly).forPlainCalls
    }

    /// Behind a proxy the proxy looks up names, and must guard them; an address in the URL is checked here.
    private func refusal(of url: ClientURL) -> HTTPClientError? {
        guard options.proxy != nil, let guardian = guardian(of: url), !guardian.allows(host: url.host) else {
            return nil
        }
        return HTTPClientError(
            arrival: .notReceived, kind: .addressRefused, text: "\(url.host): its address is not one that may be called"
        )
    }

    private func note(_ outcome: PendingCall.Outcome, _ host: String, _ duration: Duration) {
        let label: String
        switch outcome {
        case .success(let response): label = "\(response.status / 100)xx"
        case .failure(let error):
            label = error.label
            journal.info(
                "a call brought no answer", ["error": .string(error.text), "milliseconds": JournalValue(duration)])
        }
        counters.add(
            "http_client_calls_total", 1, ["client": name, "outcome": label],
            help: "Outgoing calls by class of status or kind of failure.")
        counters.observe(
            "http_client_seconds", duration, ["client": name], help: "Time from hand-over to the complete answer.")
    }
}

extension HTTPClientError {
    /// For counters: one word of a closed set.
    package var label: String {
        switch kind {
        case .badRequest: "bad-request"
        case .resolve: "resolve"
        case .connect: "connect"
        case .tls: "tls"
        case .addressRefused: "address-refused"
        case .timeout: "timeout"
        case .reset: "reset"
        case .tooLarge: "too-large"
        case .malformed: "malformed"
        case .cancelled: "cancelled"
        case .busy: "busy"
        case .shutDown: "shut-down"
        case .other: "other"
        }
    }
}
