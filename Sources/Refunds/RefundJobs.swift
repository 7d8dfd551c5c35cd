package import AppStore
package import HTTP
import FoundationEssentials
package import Journal
package import Postgres
package import Queue
package import Tenants
package import Time

/// Every kind of work of this room.
package enum RefundJobs {
    package enum Kind: String, Sendable, CaseIterable {
        /// Read a stored notification.
        case notification
        /// Decide and send the reply to one request.
        case reply
        /// Look at one request when its time is up.
        case deadline
        /// Ask Apple for the newest form of one transaction.
        case lookUp = "look-up"
        /// Pass notifications on to one app's other receiver.
        case relay
        /// Ask Apple how it fared with a TEST notification.
        case testStatus = "test-status"
        /// Send one commerce request.
        case commerce
        /// Tell somebody about an incident.
        case notify
        /// Read one page of an app's notification history.
        case history
        /// Lay a text of rules over past cases.
        case replay
    }

    /// Asks Apple for the newest signed form of a transaction and fills its case with it; ring the bell after
    /// the commit.
    ///
    /// - Returns: false where that is being done already.
    @discardableResult
    package static func addLookUp(
        transaction: String, environment: Environment, tenant: TenantID, app: AppID, at now: Moment, in tx: Transaction
    ) async throws -> Bool {
        let subject = LookUpJob.Subject(
            app: app.rawValue, environment: environment.rawValue, transaction: transaction)
        return try await Enqueue.add(
            NewJob(
                tenant: tenant.rawValue, lane: App.lane(app, isSandbox: environment == .sandbox),
                kind: Kind.lookUp.rawValue,
                subject: String(decoding: try JSONEncoder().encode(subject), as: UTF8.self),
                deadline: now + .hours(24), uniqueKey: "\(app.rawValue) \(environment.rawValue) \(transaction)"),
            in: tx)
    }

    /// The handlers of all kinds, for the workers.
    ///
    /// - Parameters:
    ///   - relay: calls the other receivers, whose addresses tenants chose: a guarded client of its own.
    ///   - aside: runs what computes for long on a thread that may be held.
    package static func handlers(
        database: Database, apple: AppleSide, headers: SignatureHeaders, directory: InboxDirectory, vault: Vault,
        tokens: TokenCache, relay: HTTPClient, alerting: Alerting, bell: Bell, clock: WallClock, journal: Journal,
        counters: Counters,
        aside: @escaping @Sendable (@escaping @Sendable () throws -> PolicyTrial) async throws -> PolicyTrial
    ) -> Workers.Handlers {
        let tokens = AppTokens(vault: vault, cache: tokens, clock: clock)
        let notification = NotificationJob(
            apple: apple, database: database, directory: directory, headers: headers, bell: bell, clock: clock,
            journal: journal, counters: counters)
        let reply = ReplyJob(
            database: database, vault: vault, tokens: tokens, policies: PolicyShelf(journal: journal), clock: clock,
            journal: journal,
            counters: counters
        ) { call, token in
            await apple.api(for: call.app).sendConsumption(
                api: call.version, transactionID: call.transactionID, environment: call.environment, body: call.body,
                token: token)
        }
        let deadline = DeadlineJob(database: database, clock: clock, journal: journal, counters: counters)
        let lookUp = LookUpJob(
            database: database, vault: vault, tokens: tokens, apple: apple, clock: clock, journal: journal,
            counters: counters
        ) { app, transaction, environment, token in
            await apple.api(for: app).transactionInfo(
                transactionID: transaction, environment: environment, token: token)
        }
        let courier = RelayJob(
            database: database, vault: vault, headers: headers, http: relay, seats: RelaySeats(), clock: clock,
            journal: journal, counters: counters)
        let testStatus = TestStatusJob(
            database: database, question: AppleQuestion(vault: vault, tokens: tokens, clock: clock), journal: journal
        ) { app, testToken, environment, token in
            await apple.api(for: app).testNotificationStatus(testToken, environment: environment, token: token)
        }
        let commerce = CommerceJob(
            database: database, vault: vault, tokens: tokens, apple: apple, clock: clock, journal: journal,
            counters: counters
        ) { call, token in
            await apple.commerce(for: call.app).send(
                AdvancedCommerceAPI.Call(call.request.kind), transactionID: call.request.transactionID,
                environment: call.environment, body: call.body, token: token)
        }
        let notify = NotifyJob(database: database, sender: alerting.sender, clock: clock, journal: journal)
        let history = HistoryJob(
            database: database, vault: vault, tokens: tokens, intake: HistoryIntake(apple: apple, headers: headers),
            bell: bell, clock: clock, journal: journal, counters: counters
        ) { app, history, page, environment, token in
            await apple.api(for: app).notificationHistory(history, page: page, environment: environment, token: token)
        }
        let replay = ReplayJob(database: database, bell: bell, clock: clock, journal: journal, aside: aside)
        var handlers: Workers.Handlers = [:]
        for kind in Kind.allCases {
            let name = kind.rawValue
            switch kind {
            case .notification: handlers[name] = { try await notification.run($0) }
            case .reply: handlers[name] = { try await reply.run($0) }
            case .deadline: handlers[name] = { try await deadline.run($0) }
            case .lookUp: handlers[name] = { try await lookUp.run($0) }
            case .relay: handlers[name] = { try await courier.run($0) }
            case .testStatus: handlers[name] = { try await testStatus.run($0) }
            case .commerce: handlers.take(lotsOf: name) { try await commerce.run($0) }
            case .notify: handlers[name] = { try await notify.run($0) }
            case .history: handlers[name] = { try await history.run($0) }
            case .replay: handlers[name] = { try await replay.run($0) }
            }
        }
        return handlers
    }

    /// Does a job's work; trouble postpones it, long after its deadline too.
    ///
    /// The deadline orders the queue. What it is about must still be known afterwards: a notification is
    /// read and a request is missed, however long the database was away.
    ///
    /// - Parameter ceiling: the longest wait between two tries.
    static func persist(
        _ job: Job, on database: Database, clock: WallClock, journal: Journal, ceiling: Duration,
        _ work: () async throws -> Void
    ) async throws {
        do {
            try await work()
        } catch let lost as ClaimLost {
            throw lost
        } catch {
            guard clock.now < job.deadline + .days(8) else { throw error }
            journal.warning(
                "work has to be tried again",
                [
                    "tenant": .init(job.tenant), "job": .init(job.id), "kind": .init(job.kind),
                    "attempt": .init(job.attempts), "error": .init(error),
                ])
            let next = clock.now + RetryPolicy.delay(attempt: job.attempts, ceiling: ceiling)
            try await database.transaction(.tenant(job.tenant)) { tx in
                try await job.again(at: next, error: "\(error)", in: tx)
            }
        }
    }
}
