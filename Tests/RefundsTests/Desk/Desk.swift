@testable import AppStore
import Crypto
import FoundationEssentials
import HTTP
import Journal
import Loop
import Postgres
import Queue
import Support
import Synchronization
import Tenants
import Testing
import Time

@testable import Refunds

/// Calls of tenants' addresses as a serving process makes them, where the operator allows this machine's.
private let guarded = HTTPClient(
    name: "guarded",
    options: HTTPClient.Options(addressGuard: AddressGuard(setting: "127.0.0.0/8"), limitsPlainCalls: true),
    journal: .silent, counters: Counters())

/// Two tenants with an app each, a signer whom the verifier trusts and one whom it does not, a scripted
/// Apple, and the jobs of this room, worked off one after the other by the test itself.
struct Desk: Sendable {
    let test: TestDatabase
    let clock: ManualClock
    let apple: ScriptedApple
    let chain: AppleSigner
    let evil: AppleSigner
    let alpha: Inbox
    let beta: Inbox
    let intake: Intake
    let quarantine: Quarantine
    let headers: SignatureHeaders
    let vault: Vault
    let side: AppleSide
    let directory: InboxDirectory
    let bell: Bell
    let notifications: NotificationJob
    let replies: ReplyJob
    let deadlines: DeadlineJob
    let lookUps: LookUpJob
    let couriers: RelayJob
    let asks: AskJob
    let lines: Lines
    let advancedCommerce = ScriptedCommerce()
    let pager = ScriptedPager()
    let history = ScriptedHistory()
    let records = ScriptedRecords()

    var database: Database { test.database }
    var now: Moment { clock.now }

    /// What the journal said.
    final class Lines: Sendable {
        private let lines = Mutex<[String]>([])
        func add(_ line: String) { lines.withLock { $0.append(line) } }
        var all: [String] { lines.withLock { $0 } }
    }

    static func open(
        alpha settings: @escaping @Sendable (inout NewApp) -> Void = { _ in }, withKey: Bool = true,
        _ body: (Desk) async throws -> Void
    ) async throws {
        try await withDatabase { test in
            let clock = ManualClock(WallClock.system.now)
            let lines = Lines()
            let journal = Journal(level: .debug, clock: clock.clock) { lines.add($0) }
            let chain = try AppleSigner(around: clock.now)
            let keyring = try MasterKeyring(text: MasterKeyring.newKeyText())
            let vault = Vault(database: test.database, keyring: keyring, clock: clock.clock, journal: journal)
            let side = AppleSide.sample(trusting: [chain.root], clock: clock.clock)
            let bell = Bell(database: test.database, journal: journal)
            let headers = SignatureHeaders(database: test.database)
            let quarantine = Quarantine(
                database: test.database, clock: clock.clock, journal: journal, counters: test.counters)
            let directory = InboxDirectory(database: test.database, clock: clock.clock)
            let apple = ScriptedApple(clock: clock)
            let tokens = AppTokens(vault: vault, cache: TokenCache(), clock: clock.clock)
            let desk = Desk(
                test: test, clock: clock, apple: apple, chain: chain, evil: try AppleSigner(around: clock.now),
                alpha: try await addApp(
                    "alpha", "com.example.alpha", 6_450_000_001, test, vault, clock, withKey: withKey, settings),
                beta: try await addApp(
                    "beta", "com.example.beta", 6_450_000_002, test, vault, clock, withKey: withKey
                ) { _ in },
                intake: Intake(
                    apple: side, database: test.database, headers: headers, quarantine: quarantine, bell: bell,
                    journal: journal, counters: test.counters),
                quarantine: quarantine, headers: headers, vault: vault, side: side, directory: directory,
                bell: bell,
                notifications: NotificationJob(
                    apple: side, database: test.database, directory: directory, headers: headers, bell: bell,
                    clock: clock.clock, journal: journal, counters: test.counters),
                replies: ReplyJob(
                    database: test.database, vault: vault, tokens: tokens, policies: PolicyShelf(journal: .silent),
                    clock: clock.clock, journal: journal, counters: test.counters
                ) { call, _ in await apple.answer(call) },
                deadlines: DeadlineJob(
                    database: test.database, clock: clock.clock, journal: journal, counters: test.counters),
                lookUps: LookUpJob(
                    database: test.database, vault: vault, tokens: tokens, apple: side, clock: clock.clock,
                    journal: journal, counters: test.counters
                ) { _, transaction, environment, _ in apple.lookUp(transaction, in: environment) },
                couriers: RelayJob(
                    database: test.database, vault: vault, headers: headers, http: guarded, seats: RelaySeats(),
                    clock: clock.clock, journal: journal, counters: test.counters),
                asks: AskJob(
                    database: test.database, vault: vault, seats: AskSeats(), bell: bell, clock: clock.clock,
                    journal: journal, counters: test.counters
                ) { request throws(HTTPClientError) in try await guarded.send(request) },
                lines: lines)
            try await body(desk)
        }
    }

    private static func addApp(
        _ slug: String, _ bundleID: String, _ appleID: Int64, _ test: TestDatabase, _ vault: Vault,
        _ clock: ManualClock, withKey: Bool, _ settings: @Sendable (inout NewApp) -> Void
    ) async throws -> Inbox {
        let now = clock.now
        let tenant = try await test.database.transaction(.house) { tx in
            try await TenantStore.add(slug: slug, name: slug, at: now, by: .commandLine, in: tx)
        }
        var new = NewApp(bundleID: bundleID)
        new.appleID = appleID
        settings(&new)
        let settled = new
        let app = try await test.database.transaction(tenant.id.scope) { tx in
            try await TenantStore.addApp(settled, to: tenant.id, at: now, by: .commandLine, in: tx)
        }
        if withKey { try await addKey(app, "ABCDE12345", test, vault) }
        return Inbox(app: app, inboxID: app.id.rawValue)
    }

    private static func addKey(
        _ app: App, _ keyID: String, _ test: TestDatabase, _ vault: Vault, isForAll: Bool = false
    ) async throws {
        let scalar = try P256Key.generate().scalar().withBytes { span in (0..<span.count).map { span[$0] } }
        let der: [UInt8] =
            [
                0x30, 0x41, 0x02, 0x01, 0x00, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06,
                0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07, 0x04, 0x27, 0x30, 0x25, 0x02, 0x01, 0x01, 0x04,
                0x20,
            ] + scalar
        var pem = "-----BEGIN PRIVATE KEY-----\n"
        for chunk in stride(from: 0, to: der.count, by: 48) {
            pem += Base64.encode(Array(der[chunk..<min(chunk + 48, der.count)])) + "\n"
        }
        pem += "-----END PRIVATE KEY-----\n"
        let file = SecretBytes(copying: Array(pem.utf8))
        let checked = try SigningKeyUpload.check(
            file: file, keyID: keyID, issuerID: "57246542-96fe-1a63-e053-0824d011072a")
        try await store(checked, app, isForAll, test, vault)
    }

    private static func store(
        _ key: consuming CheckedSigningKey, _ app: App, _ isForAll: Bool, _ test: TestDatabase, _ vault: Vault
    ) async throws {
        let key = key
        _ = try await test.database.transaction(app.tenant.scope) { tx in
            try await vault.store(key, of: app.tenant, for: isForAll ? nil : app.id, by: .commandLine, in: tx)
        }
    }

    func addKey(_ keyID: String, isForAll: Bool = false) async throws {
        try await Self.addKey(alpha.app, keyID, test, vault, isForAll: isForAll)
    }

    /// Another app of alpha's.
    func addApp(_ bundleID: String, appleID: Int64? = nil) async throws -> App {
        let tenant = alpha.app.tenant
        let now = now
        return try await database.transaction(tenant.scope) { tx in
            var new = NewApp(bundleID: bundleID)
            new.appleID = appleID
            return try await TenantStore.addApp(new, to: tenant, at: now, by: .commandLine, in: tx)
        }
    }

    // MARK: samples, valid until a test spoils one thing

    /// A consumable of 9.99 USD bought yesterday.
    func tx(_ change: (inout J) -> Void = { _ in }) -> J {
        var tx: J = [
            "transactionId": "2000000900000001", "originalTransactionId": "2000000900000001",
            "bundleId": "com.example.alpha", "productId": "coins.100", "type": "Consumable", "quantity": 1,
            "inAppOwnershipType": "PURCHASED", "purchaseDate": .number((now - .days(1)).milliseconds),
            "originalPurchaseDate": .number((now - .days(1)).milliseconds), "signedDate": .number(now.milliseconds),
            "environment": "Production", "transactionReason": "PURCHASE", "storefront": "USA",
            "storefrontId": "143441", "price": 9990, "currency": "USD",
            "appAccountToken": "3d0e6c1e-54b4-4a5f-8d2a-93a0f0b7c111",
        ]
        change(&tx)
        return tx
    }

    /// A month of an auto-renewable subscription.
    func sub(_ change: (inout J) -> Void = { _ in }) -> J {
        tx {
            $0["transactionId"] = "2000000900000012"
            $0["originalTransactionId"] = "2000000900000010"
            $0["productId"] = "pro.monthly"
            $0["type"] = "Auto-Renewable Subscription"
            $0["purchaseDate"] = .number((now - .days(10)).milliseconds)
            $0["originalPurchaseDate"] = .number((now - .days(10)).milliseconds)
            $0["expiresDate"] = .number((now + .days(20)).milliseconds)
            change(&$0)
        }
    }

    /// A notification's payload; without `inner` it carries no transaction.
    func note(
        _ type: String, _ inner: J? = nil, by signer: AppleSigner? = nil, _ change: (inout J) -> Void = { _ in }
    ) throws -> J {
        var data: J = ["appAppleId": 6_450_000_001, "bundleId": "com.example.alpha", "bundleVersion": "1"]
        let environment = inner?["environment"] ?? "Production"
        data["environment"] = environment
        if case .text("Sandbox") = environment { data["appAppleId"] = nil }
        if let inner { data["signedTransactionInfo"] = .text(try (signer ?? chain).sign(inner)) }
        if type == "CONSUMPTION_REQUEST" { data["consumptionRequestReason"] = "OTHER" }
        var note: J = [
            "notificationType": .text(type), "notificationUUID": .text(Random.uuid().uuidString.lowercased()),
            "version": "2.0", "signedDate": .number(now.milliseconds), "data": data,
        ]
        change(&note)
        return note
    }

    func body(_ note: J, by signer: AppleSigner? = nil) throws -> [UInt8] {
        Array(#"{"signedPayload":"\#(try (signer ?? chain).sign(note))"}"#.utf8)
    }

    // MARK: doing

    let meta = DeliveryMeta(userAgent: "App Store", forwardedFor: nil, peer: "17.58.0.1")

    @discardableResult
    func post(_ body: [UInt8], to inbox: Inbox? = nil) async -> IntakeOutcome {
        await intake.receive(body, inbox: inbox ?? alpha, meta: meta, at: now)
    }

    @discardableResult
    func post(_ note: J, to inbox: Inbox? = nil) async throws -> IntakeOutcome { try await post(body(note), to: inbox) }

    /// Posts and works off what it brings.
    func take(_ note: J) async throws {
        #expect(try await post(note) == .accepted)
        try await work()
    }

    /// Works off all that is due, one job after the other.
    func work() async throws {
        while let job = try await claim() {
            switch RefundJobs.Kind(rawValue: job.kind) {
            case .history, .past, .importPast:
                // Their turns are far apart, and counted by the database's own clock, which nobody can set.
                try await test.asSuperuser(
                    """
                    update queue.lanes set free_at = '-infinity'
                    where claim_max is null and call_spacing > interval '50 ms'
                    """)
            default: break
            }
            try await run(job)
        }
    }

    func run(_ job: Job) async throws {
        switch RefundJobs.Kind(rawValue: job.kind) {
        case .notification: try await notifications.run(job)
        case .reply: try await replies.run(job)
        case .ask: try await asks.run(job)
        case .deadline: try await deadlines.run(job)
        case .lookUp: try await lookUps.run(job)
        case .relay: try await couriers.run(job)
        case .testStatus: try await testLooks.run(job)
        case .commerce: try await commerceJob.run(job)
        case .notify:
            try await NotifyJob(database: database, sender: noticeSender, clock: clock.clock, journal: .silent).run(job)
        case .history: try await historyJob.run(job)
        case .past: try await pastJob.run(job)
        case .importPast: try await importJob.run(job)
        case .replay: try await replays.run(job)
        case nil: Issue.record("a job of unknown kind \(job.kind)")
        }
    }

    /// Pages of two cases, two in a turn.
    private var replays: ReplayJob {
        ReplayJob(
            database: database, bell: bell, clock: clock.clock, journal: .silent, limits: .init(page: 2, pages: 2)
        ) { try $0() }
    }

    /// Apple's report of every test: the address did not answer in time.
    private var testLooks: TestStatusJob {
        let question = AppleQuestion(vault: vault, tokens: replies.tokens, clock: clock.clock)
        return TestStatusJob(database: database, question: question, journal: .silent) { _, _, _, _ in
            .status(
                NotificationRecord(
                    signedPayload: "a.b.c", attempts: [SendAttempt(at: nil, result: Known("TIMED_OUT"))]),
                ScriptedApple.answered(200))
        }
    }

    /// Claims the soonest job that is due by this test's clock.
    func claim(_ kind: RefundJobs.Kind? = nil) async throws -> Job? {
        let claim = Int64.random(in: 1...Int64.max)
        let rows = try await database.rows(
            .queue,
            """
            update queue.jobs j
            set state = 'running', attempts = j.attempts + 1, worker = 1, claim = \(claim),
              lease_until = clock_timestamp() + interval '30 seconds'
            from (
              select tenant_id, job_id
              from queue.jobs
              where (state = 'ready' or (state = 'waiting' and run_at <= \(now)))
                and (\(kind?.rawValue) is null or kind = \(kind?.rawValue))
              order by deadline, job_id
              limit 1
              for update skip locked) k
            where j.tenant_id = k.tenant_id and j.job_id = k.job_id
            returning j.tenant_id, j.job_id, j.lane, j.kind, j.subject, j.attempts, j.deadline
            """)
        guard let row = rows.first else { return nil }
        let attempts: Int32 = try row("attempts")
        return Job(
            tenant: try row("tenant_id"), id: try row("job_id"), lane: try row("lane"), kind: try row("kind"),
            subject: try row("subject"), attempts: Int(attempts), deadline: try row("deadline"), claim: claim, worker: 1
        )
    }

    /// What a crash leaves behind: running jobs whose process is gone are ready again.
    func rescue() async throws {
        try await test.asSuperuser(
            "update queue.jobs set state = 'ready', worker = null, claim = null, lease_until = null where state = 'running'"
        )
    }

    /// Moves the test's clock to the next thing that waits, and works.
    func workOn(until end: Moment) async throws {
        try await work()
        while let row = try await test.asSuperuser(
            "select min(run_at) as next from queue.jobs where state = 'waiting'"
        ).first, let next = try row("next") as Moment?,
            next <= end
        {
            if next > clock.now { clock.set(next) }
            // Permits are counted by the database's own clock, which nobody can set.
            try await test.asSuperuser("update queue.lanes set free_at = '-infinity'")
            try await work()
        }
        clock.set(end)
        try await work()
    }

    func consent(
        _ consented: Bool = true, at given: Moment? = nil, token: String = "3d0e6c1e-54b4-4a5f-8d2a-93a0f0b7c111"
    ) async throws {
        let (app, now) = (alpha.app, now)
        _ = try await database.transaction(app.tenant.scope) { tx in
            try await ConsentLedger.record(
                .init(consented: consented, recordedAt: given ?? now - .hours(1)),
                of: .customer(appAccountToken: token),
                tenant: app.tenant, app: app.id, at: now, in: tx)
        }
    }

    @discardableResult
    func usage(
        _ delivery: DeliveryStatus? = nil, share: Int? = nil, sample: Bool? = nil, at observed: Moment? = nil,
        transaction: String = "2000000900000001"
    ) async throws -> UsageStore.State {
        let (app, now) = (alpha.app, now)
        return try await database.transaction(app.tenant.scope) { tx in
            try await UsageStore.record(
                .init(
                    transactionID: transaction, deliveryStatus: delivery, consumptionPercentage: share,
                    sampleContentProvided: sample, observedAt: observed ?? now),
                tenant: app.tenant, app: app.id, at: now, in: tx)
        }
    }

    /// Names the alpha app's other receiver, or takes it back with an empty text.
    @discardableResult
    func relay(to url: String) async throws -> App {
        let (app, now, vault) = (alpha.app, now, vault)
        let changed = try await database.transaction(app.tenant.scope) { tx in
            var changes = AppChanges()
            changes.relayURL = url
            return try await TenantStore.change(
                app, changes, with: vault, outbound: OutboundRules { _ in nil }, by: .commandLine, at: now, in: tx)
        }
        directory.drop()
        return changed
    }

    /// Lets the alpha app's server be asked at an address, with a new secret.
    @discardableResult
    func askBack(at url: String) async throws -> String {
        let (app, now, vault) = (alpha.app, now, vault)
        let secret = try await database.transaction(app.tenant.scope) { tx in
            var changes = AppChanges()
            changes.evidence = .callback
            changes.callbackURL = url
            let changed = try await TenantStore.change(
                app, changes, with: vault, outbound: OutboundRules { _ in nil }, by: .commandLine, at: now, in: tx)
            return try await TenantStore.makeCallbackSecret(of: changed, with: vault, by: .commandLine, at: now, in: tx)
        }
        directory.drop()
        return secret.reveal()
    }

    // MARK: looking

    struct Seen: Sendable, Hashable {
        var state: String
        var reason: String?
        var outcome: String
    }

    func cases() async throws -> [Seen] {
        try await test.asSuperuser(
            "select state, state_reason, outcome from refunds.cases order by transaction_id, environment"
        ).map { Seen(state: try $0("state"), reason: try $0("state_reason"), outcome: try $0("outcome")) }
    }

    func count(_ from: SQL) async throws -> Int64 {
        try await test.asSuperuser("select count(*) as n from \(from)").first?("n") ?? -1
    }
}

/// A scripted Apple that remembers every call.
final class ScriptedApple: Sendable {
    struct Call: Sendable {
        let transactionID: String
        let environment: Environment
        let version: AppStoreServerAPI.ConsumptionVersion
        let body: String
        let at: Moment
        let tenant: TenantID
    }

    private struct State {
        var calls: [Call] = []
        var script: [CallResult] = []
        var always: CallResult?
        var alwaysOf: [TenantID: CallResult] = [:]
        var signed: String?
        var lookedUp: [String] = []
    }

    private let clock: ManualClock
    private let state = Mutex(State())

    init(clock: ManualClock) { self.clock = clock }

    var calls: [Call] { state.withLock { $0.calls } }
    /// The next answers; afterwards `always`, else 202.
    func script(_ results: CallResult...) { state.withLock { $0.script += results } }
    func always(_ result: CallResult?) { state.withLock { $0.always = result } }
    func always(_ result: CallResult, of tenant: TenantID) { state.withLock { $0.alwaysOf[tenant] = result } }

    /// The signed transaction that a look-up finds; without one Apple does not know it.
    func know(_ signed: String) { state.withLock { $0.signed = signed } }
    /// What was looked up: `Production 2000000900000001`.
    var lookedUp: [String] { state.withLock { $0.lookedUp } }

    func lookUp(_ transaction: String, in environment: Environment) -> LookUpResult {
        state.withLock { state in
            state.lookedUp.append("\(environment.rawValue) \(transaction)")
            if let signed = state.signed { return .found(signedTransactionInfo: signed) }
            return .failed(Self.unknownTransaction)
        }
    }

    func answer(_ call: ReplyCall) async -> CallResult {
        state.withLock { state in
            state.calls.append(
                Call(
                    transactionID: call.transactionID, environment: call.environment, version: call.version,
                    body: String(decoding: call.body, as: UTF8.self), at: clock.now, tenant: call.tenant))
            if !state.script.isEmpty { return state.script.removeFirst() }
            return state.alwaysOf[call.tenant] ?? state.always ?? .accepted(Self.answered(202))
        }
    }

    static func answered(_ status: Int, code: Int64? = nil, message: String? = nil) -> AppleAnswer {
        AppleAnswer(
            family: .serverAPI, status: status, code: code, message: message, requestID: "R1", receivedAt: noon,
            clockOffset: nil)
    }

    static func retry(_ status: Int, code: Int64? = nil) -> CallResult {
        .retry(answered(status, code: code), notBefore: nil)
    }
    static let refused = CallResult.refused(answered(400, code: 4_000_047, message: "x"))
    static let unknownTransaction = CallResult.refused(answered(404, code: 4_040_010, message: "not found"))
    static let unauthenticated = CallResult.credentials(answered(401), clockOffset: nil)
    static let reset = CallResult.unknown(
        HTTPClientError(arrival: .unknown, kind: .reset, text: "the connection was reset"))
    static let noConnection = CallResult.notSent(
        HTTPClientError(arrival: .notReceived, kind: .connect, text: "the connection was refused"))
}
