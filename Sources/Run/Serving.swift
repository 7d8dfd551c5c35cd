import AppStore
import Gateway
import HTTP
import Journal
import Loop
import Mail
import Postgres
import Queue
import Refunds
import Tenants
import Time
import Web

/// The rooms of a process that serves, as the house built them; started and stopped in order.
final class Serving: Sendable {
    /// Jobs at a time: most of each is waiting for Apple.
    private static let jobsMax = 32

    private let house: House
    private let listener: Listener
    private let caretaker: Caretaker
    private let watchman: Watchman?
    private let mail: MailClient?
    private let invitations: MailClient?
    private let clients: [HTTPClient]
    private let quarantine: Quarantine
    private let workers: Workers?
    private let server: Server
    private let health: HealthEndpoint

    /// - Throws: where the console has no style sheets.
    init(_ parts: Set<Part>, sockets: [CInt] = [], in house: House) throws {
        self.house = house
        let (configuration, database, journal) = (house.configuration, house.database, house.journal)
        let (clock, counters, directory) = (house.clock, house.counters, house.directory)

        let listener = Listener(database: database, journal: journal)
        listener.listen(InboxDirectory.channel) { _ in directory.drop() }
        listener.whenConnected { directory.drop() }
        self.listener = listener
        let bell = Bell(database: database, journal: journal)

        let apple = HTTPClient(
            name: "apple",
            options: HTTPClient.Options(
                proxy: configuration.outboundProxy?.reveal(), caFile: configuration.outboundCAFile,
                userAgent: "refund-desk/\(Version.number)"),
            journal: journal, counters: counters)
        // Addresses that tenants chose are called by clients of their own, and only where the guard lets them.
        let rehearsals = HTTPClient(
            name: "rehearsals",
            options: HTTPClient.Options(
                proxy: configuration.outboundProxy?.reveal(), caFile: configuration.outboundCAFile,
                addressGuard: configuration.outboundAllowPrivate, userAgent: "refund-desk/\(Version.number)",
                inFlightMax: 64),
            journal: journal, counters: counters)
        let relay = HTTPClient(
            name: "relay",
            options: HTTPClient.Options(
                proxy: configuration.outboundProxy?.reveal(), caFile: configuration.outboundCAFile,
                addressGuard: configuration.outboundAllowPrivate, limitsPlainCalls: true,
                userAgent: "refund-desk/\(Version.number)", inFlightMax: 64, connectionsPerHostMax: 8),
            journal: journal, counters: counters)
        // More connections than questions may be under way: none waits for another's to end.
        let callbacks = HTTPClient(
            name: "callbacks",
            options: HTTPClient.Options(
                proxy: configuration.outboundProxy?.reveal(), caFile: configuration.outboundCAFile,
                addressGuard: configuration.outboundAllowPrivate, limitsPlainCalls: true,
                userAgent: "refund-desk/\(Version.number)", inFlightMax: 64, connectionsPerHostMax: 24),
            journal: journal, counters: counters)
        // Hosts that the operator set or that services have: PagerDuty, Slack, the heartbeat.
        let services = HTTPClient(
            name: "services",
            options: HTTPClient.Options(
                proxy: configuration.outboundProxy?.reveal(), caFile: configuration.outboundCAFile,
                userAgent: "refund-desk/\(Version.number)", inFlightMax: 64),
            journal: journal, counters: counters)
        clients = [apple, rehearsals, relay, callbacks, services]
        let mail = configuration.mailServer.flatMap { server in
            configuration.mailFrom.map { from in
                MailClient(
                    server: server, from: from, name: "Refund Desk", caFile: configuration.outboundCAFile, clock: clock,
                    journal: journal, counters: counters)
            }
        }
        self.mail = mail
        // A page waits for these, so they have a client of their own that gives up soon.
        let invitations = configuration.mailServer.flatMap { server in
            configuration.mailFrom.map { from in
                MailClient(
                    server: server, from: from, name: "Refund Desk", caFile: configuration.outboundCAFile,
                    limits: InvitationPost.limits, clock: clock, journal: journal, counters: counters)
            }
        }
        self.invitations = invitations
        let trust = Self.trust(configuration, at: clock.now, journal)
        let revocation = RevocationCheck(mode: configuration.revocationCheck, http: apple, journal: journal)
        let verifier = Verifier(trust: trust, revocation: revocation, clock: clock)
        let instruments = Instruments(house, revocation: revocation, http: services)
        let side = AppleSide(
            verifier: verifier,
            api: AppStoreServerAPI(
                hosts: AppStoreHosts(
                    production: configuration.appStoreProduction.text, sandbox: configuration.appStoreSandbox.text),
                http: apple, clock: clock, journal: journal, counters: counters),
            commerce: AdvancedCommerceAPI(
                hosts: AppStoreHosts(
                    production: configuration.advancedCommerceProduction.text,
                    sandbox: configuration.advancedCommerceSandbox.text),
                http: apple, clock: clock, counters: counters),
            rehearsalHTTP: rehearsals, clock: clock, journal: journal, counters: counters)
        let headers = SignatureHeaders(database: database)
        let quarantine = Quarantine(database: database, clock: clock, journal: journal, counters: counters)
        self.quarantine = quarantine

        let isVerifying = verifier.isReady
        let health = Health(house, canVerify: isVerifying)
        self.health = HealthEndpoint(clock: clock) { await health.checks() }
        var routes = self.health.routes
        routes += MetricsEndpoint(counters: counters, token: configuration.metricsToken).routes
        let records = Records(database: database)
        let reports = Reports(database: database, bell: bell)
        let tokens = TokenCache()
        let commerce = CommerceDesk(
            database: database, apple: side, vault: house.vault, tokens: tokens, bell: bell, clock: clock,
            journal: journal)
        let deciding = DecidingDesk(database: database, bell: bell, clock: clock)
        if parts.contains(.gateway) {
            let intake = Intake(
                apple: side, database: database, headers: headers, quarantine: quarantine, bell: bell,
                journal: journal, counters: counters)
            routes +=
                Gateway(
                    directory: directory, intake: intake, tokens: house.tokens,
                    reports: reports, records: records, commerce: commerce, deciding: deciding, clock: clock
                ).routes
        }
        let onboarding = Onboarding(
            database: database, vault: house.vault, apple: side, tokens: tokens, bell: bell, clock: clock,
            journal: journal)
        let alerting = Alerting(
            database: database, vault: house.vault, onboarding: onboarding,
            channels: ChannelSender(
                services: services, tenants: relay, mail: mail, bases: configuration.channels, clock: clock),
            links: Self.alertLinks(house), bell: bell, clock: clock,
            outbound: configuration.outboundRules, journal: journal, counters: counters
        ) { await instruments.all() }
        if parts.contains(.engine) {
            watchman = Watchman(house, watch: alerting.watch, http: services)
            // A replay of a million cases computes for seconds: not on a loop, and one at a time.
            let asides = Offload(name: "replays", threads: 1, queueMax: 64)
            workers = Workers(
                database: database, clock: clock, bell: bell, listener: listener,
                handlers: RefundJobs.handlers(
                    database: database, apple: side, headers: headers, directory: directory, vault: house.vault,
                    tokens: tokens, relay: relay, callbacks: callbacks, alerting: alerting, bell: bell, clock: clock,
                    journal: journal, counters: counters
                ) { try await asides.run($0) },
                concurrency: Self.jobsMax, loops: house.loops, journal: journal, counters: counters)
        } else {
            watchman = nil
            workers = nil
        }
        let console =
            parts.contains(.console)
            ? try Self.console(
                house, records,
                SetupDesk(
                    database: database, vault: house.vault,
                    onboarding: onboarding,
                    tokens: house.tokens, reports: reports, bell: bell, clock: clock,
                    outbound: configuration.outboundRules), commerce, alerting.desk,
                deciding,
                EvidenceDesk(
                    database: database, vault: house.vault, reports: reports, http: callbacks, bell: bell, clock: clock,
                    outbound: configuration.outboundRules),
                InvitationPost(mail: invitations, bases: configuration.channels, clock: clock)) : nil
        routes += console?.routes ?? []
        var router = Router(routes)
        if let console {
            router.notFound = console.notFound
            router.methodNotAllowed = console.methodNotAllowed
            console.answerRefusals(in: &router)
        }
        if parts.contains(.gateway) { Gateway.answerTroubles(in: &router) }
        server = Server(
            listen: configuration.listen, inherited: sockets, routes: router, loops: house.loops,
            trustedProxies: configuration.trustedProxies, clock: clock, journal: journal, counters: counters)
        caretaker = Caretaker(house, instruments: instruments, bell: bell)
    }

    /// - Returns: the address with the port that the system chose.
    func start() async throws -> SocketAddress {
        listener.start()
        caretaker.start()
        watchman?.start()
        if let workers { house.loops.next().run { await workers.run() } }
        return try await server.start()
    }

    /// Says from now on that it is not ready, and serves all the same: balancers that ask look elsewhere.
    func leave() { health.leave() }

    /// Stops accepting and claiming at once, lets what runs finish, gives the rest back, closes.
    func stop(within time: Duration) async {
        async let served: Void = server.stop(within: time)
        async let worked: Void? = workers?.stop(within: time)
        _ = await (served, worked)
        await quarantine.flush()
        watchman?.stop()
        await caretaker.stop()
        await mail?.shutdown()
        await invitations?.shutdown()
        for client in clients { await client.shutdown() }
        await listener.stop()
        await house.database.close(within: .seconds(2))
    }

    // MARK: Parts

    private static func alertLinks(_ house: House) -> AlertLinks {
        let base = "\(house.configuration.publicURL)"
        return AlertLinks(
            incident: { slug, id in base + Site.incident(slug ?? "installation", id).url },
            refundCase: { base + Site.refundCase($0, $1).url },
            alerts: { slug in base + Site.alerts(slug ?? "installation").url },
            runbook: { base + Site.runbook($0.rawValue).url },
            confirmation: { base + Site.channelConfirmation(token: $0).url })
    }

    /// One bad file costs a warning; with none that is good the process stays up and answers 503.
    private static func trust(_ configuration: Configuration, at now: Moment, _ journal: Journal) -> TrustAnchors {
        guard let folder = configuration.trustRoots else { return .builtIn }
        let (anchors, warnings) = TrustAnchors.load(folder: folder, at: now)
        for warning in warnings { journal.warning("a trust root is not used", ["why": .string(warning)]) }
        if anchors.isEmpty {
            journal.error(
                "there is no usable trust root: every notification is answered with 503", ["folder": .string(folder)])
        }
        return anchors
    }

    private static func console(
        _ house: House, _ records: Records, _ setup: SetupDesk, _ commerce: CommerceDesk,
        _ alerts: AlertDesk, _ deciding: DecidingDesk, _ evidence: EvidenceDesk, _ post: InvitationPost
    ) throws -> Console {
        guard let folder = Places.publicFolder(house.configuration.publicFolder) else {
            throw Failure("the folder of style sheets is missing: set REFUND_DESK_PUBLIC_FOLDER")
        }
        guard let address = PublicAddress(url: house.configuration.publicURL.text) else {
            throw Failure("REFUND_DESK_PUBLIC_URL is no address that browsers could see")
        }
        return Console(
            records: records, signIn: house.signIn, administration: house.administration,
            checks: CheckDesk { tenant in try await Doctor.examine(tenant, in: house) },
            publicAddress: address, assets: try Assets(folder: folder), setup: setup, commerce: commerce,
            alerts: alerts, deciding: deciding, evidence: evidence, post: post, clock: house.clock,
            signInHeader: house.configuration.signInHeader)
    }
}
