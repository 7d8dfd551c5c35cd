import FoundationEssentials
package import Postgres
package import Queue
package import Tenants
package import Time

/// Where people set what is answered, answer what waits for them, and work on cases together.
package struct DecidingDesk: Sendable {
    let database: Database
    let bell: Bell
    let clock: WallClock

    package init(database: Database, bell: Bell, clock: WallClock) {
        self.database = database
        self.bell = bell
        self.clock = clock
    }

    /// Why a change was not made.
    package enum Refused: Error, Sendable, Hashable {
        /// What is wrong with the text, line by line.
        case troubles(PolicyText.Troubles)
        /// What is wrong with a field, by its name.
        case field(String, String)
        /// Somebody else saved this version meanwhile.
        case overtaken(by: PolicyVersion?)
        case forbidden
        /// Somebody answered before, or the request waits for nobody any more.
        case answered(by: String?, state: RoundState)
        /// The answer was made for a request that is not the newest any more.
        case askedAgain(state: RoundState)
    }

    // MARK: Policies

    /// The versions of an app's policy, newest first; none: the fair template decides.
    package func versions(of app: App) async throws -> [PolicyVersion] {
        try await database.transaction(app.tenant.scope, isolation: .readOnly) { tx in
            try await tx.rows(PolicyStore.versions(of: app)).map { try PolicyVersion($0) }
        }
    }

    /// Lays a policy over the last requests that the rules decided.
    package func trial(_ policy: Policy, of app: App) async throws -> PolicyTrial {
        let now = clock.now
        let past = try await database.transaction(app.tenant.scope, isolation: .readOnly) { tx in
            try await tx.rows(
                DecisionStore.page(of: app, until: now, after: nil, limit: PolicyTrial.casesMax)
            ).map { try PastDecision($0) }
        }
        var trial = PolicyTrial()
        for decision in past { trial.add(decision, by: policy) }
        trial.conclude(policy)
        return trial
    }

    /// Makes a text the policy of an app, from the next decision on; audited.
    ///
    /// - Parameter basedOn: the version that whoever changes it had before their eyes; 0: none.
    /// - Throws: `Refused`.
    package func save(
        _ text: String, note: String, basedOn: Int, of app: App, by person: PersonID, role: Tenants.Role,
        address: String?
    ) async throws -> PolicyVersion {
        guard role >= .admin else { throw Refused.forbidden }
        guard Text.isKept(note, bytesMax: 500) else { throw Refused.field("note", "A note has at most 500 bytes.") }
        guard Text.isPlain(note) else { throw Refused.field("note", "The note \(Text.notPlain).") }
        try Self.check(text)
        return try await database.transaction(app.tenant.scope) { tx in
            try await Self.oneByOne(app, in: tx)
            return try await add(text, note: note, basedOn: basedOn, of: app, by: person, address: address, in: tx)
        }
    }

    /// The same, for a text that was checked, under the app's lock.
    func add(
        _ text: String, note: String, basedOn: Int, of app: App, by person: PersonID, address: String?,
        in tx: Transaction
    ) async throws -> PolicyVersion {
        let newest = try await tx.row(PolicyStore.newest(of: app.id, tenant: app.tenant)).map { try PolicyVersion($0) }
        guard newest?.number ?? 0 == basedOn else { throw Refused.overtaken(by: newest) }
        let now = clock.now
        let version = PolicyVersion(number: basedOn + 1, text: text, note: note, author: person, madeAt: now)
        try await tx.execute(
            PolicyStore.add(text, note: note, by: person, version: version.number, of: app, at: now))
        try await self.note(
            "policy.changed", app, ["version": .number(Int64(version.number))], person, address, at: now, in: tx)
        return version
    }
}
