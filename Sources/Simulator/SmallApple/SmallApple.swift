package import Crypto
import HTTP
package import Journal
package import Loop
package import Time

/// A small Apple: the App Store Server API, the notifications and the manners of the real one.
///
/// It signs with a certificate authority of its own (kept in the state folder, new in the process of a test),
/// enforces the rules of Apple's documentation, remembers every call in a ledger, and listens on loopback only. Nothing of
/// the product is in it, so that the two cannot share a mistake.
package final class SmallApple: Sendable {
    package struct Settings: Sendable {
        /// Loopback only. Port 0 lets the system choose.
        package var listen = "127.0.0.1:0"
        /// nil draws one.
        package var seed: UInt64?
        package var manners = Manners.asEver
        package var pace = Pace()
        package var clock = WallClock.system
        package var shape: CertificateAuthority.Shape?
        /// nil makes one of `shape`.
        package var authority: CertificateAuthority?
        /// Older calls are forgotten.
        package var callsMax = 100_000

        package init() {}
    }

    /// Why the small Apple does not start, for people.
    package struct StartFault: Error, CustomStringConvertible {
        package let description: String
    }

    /// `http://127.0.0.1:PORT`
    package let address: String
    package let seed: UInt64
    let works: Works
    let office: PostOffice
    let reviewer: Reviewer
    let traffic: Traffic
    let clerk: CommerceClerk
    private let server: Server
    private let client: HTTPClient

    private init(
        works: Works, office: PostOffice, reviewer: Reviewer, traffic: Traffic, clerk: CommerceClerk, server: Server,
        client: HTTPClient, address: String
    ) {
        self.works = works
        self.office = office
        self.reviewer = reviewer
        self.traffic = traffic
        self.clerk = clerk
        self.server = server
        self.client = client
        self.address = address
        seed = works.chance.seed
    }

    package static func start(
        loops: EventLoops, settings: Settings, journal: Journal = .silent, counters: Counters = Counters()
    ) async throws -> SmallApple {
        let listen = try loopback(settings.listen)
        let shape = settings.shape ?? CertificateAuthority.Shape(now: settings.clock.now)
        var random = SystemRandomNumberGenerator()
        let works = Works(
            seed: settings.seed ?? random.next(), manners: settings.manners, pace: settings.pace,
            authority: try settings.authority ?? CertificateAuthority(shape), callsMax: settings.callsMax, loops: loops,
            clock: settings.clock,
            journal: journal)
        let client = HTTPClient(
            name: "simulator", options: HTTPClient.Options(userAgent: "app-store-simulator"), journal: journal,
            counters: counters)
        let office = PostOffice(works: works, postman: Postman(client: client, clock: works.clock))
        let reviewer = Reviewer(works: works, office: office)
        let traffic = Traffic(works: works, office: office, reviewer: reviewer, client: client)
        let clerk = CommerceClerk(works: works, office: office)
        let door = FrontDoor(works: works, endpoints: endpoints(works, office, reviewer, clerk))
        let control = ControlRoom(
            works: works, office: office, reviewer: reviewer, traffic: traffic, clerk: clerk)
        var router = Router(door.routes + control.routes + BackendDoor(works: works).routes)
        router.notFound = { request, context in try await door.unknown(request, context) }
        router.methodNotAllowed = { request, context in try await door.unknown(request, context) }
        let server = Server(
            listen: listen, routes: router, loops: loops, clock: works.clock, journal: journal, counters: counters)
        let bound = try await server.start()
        return SmallApple(
            works: works, office: office, reviewer: reviewer, traffic: traffic, clerk: clerk, server: server,
            client: client, address: "http://\(bound)")
    }

    /// In the process of a test: calm unless it wants otherwise.
    package static func start(_ loops: EventLoops, seed: UInt64? = nil, calm: Bool = true) async throws -> SmallApple {
        var settings = Settings()
        settings.seed = seed
        settings.manners = calm ? .calm : .asEver
        return try await start(loops: loops, settings: settings)
    }

    /// The whole life of the program, on loops of its own: until SIGTERM or SIGINT.
    ///
    /// With a seed nothing is remembered from one start to the next: a run that repeats begins empty. The
    /// certificate authority stays: who believes its root once believes it for ever.
    /// - Parameter onStart: told of the running small Apple; what it throws ends the program.
    package static func runUntilStopped(
        _ settings: Settings, folder: StateFolder, journal: Journal, onStart: (SmallApple) -> Void
    ) async throws {
        let signals = StopSignals()
        ProcessManners.ignoreBrokenPipes()
        ProcessManners.raiseDescriptorLimit()
        let counters = Counters()
        let loops = EventLoops(count: 2, name: "apple", journal: journal, counters: counters)
        var settings = settings
        settings.authority = try folder.authority(at: settings.clock.now, journal: journal)
        let apple = try await start(loops: loops, settings: settings, journal: journal, counters: counters)
        if settings.seed == nil { folder.recall(into: apple) }
        try folder.write(apple)
        onStart(apple)
        await signals.wait()
        await apple.stop()
        if settings.seed == nil { try folder.remember(apple) }
    }

    private static func endpoints(
        _ works: Works, _ office: PostOffice, _ reviewer: Reviewer, _ clerk: CommerceClerk
    ) -> [Endpoint] {
        ConsumptionEndpoints(
            shelves: works.shelves, rules: ConsumptionRules(numbers: works.numbers),
            onAnswer: { transaction in
                reviewer.answered(transaction)
                clerk.answered(transaction)
            }
        ).all
            + CommerceEndpoints(works: works, clerk: clerk).all
            + TransactionEndpoints(shelves: works.shelves, authority: works.authority).all
            + NotificationEndpoints(
                shelves: works.shelves,
                sendTest: { app, environment in
                    try office.release(NotificationOrder("TEST", environment: environment, bundleID: app.bundleID)).uuid
                }
            ).all
    }

    /// An address on this machine; the small Apple must never be reachable from another one.
    static func loopback(_ text: String) throws(StartFault) -> SocketAddress {
        guard let address = SocketAddress(text) else {
            throw StartFault(description: "\(text) is no address with a port, such as 127.0.0.1:8090")
        }
        guard let ip = address.ip, ip.isLoopback else {
            throw StartFault(
                description: "\(text) is not on loopback: the simulator listens on 127.0.0.1 or [::1] only")
        }
        return address
    }

    package func stop(within time: Duration = .seconds(2)) async {
        traffic.stop()
        works.stop()
        await server.stop(within: time)
        await client.shutdown()
    }
}

// What a test in the same process may do, as the control API may.
extension SmallApple {
    /// The base address of an environment's API: what a client takes for Apple's host.
    package func apiURL(_ environment: StoreEnvironment) -> String { "\(address)/\(environment.pathPrefix)" }

    package var authority: CertificateAuthority { works.authority }
    package var numbers: UnconfirmedNumbers { works.numbers }
    package var shelves: Shelves { works.shelves }
    package var keys: KnownKeys { works.keys }
    package var ledger: Ledger { works.ledger }
    package var script: Script { works.script }
    package var limits: RateLimits { works.limits }
    package var now: Moment { works.now }

    package var manners: Manners {
        get { works.manners }
        set { works.manners = newValue }
    }

    package var pace: Pace {
        get { works.pace }
        set { works.pace = newValue }
    }

    /// Sets Apple's clock ahead of the machine's, or behind it.
    package var clockOffset: Duration {
        get { works.clockOffset }
        set { works.clockOffset = newValue }
    }

    /// Registers an app and, if it is given, its team's key.
    package func register(_ app: RegisteredApp, keyID: String? = nil, publicKey: P256PublicKey? = nil) {
        works.shelves.put(app)
        if let keyID, let publicKey { works.keys.put(publicKey, keyID: keyID, issuerID: app.issuerID) }
    }

    /// Signs a notification as ordered and keeps it, without sending it.
    @discardableResult
    package func write(_ order: NotificationOrder) throws -> SentNotification { try office.write(order) }

    /// Sends a notification as ordered, exactly so often and at once; returns it with what was answered.
    @discardableResult
    package func send(_ order: NotificationOrder) async throws -> SentNotification {
        let notification = try await office.send(order)
        reviewer.watch(notification)
        return notification
    }

    /// Makes a purchase, which the API then knows.
    @discardableResult
    package func purchase(
        _ bundleID: String, in environment: StoreEnvironment = .production, productType: String = "Consumable",
        changes: JSONObject = [:]
    ) throws -> StoreTransaction {
        guard let app = works.shelves.app(bundleID) else { throw OrderFault("no app \(bundleID) is registered") }
        var chance = works.chance.stream("purchase", String(works.count("purchase")))
        var wish = Till.Wish()
        wish.product = .first(ofType: productType)
        var transaction = Till.purchase(wish, of: app, in: environment, now: works.now, chance: &chance)
        transaction.payload = transaction.payload.changed(by: changes)
        if changes["transactionId"] != nil, changes["originalTransactionId"] == nil {
            transaction.payload["originalTransactionId"] = changes["transactionId"]
        }
        transaction.customer = transaction.payload["originalTransactionId"]?.string ?? transaction.customer
        works.shelves.put(transaction)
        return transaction
    }

    /// Lets things happen at a rate, as the demo does.
    package func startTraffic(_ plan: TrafficPlan) { traffic.start(plan) }

    package func stopTraffic() { traffic.stop() }

    /// Waits for finished calls; nil when `limit` passes first.
    package func calls(
        within limit: Duration = .seconds(20), until isWanted: @escaping @Sendable ([Call]) -> Bool
    ) async -> [Call]? {
        await works.ledger.wait(within: limit, on: works.loops.here, until: isWanted)
    }

    /// The chain's root, as clients are to trust it.
    package var rootDER: [UInt8] { works.authority.root.der }
}
