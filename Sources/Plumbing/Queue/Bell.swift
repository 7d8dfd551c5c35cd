package import Journal
import Loop
package import Postgres
import Synchronization

/// Wakes idle workers: those of this process at once, others by NOTIFY.
///
/// Ring it after the commit that added jobs. Rings within 50 ms share one notification: a `notify`
/// inside each commit would put all commits in one line.
package final class Bell: Sendable {
    private struct State {
        var hearers: [@Sendable () -> Void] = []
        var isNotifying = false
        var isWanted = false
    }

    private let database: Database
    private let journal: Journal
    private let state = Mutex(State())
    /// Tells our own notifications from those of others.
    let process = String(UInt64.random(in: .min ... .max), radix: 36)

    static let spacing: Duration = .milliseconds(50)

    package init(database: Database, journal: Journal) {
        self.database = database
        self.journal = journal
    }

    /// From any thread.
    package func ring() {
        let (hearers, isFirst) = state.withLock { state in
            let isFirst = !state.isNotifying
            state.isNotifying = true
            state.isWanted = true
            return (state.hearers, isFirst)
        }
        for hear in hearers { hear() }
        if isFirst { database.loops.here.run { await self.notify() } }
    }

    func whenRung(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.hearers.append(body) } }

    /// One at a time, as long as somebody rings.
    private func notify() async {
        let loop = database.loops.here
        while true {
            let goOn = state.withLock { state in
                if !state.isWanted { state.isNotifying = false }
                defer { state.isWanted = false }
                return state.isWanted
            }
            guard goOn else { return }
            do {
                try await database.execute(.queue, "select pg_notify('desk_jobs', \(process))", within: .seconds(2))
            } catch {
                // Other processes look for themselves every second.
                journal.debug("other processes could not be told of new jobs", ["error": JournalValue(error)])
            }
            try? await loop.sleep(for: Self.spacing)
        }
    }
}
