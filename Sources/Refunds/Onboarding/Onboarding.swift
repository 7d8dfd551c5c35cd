package import AppStore
import Crypto
import FoundationEssentials
package import Journal
package import Postgres
package import Queue
import Synchronization
package import Tenants
package import Time

/// Connects an app: tries its key, sends a test notification, and tells how far it is.
///
/// The only place that calls Apple because a person asked for it; the command line never does.
package final class Onboarding: Sendable {
    /// Between two tries of one app.
    package static let probeSpacing: Duration = .seconds(10)
    /// Between two tests of one app and environment: Apple's limit for these calls.
    package static let testSpacing: Duration = .seconds(1)
    /// What a probe asks for.
    static let probedTime: Duration = .hours(1)

    private let database: Database
    private let question: AppleQuestion
    private let apple: AppleSide
    private let bell: Bell
    private let clock: WallClock
    private let journal: Journal
    private let probing = Mutex<[AppID: (key: SigningKeyID, at: Moment)]>([:])

    package init(
        database: Database, vault: Vault, apple: AppleSide, tokens: TokenCache, bell: Bell, clock: WallClock,
        journal: Journal
    ) {
        self.database = database
        question = AppleQuestion(
            vault: vault, tokens: AppTokens(vault: vault, cache: tokens, clock: clock), clock: clock)
        self.apple = apple
        self.bell = bell
        self.clock = clock
        self.journal = journal
    }

    // MARK: The probe

    /// Tries the app's newest key against each of its environments by Get Notification History of the last hour: it
    /// proves key, issuer, bundle ID and environment, and changes nothing at Apple.
    ///
    /// An accepted probe lets everything go on that waited for the key. Production first.
    ///
    /// - Throws: `OnboardingError`, `VaultError`, and what the database throws.
    package func probe(_ app: App, by actor: AuditEntry.Actor, address: String? = nil) async throws -> [Probe] {
        let begun = clock.now
        let (key, environments) = try await database.transaction(app.tenant.scope) { tx in
            let newest = try await ProbeStore.all(of: app, in: tx).map(\.at).max()
            let key = try await self.question.key(of: app, in: tx)
            // Another process may have tried it; a key that is newer than the try is tried at once.
            if let newest, newest <= begun, newest > key.createdAt, begun - newest < Self.probeSpacing {
                throw OnboardingError.tooSoon(again: newest + Self.probeSpacing)
            }
            return (key, try await Self.environments(of: app, in: tx))
        }
        try reserve(app.id, key.id, at: begun)
        let token = try await question.token(of: key, for: app, isNew: true)
        return try await withThrowingTaskGroup(of: Probe.self) { group in
            for environment in environments {
                group.addTask { try await self.probe(app, environment, key, token, by: actor, address: address) }
            }
            var probes: [Probe] = []
            for try await probe in group { probes.append(probe) }
            return probes.sorted { !$0.isSandbox && $1.isSandbox }
        }
    }

    private func probe(
        _ app: App, _ environment: Environment, _ key: SigningKeyInfo, _ token: Redacted<String>,
        by actor: AuditEntry.Actor, address: String?
    ) async throws -> Probe {
        let isSandbox = environment == .sandbox
        let wait = try await database.transaction(app.tenant.scope) { tx in
            try await Lane.takePermit(App.lane(app.id, isSandbox: isSandbox), in: tx)
        }
        guard let wait else {
            let probe = Probe(
                isSandbox: isSandbox, key: key.id, at: clock.now, result: .limited,
                detail: "the calls of the next second are taken by replies")
            try await database.transaction(app.tenant.scope) { try await ProbeStore.save(probe, of: app, in: $0) }
            return probe
        }
        if wait > .zero { try await Task.sleep(for: wait) }
        let now = clock.now
        let request = NotificationHistoryRequest(start: now - Self.probedTime, end: now)
        let result = await apple.api(for: app).notificationHistory(request, environment: environment, token: token)
        let failure: CallResult? = if case .failed(let failure) = result { failure } else { nil }
        let probe = Probe(result, isSandbox: isSandbox, key: key.id, at: clock.now)
        let isMoreWork = try await database.transaction(app.tenant.scope) { tx in
            let isMoreWork = try await self.question.learn(from: failure, key, app, isSandbox: isSandbox, in: tx)
            try await ProbeStore.save(probe, of: app, in: tx)
            try await Audit.write(
                AuditEntry(
                    tenant: app.tenant, at: probe.at, actor: actor, address: address, action: "key.probed",
                    subject: "\(key.id)",
                    detail: [
                        "app": .number(app.id.rawValue), "environment": .text(probe.environment),
                        "result": .text(probe.result.rawValue),
                    ]),
                in: tx)
            return isMoreWork
        }
        if isMoreWork { bell.ring() }
        return probe
    }

    /// One try of a key at a time and one in ten seconds, so that a button that is pressed again and again costs
    /// nothing; another key is tried at once.
    private func reserve(_ app: AppID, _ key: SigningKeyID, at now: Moment) throws {
        let again: Moment? = probing.withLock { probing in
            // A clock that was set back frees everything.
            probing = probing.filter { $0.value.at <= now && now - $0.value.at < Self.probeSpacing }
            if let last = probing[app], last.key == key { return last.at + Self.probeSpacing }
            probing[app] = (key, now)
            return nil
        }
        if let again { throw OnboardingError.tooSoon(again: again) }
    }

    // MARK: The test notification

    /// Asks Apple for a TEST notification; returns when Apple has taken the request or refused it.
    ///
    /// It may have arrived by then. If it does not, Apple is asked how it fared.
    ///
    /// - Throws: `OnboardingError`, `VaultError`, and what the database throws.
    package func sendTest(
        _ app: App, isSandbox: Bool, by actor: AuditEntry.Actor, address: String? = nil
    ) async throws -> TestNotification {
        let environment: Environment = isSandbox ? .sandbox : .production
        let id = Random.uuid()
        let (key, wait) = try await database.transaction(app.tenant.scope) { tx in
            try await self.begin(id, app, environment, by: actor, address: address, in: tx)
        }
        let result: TestRequestResult
        do {
            let token = try await question.token(of: key, for: app, isNew: false)
            if wait > .zero { try await Task.sleep(for: wait) }
            result = await apple.api(for: app).requestTestNotification(environment: environment, token: token)
        } catch {
            try await database.transaction(app.tenant.scope) { tx in
                try await TestNotificationStore.answered(
                    id, of: app, token: nil, answer: nil, detail: "\(error)", in: tx)
            }
            throw error
        }
        let (test, isMoreWork) = try await database.transaction(app.tenant.scope) { tx in
            let isMoreWork: Bool
            switch result {
            case .token(let token, let answer):
                isMoreWork = try await self.question.learn(from: nil, key, app, isSandbox: isSandbox, in: tx)
                try await TestNotificationStore.answered(
                    id, of: app, token: token, answer: answer, detail: "", in: tx)
            case .failed(let failure):
                isMoreWork = try await self.question.learn(from: failure, key, app, isSandbox: isSandbox, in: tx)
                try await TestNotificationStore.answered(
                    id, of: app, token: nil, answer: failure.answer,
                    detail: failure.answer.map { $0.message ?? "" } ?? failure.text, in: tx)
            }
            let test = try await TestNotificationStore.find(
                id, of: app.id, tenant: app.tenant, forUpdate: false, in: tx)
            return (test, isMoreWork)
        }
        if isMoreWork { bell.ring() }
        guard let test else { throw PostgresError(.misuse, "a test notification vanished while it was asked for") }
        return test
    }

    private func begin(
        _ id: UUID, _ app: App, _ environment: Environment, by actor: AuditEntry.Actor, address: String?,
        in tx: Transaction
    ) async throws -> (SigningKeyInfo, Duration) {
        let now = clock.now
        let isSandbox = environment == .sandbox
        let key = try await question.signer(of: app, isSandbox: isSandbox, in: tx)
        guard try await Self.environments(of: app, in: tx).contains(environment) else {
            throw OnboardingError.notThisEnvironment(environment.rawValue)
        }
        // The permit locks the lane: of two that press at once the second sees the first one's row.
        guard let wait = try await Lane.takePermit(App.lane(app.id, isSandbox: isSandbox), in: tx) else {
            throw OnboardingError.busy
        }
        if let last = try await tx.row(TestNotificationStore.newest(of: app, isSandbox: isSandbox)) {
            let askedAt: Moment = try last("asked_at")
            if askedAt <= now, now - askedAt < Self.testSpacing {
                throw OnboardingError.tooSoon(again: askedAt + Self.testSpacing)
            }
        }
        let person: UUID? = if case .person(let id) = actor { id.rawValue } else { nil }
        try await TestNotificationStore.add(id, of: app, isSandbox: isSandbox, by: person, at: now, in: tx)
        try await TestStatusJob.add(id, of: app, isSandbox: isSandbox, at: now, in: tx)
        try await Audit.write(
            AuditEntry(
                tenant: app.tenant, at: now, actor: actor, address: address, action: "test.requested",
                subject: "\(app.id)", detail: ["environment": .text(environment.rawValue)]),
            in: tx)
        return (key, wait)
    }

    // MARK: How far it is

    /// All that is known of the app, and what it still needs.
    package func state(of app: App, in tx: Transaction) async throws -> OnboardingState {
        OnboardingState(
            try await OnboardingQueries.facts(of: app, vault: question.vault, in: tx), at: clock.now)
    }

    /// The environments that the app takes part in, Production first.
    static func environments(of app: App, in tx: Transaction) async throws -> [Environment] {
        let row = try await tx.row(
            """
            select environments
            from tenants.apps
            where tenant_id = \(app.tenant.rawValue) and app_id = \(app.id.rawValue)
            """)
        let names: [String] = try row?("environments") ?? []
        return Environment.allCases.filter { names.contains($0.rawValue) }
    }
}
