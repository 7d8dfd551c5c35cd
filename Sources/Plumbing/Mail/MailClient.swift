package import Journal
import Loop
import Synchronization
package import Time

/// Hands mail to one server over libcurl: safely or not at all.
///
/// libcurl holds its thread, so the work is done on threads of its own; few mails may wait for them. Certificates are
/// always verified; where the server offers no TLS, nothing is sent, unless it is on this very machine.
package final class MailClient: Sendable {
    package struct Limits: Sendable {
        /// Until the server has greeted, TLS stands and we have signed in.
        package var connect: Duration
        /// From the hand-over to the server's last word, time in the queue included.
        package var total: Duration
        /// More mails at one time end at once with `busy`.
        package var waitingMax: Int

        package init(connect: Duration = .seconds(10), total: Duration = .seconds(30), waitingMax: Int = 64) {
            self.connect = connect
            self.total = total
            self.waitingMax = waitingMax
        }
    }

    private struct State {
        var running: [ObjectIdentifier: MailJob] = [:]
        var isStopping = false
        var waitingForEnd: [CheckedContinuation<Void, Never>] = []
    }

    private let server: MailServer
    private let from: MailAddress
    private let name: HeaderText
    private let caFile: String?
    private let limits: Limits
    private let clock: WallClock
    private let journal: Journal
    private let counters: Counters
    private let threads: Offload
    private let state = Mutex(State())

    /// - Parameters:
    ///   - name: of the sender, shown beside the address.
    ///   - caFile: PEM file of certificates that are trusted beside those of the system.
    package init(
        server: MailServer, from: MailAddress, name: HeaderText, caFile: String? = nil, limits: Limits = Limits(),
        clock: WallClock, journal: Journal, counters: Counters
    ) {
        self.server = server
        self.from = from
        self.name = name
        self.caFile = caFile
        self.limits = limits
        self.clock = clock
        self.journal = journal
        self.counters = counters
        threads = Offload(name: "mail", threads: 2, queueMax: limits.waitingMax)
    }

    /// Hands one mail in, once, and waits for the server's word.
    ///
    /// Cancelling the task ends it within about a second. After a `timeout` or `unreachable` the server may have
    /// taken it all the same: the same message ID lets readers' programs see that.
    package func send(_ message: MailMessage) async throws(MailError) {
        let job = MailJob(
            to: message.to, bytes: message.bytes(from: from, name: name, date: clock.now),
            deadline: .now + limits.total)
        let isTaken = state.withLock { state in
            if !state.isStopping { state.running[ObjectIdentifier(job)] = job }
            return !state.isStopping
        }
        guard isTaken else { throw MailError(kind: .shutDown, text: "the mail client is shut down") }
        let error = await withTaskCancellationHandler {
            await perform(job)
        } onCancel: {
            job.end(.cancelled)
        }
        finish(job)
        note(error)
        if let error { throw error }
    }

    /// Ends what is under way, refuses what comes, and returns when nothing runs.
    package func shutdown() async {
        await withCheckedContinuation { continuation in
            let isIdle = state.withLock { state in
                state.isStopping = true
                for job in state.running.values { job.end(.shutDown) }
                if !state.running.isEmpty { state.waitingForEnd.append(continuation) }
                return state.running.isEmpty
            }
            if isIdle { continuation.resume() }
        }
    }

    private func perform(_ job: MailJob) async -> MailError? {
        let (server, from, caFile, limits) = (server, from, caFile, limits)
        do {
            return try await threads.run {
                guard let transfer = MailTransfer(job, to: server) else {
                    return MailError(kind: .busy, text: "no memory for a mail")
                }
                return transfer.run(from: from, caFile: caFile, connectTimeout: limits.connect)
            }
        } catch {
            return MailError(kind: .busy, text: "\(limits.waitingMax) mails are waiting already")
        }
    }

    private func finish(_ job: MailJob) {
        let waiting = state.withLock { state in
            state.running[ObjectIdentifier(job)] = nil
            guard state.running.isEmpty else { return [CheckedContinuation<Void, Never>]() }
            defer { state.waitingForEnd = [] }
            return state.waitingForEnd
        }
        for continuation in waiting { continuation.resume() }
    }

    private func note(_ error: MailError?) {
        counters.add(
            "mails_total", 1, ["outcome": error?.kind.rawValue ?? "sent"], help: "Mails handed in, by what came of it.")
        guard let error else { return }
        journal.info(
            "a mail was not sent", ["error": .string(error.text), "code": error.code.map { JournalValue($0) } ?? .none])
    }
}
