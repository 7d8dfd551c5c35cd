import Journal
import Postgres
import Synchronization
import Tenants
import Time

/// Notices when an app goes quiet, and asks Apple for a TEST notification to tell "Apple is quiet" from "we are deaf".
final class Listening: Sendable {
    /// How long a learned rhythm is believed.
    private static let learnedFor = Duration.hours(3)
    private static let appsMax = 20_000

    private struct Learned {
        let at: Moment
        let gaps: [String: Duration]
    }

    private let database: Database
    private let ask: @Sendable (App) async throws -> Void
    private let clock: WallClock
    private let journal: Journal
    private let learned = Mutex<[AppID: Learned]>([:])

    /// - Parameter ask: asks Apple to send a TEST notification in Production; throws where that is not possible, with the reason.
    init(
        database: Database, clock: WallClock, journal: Journal, ask: @escaping @Sendable (App) async throws -> Void
    ) {
        self.database = database
        self.clock = clock
        self.journal = journal
        self.ask = ask
    }

    /// Looks at the real apps of a tenant. What cannot be asked is told with its reason by the rule of silence.
    func listen(to apps: [App]) async throws {
        for app in apps where !app.isRehearsal && app.environments.contains(.production) && !app.isRemoved {
            try await listen(to: app)
        }
    }

    private func listen(to app: App) async throws {
        let now = clock.now
        let gaps = try await gaps(of: app, at: now)
        guard !gaps.isEmpty else { return }
        let quiet = try await database.transaction(app.tenant.scope) { tx -> (last: Moment, gap: Duration)? in
            let standing = try await SilenceStore.standing(of: app, in: tx)
            let newest = try await SilenceStore.newest(of: app, in: tx)
            if let standing, standing.heardAt == nil, let newest, newest > standing.noticedAt {
                try await SilenceStore.heard(app, at: newest, in: tx)
                return nil
            }
            if let standing, standing.heardAt == nil { return nil }
            var worst: (last: Moment, gap: Duration)?
            for (type, gap) in gaps {
                guard let last = try await SilenceStore.newest(of: app, type: type, at: now, in: tx) else { continue }
                // A silence that turned out to be Apple's counts anew from the TEST notification on.
                let from = max(last, standing?.heardAt ?? last)
                guard Rhythm.isSilent(since: from, usualGap: gap, at: now) else { continue }
                if worst.map({ last < $0.last }) ?? true { worst = (last, gap) }
            }
            return worst
        }
        guard let quiet else { return }
        var impossible: String?
        do {
            try await ask(app)
        } catch let error as PostgresError {
            throw error
        } catch {
            impossible = "No TEST notification could be asked for: \(error)."
        }
        journal.info(
            "an app is quieter than usual: a TEST notification tells whether it can be heard",
            ["tenant": .init(app.tenant.rawValue), "app": .init(app.id.rawValue)])
        let why = impossible
        try await database.transaction(app.tenant.scope) { tx in
            try await SilenceStore.notice(
                app, lastAt: quiet.last, usualGap: quiet.gap, impossible: why, at: now, in: tx)
        }
    }

    private func gaps(of app: App, at now: Moment) async throws -> [String: Duration] {
        if let known = learned.withLock({ $0[app.id] }), now - known.at < Self.learnedFor { return known.gaps }
        let rhythms = try await database.transaction(app.tenant.scope) { tx in
            try await SilenceStore.rhythms(of: app, at: now, in: tx)
        }
        var gaps: [String: Duration] = [:]
        for heard in rhythms { gaps[heard.type] = heard.usualGap }
        let new = Learned(at: now, gaps: gaps)
        learned.withLock { learned in
            if learned.count >= Self.appsMax { learned.removeAll() }
            learned[app.id] = new
        }
        return gaps
    }
}
