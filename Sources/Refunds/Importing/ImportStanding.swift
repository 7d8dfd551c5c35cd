import AppStore
import Postgres
import Tenants
package import Time

/// How far the time before an app was added is read, in one environment.
package struct ImportStanding: Sendable, Hashable {
    package enum State: String, Sendable, CaseIterable {
        case running, done, stopped
        case givenUp = "given-up"
    }

    package let state: State
    /// The time that is read.
    package let from: Moment
    package let to: Moment
    package let startedAt: Moment
    package let endedAt: Moment?
    /// Windows that are read, of how many.
    package let read: Int
    package let windows: Int
    /// What was named: new here, here already, and not to be believed.
    package let imported: Int
    package let held: Int
    package let refused: Int
    /// What went wrong last; nil: nothing.
    package let trouble: String?

    package init(
        state: State, from: Moment, to: Moment, startedAt: Moment, endedAt: Moment? = nil, read: Int, windows: Int,
        imported: Int = 0, held: Int = 0, refused: Int = 0, trouble: String? = nil
    ) {
        self.state = state
        self.from = from
        self.to = to
        self.startedAt = startedAt
        self.endedAt = endedAt
        self.read = read
        self.windows = windows
        self.imported = imported
        self.held = held
        self.refused = refused
        self.trouble = trouble
    }

    init(_ past: PastImport) {
        self.init(
            state: State(rawValue: past.state.rawValue) ?? .stopped, from: past.beginsAt, to: past.endsAt,
            startedAt: past.startedAt, endedAt: past.endedAt, read: min(past.pass, past.passes), windows: past.passes,
            imported: Int(past.imported), held: Int(past.held), refused: Int(past.refused), trouble: past.trouble)
    }

    static func byApp(_ rows: [Row]) throws -> [AppID: PerEnvironment<ImportStanding>] {
        var found: [AppID: PerEnvironment<ImportStanding>] = [:]
        for row in rows {
            let past = try PastImport(row)
            let app = AppID(rawValue: try row("app_id"))
            found[app, default: PerEnvironment()][isSandbox: past.environment == .sandbox] = ImportStanding(past)
        }
        return found
    }
}
