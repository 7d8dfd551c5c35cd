import CCurl
import Glibc
import Loop
import Synchronization
import Time

/// The one thread on which all transfers of a client run.
///
/// Measured against libcurl driven by the event loop: faster, half the code, and a slow TLS handshake
/// holds up nobody's requests.
@safe final class TransferThread: @unchecked Sendable {
    enum Message: Sendable {
        case start(CurlTransfer)
        case cancel(CurlTransfer)
    }

    private struct Inbox {
        var messages: [Message] = []
        var inFlight = 0
        var isStopping = false
        /// The thread is gone, and the multi handle with it.
        var hasEnded = false
        var waitingForEnd: [CheckedContinuation<Void, Never>] = []
    }

    private struct Running {
        let handle: CurlHandle
        let transfer: CurlTransfer
    }

    /// libcurl's own time-out comes first and can say more; this is for calls it does not watch,
    /// as those that wait for another's connection.
    private static let grace: Duration = .milliseconds(100)
    private static let spareHandlesMax = 64

    private let options: HTTPClient.Options
    private let multi: UnsafeMutableRawPointer?
    private let inbox = Mutex(Inbox())

    // Touched by the thread alone.
    private var running: [CurlHandle.ID: Running] = [:]
    private var spare: [CurlHandle] = []
    private var nextDeadline: ContinuousClock.Instant?

    /// - Parameter name: the thread's, at most 15 bytes are kept.
    init(name: String, options: HTTPClient.Options) {
        self.options = options
        Self.prepareProcess
        unsafe multi = curl_multi_init()
        guard unsafe multi != nil else {
            inbox.withLock { $0.hasEnded = true }
            return
        }
        Thread.start(name: name) { self.run() }
    }

    /// Once in a process. libcurl without signals leaves broken pipes to us.
    private static let prepareProcess: Void = {
        signal(SIGPIPE, SIG_IGN)
        curl_global_init(desk_curl_global_flags())
    }()

    // MARK: From any thread

    /// Takes a call, or finishes it at once when there is no room.
    func start(_ transfer: CurlTransfer) {
        let refusal: HTTPClientError? = inbox.withLock { inbox in
            guard !inbox.isStopping, !inbox.hasEnded else {
                return HTTPClientError(
                    arrival: .notReceived, kind: .shutDown, text: "\(transfer.url.host): the client is shut down")
            }
            guard inbox.inFlight < options.inFlightMax else {
                return HTTPClientError(
                    arrival: .notReceived, kind: .busy,
                    text: "\(transfer.url.host): \(options.inFlightMax) calls are running already")
            }
            inbox.inFlight += 1
            post(.start(transfer), &inbox)
            return nil
        }
        if let refusal { transfer.finish(.failure(refusal)) }
    }

    /// Before, during or after its run; the thread ends it if it still runs.
    func cancel(_ transfer: CurlTransfer) {
        transfer.cancelled.store(true, ordering: .releasing)
        inbox.withLock { inbox in
            guard !inbox.hasEnded else { return }
            post(.cancel(transfer), &inbox)
        }
    }

    /// Cancels what runs, and refuses what comes. Returns when the thread has ended.
    func stop() async {
        await withCheckedContinuation { continuation in
            let hasEnded = inbox.withLock { inbox in
                if inbox.hasEnded { return true }
                inbox.waitingForEnd.append(continuation)
                askToStop(&inbox)
                return false
            }
            if hasEnded { continuation.resume() }
        }
    }

    /// As `stop`, without waiting.
    func stopLater() {
        inbox.withLock { inbox in
            if !inbox.hasEnded { askToStop(&inbox) }
        }
    }

    private func askToStop(_ inbox: inout Inbox) {
        inbox.isStopping = true
        unsafe curl_multi_wakeup(multi)
    }

    /// The handle is only freed after `hasEnded` was set under the same lock, so waking it here is safe.
    private func post(_ message: Message, _ inbox: inout Inbox) {
        inbox.messages.append(message)
        if inbox.messages.count == 1 { unsafe curl_multi_wakeup(multi) }
    }

    // MARK: On the thread

    private func run() {
        // Signals are for the threads that expect them.
        var all = sigset_t()
        unsafe sigfillset(&all)
        unsafe pthread_sigmask(SIG_BLOCK, &all, nil)
        unsafe desk_curl_multi_set_long(multi, CURLMOPT_PIPELINING, Int(CURLPIPE_MULTIPLEX))
        unsafe desk_curl_multi_set_long(multi, CURLMOPT_MAX_HOST_CONNECTIONS, options.connectionsPerHostMax)
        unsafe desk_curl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, options.idleConnectionsMax)
        while true {
            let (messages, isStopping) = inbox.withLock { inbox in
                defer { inbox.messages.removeAll(keepingCapacity: inbox.messages.count < 256) }
                return (inbox.messages, inbox.isStopping)
            }
            for message in messages { take(message) }
            if isStopping { break }
            var count: CInt = 0
            unsafe curl_multi_perform(multi, &count)
            collect()
            endOverdue()
            unsafe curl_multi_poll(multi, nil, 0, waitMilliseconds, nil)
        }
        for one in Array(running.values) { end(one, .cancelled) }
        spare.removeAll()
        let waiting = inbox.withLock { inbox in
            inbox.hasEnded = true
            for case .start(let transfer) in inbox.messages { refuse(transfer) }
            inbox.messages = []
            return inbox.waitingForEnd
        }
        unsafe curl_multi_cleanup(multi)
        for continuation in waiting { continuation.resume() }
    }

    private func take(_ message: Message) {
        switch message {
        case .start(let transfer):
            if transfer.cancelled.load(ordering: .acquiring) { transfer.end(.cancelled) }
            guard transfer.stop == nil, let handle = spare.popLast() ?? CurlHandle() else {
                settle(transfer, CURLE_OUT_OF_MEMORY)
                return
            }
            let code = handle.prepare(for: transfer, options: options)
            guard code == CURLE_OK, unsafe curl_multi_add_handle(multi, handle.easy) == CURLM_OK else {
                keep(handle)
                settle(transfer, code == CURLE_OK ? CURLE_OUT_OF_MEMORY : code)
                return
            }
            running[handle.id] = Running(handle: handle, transfer: transfer)
            nextDeadline = min(nextDeadline ?? transfer.deadline, transfer.deadline)
        case .cancel(let transfer):
            // Rare, so a search is cheap enough.
            if let one = running.values.first(where: { $0.transfer === transfer }) { end(one, .cancelled) }
        }
    }

    /// Finishes every transfer that libcurl has done with.
    private func collect() {
        var left: CInt = 0
        while let message = unsafe curl_multi_info_read(multi, &left) {
            guard unsafe message.pointee.msg == CURLMSG_DONE else { continue }
            // The message is gone once the handle is removed.
            let code = unsafe desk_curl_message_result(message)
            if let one = unsafe running[CurlHandle.ID(message.pointee.easy_handle)] { end(one, code) }
        }
    }

    private func endOverdue() {
        let now = ContinuousClock.now
        guard let nextDeadline, nextDeadline + Self.grace <= now else { return }
        for one in Array(running.values) where one.transfer.deadline + Self.grace <= now { end(one, .overdue) }
        self.nextDeadline = running.values.lazy.map(\.transfer.deadline).min()
    }

    private var waitMilliseconds: CInt {
        guard !running.isEmpty, let nextDeadline else { return 30_000 }
        let left = (nextDeadline + Self.grace - .now).wholeMilliseconds + 1
        return CInt(min(1000, max(1, left)))
    }

    private func end(_ one: Running, _ reason: CurlTransfer.Stop) {
        one.transfer.end(reason)
        end(one, CURLE_ABORTED_BY_CALLBACK)
    }

    private func end(_ one: Running, _ code: CURLcode) {
        unsafe curl_multi_remove_handle(multi, one.handle.easy)
        running[one.handle.id] = nil
        settle(one.transfer, code, one.handle)
        keep(one.handle)
    }

    private func settle(_ transfer: CurlTransfer, _ code: CURLcode, _ handle: CurlHandle? = nil) {
        inbox.withLock { $0.inFlight -= 1 }
        if code == CURLE_OK, let handle {
            transfer.finish(.success(transfer.response(httpVersion: handle.httpVersion)))
            return
        }
        transfer.finish(
            .failure(
                HTTPClientError(
                    code, host: transfer.url.host, requestsBegun: transfer.requestsBegun, stop: transfer.stop,
                    verifyResult: handle?.verifyResult ?? 0, message: handle?.errorText ?? "")))
    }

    private func refuse(_ transfer: CurlTransfer) {
        transfer.finish(
            .failure(
                HTTPClientError(
                    arrival: .notReceived, kind: .shutDown, text: "\(transfer.url.host): the client is shut down")))
    }

    private func keep(_ handle: CurlHandle) {
        guard spare.count < Self.spareHandlesMax else { return }
        handle.reset()
        spare.append(handle)
    }
}
