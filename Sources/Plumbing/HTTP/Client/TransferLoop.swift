import CCurl
import Time

/// libcurl's multi handle and the transfers that run on it. Made, used and freed on the transfer thread.
@safe
final class TransferLoop {
    /// Wakes the thread from its waiting, from any thread; good while the loop lives.
    struct Alarm: Sendable {
        private let multi: UInt

        fileprivate init(_ multi: UnsafeMutableRawPointer) { self.multi = UInt(bitPattern: multi) }

        func ring() { unsafe curl_multi_wakeup(UnsafeMutableRawPointer(bitPattern: multi)) }
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
    private let multi: UnsafeMutableRawPointer
    private var running: [CurlHandle.ID: Running] = [:]
    private var spare: [CurlHandle] = []
    private var nextDeadline: ContinuousClock.Instant?
    private var endedInThisTurn = 0

    /// Nil when there is no memory.
    init?(_ options: HTTPClient.Options) {
        guard let multi = unsafe curl_multi_init() else { return nil }
        unsafe self.multi = multi
        self.options = options
        unsafe desk_curl_multi_set_long(multi, CURLMOPT_PIPELINING, Int(CURLPIPE_MULTIPLEX))
        unsafe desk_curl_multi_set_long(multi, CURLMOPT_MAX_HOST_CONNECTIONS, options.connectionsPerHostMax)
        unsafe desk_curl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, options.idleConnectionsMax)
    }

    deinit {
        // libcurl wants its easy handles freed before the multi handle that holds their connections.
        running.removeAll()
        spare.removeAll()
        unsafe curl_multi_cleanup(multi)
    }

    var alarm: Alarm { unsafe Alarm(multi) }

    /// Takes the messages, moves every transfer on, and waits for the next event.
    ///
    /// - Parameter isLast: ends every transfer instead of waiting.
    /// - Returns: how many calls ended.
    func turn(_ messages: [TransferThread.Message], isLast: Bool) -> Int {
        endedInThisTurn = 0
        for message in messages {
            switch message {
            case .start(let call): start(call)
            case .cancel(let call):
                // Rare, so a search is cheap enough.
                if let one = running.values.first(where: { $0.transfer.call === call }) { end(one, .cancelled) }
            }
        }
        if isLast {
            for one in Array(running.values) { end(one, .cancelled) }
            return endedInThisTurn
        }
        var count: CInt = 0
        unsafe curl_multi_perform(multi, &count)
        collect()
        endOverdue()
        // Who was answered may ask again at once, and room was made: look at the messages first.
        if endedInThisTurn == 0 { unsafe curl_multi_poll(multi, nil, 0, waitMilliseconds, nil) }
        return endedInThisTurn
    }

    private func start(_ call: PendingCall) {
        let transfer = CurlTransfer(call)
        if call.isCancelled {
            transfer.end(.cancelled)
            settle(transfer, CURLE_ABORTED_BY_CALLBACK)
            return
        }
        guard let handle = spare.popLast() ?? CurlHandle() else {
            settle(transfer, CURLE_OUT_OF_MEMORY)
            return
        }
        var code = handle.prepare(for: transfer, options: options)
        if code == CURLE_OK, unsafe curl_multi_add_handle(multi, handle.easy) != CURLM_OK { code = CURLE_OUT_OF_MEMORY }
        guard code == CURLE_OK else {
            keep(handle)
            settle(transfer, code)
            return
        }
        running[handle.id] = Running(handle: handle, transfer: transfer)
        nextDeadline = min(nextDeadline ?? call.deadline, call.deadline)
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
        for one in Array(running.values) where one.transfer.call.deadline + Self.grace <= now { end(one, .overdue) }
        self.nextDeadline = running.values.lazy.map(\.transfer.call.deadline).min()
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
        endedInThisTurn += 1
        if code == CURLE_OK, let handle {
            transfer.call.finish(
                .success(transfer.response(httpVersion: handle.httpVersion, certificate: handle.certificate)))
        } else {
            transfer.call.finish(.failure(HTTPClientError(code, of: transfer, handle)))
        }
    }

    /// For the next call: what a handle keeps is cheap to keep and dear to make.
    private func keep(_ handle: CurlHandle) {
        guard spare.count < Self.spareHandlesMax else { return }
        handle.reset()
        spare.append(handle)
    }
}
