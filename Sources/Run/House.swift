import Crypto
import FoundationEssentials
import Journal
import Loop
import Postgres
import Tenants
import Time
import Web

/// Builds the rooms and hands them to each other. Nothing else does.
final class House: Sendable {
    let configuration: Configuration
    let clock: WallClock
    let journal: Journal
    let counters: Counters
    let loops: EventLoops
    let database: Database
    let vault: Vault
    let signIn: SignIn
    let tokens: APITokens
    let administration: Administration
    let directory: InboxDirectory
    /// This process among those that serve.
    let process = Random.uuid()

    /// - Parameter loops: how many event loops; one is enough for a command.
    init(
        _ configuration: Configuration, loops count: Int, limits: PoolLimits = PoolLimits(),
        clock: WallClock = .system, journal: Journal
    ) throws {
        self.configuration = configuration
        self.journal = journal
        self.clock = clock
        counters = Counters()
        loops = EventLoops(count: count, journal: journal, counters: counters)
        database = try Database(
            url: configuration.databaseURL.reveal(), loops: loops, limits: limits, journal: journal, counters: counters)
        vault = Vault(database: database, keyring: configuration.keyring, clock: clock, journal: journal)
        // 32 MiB and 110 ms each: two at once, and a queue that a crowd at the door cannot make long.
        let hashing = Offload(name: "passwords", threads: 2, queueMax: 64)
        signIn = SignIn(database: database, keyring: configuration.keyring, clock: clock, journal: journal) {
            try await hashing.run($0)
        }
        tokens = APITokens(database: database, clock: clock)
        administration = Administration(database: database, tokens: tokens, clock: clock)
        directory = InboxDirectory(database: database, clock: clock)
    }

    /// The rooms that a command needs, for as long as it works.
    static func open<R>(
        _ surroundings: Surroundings, _ body: (House) async throws -> R
    ) async throws -> R {
        let configuration = try surroundings.configuration()
        let house = try House(
            configuration, loops: 1, limits: PoolLimits(tenant: 1, intake: 1, queue: 1, house: 1),
            journal: .standardError(level: max(.warning, configuration.log)))
        do {
            let result = try await body(house)
            await house.database.close()
            return result
        } catch {
            await house.database.close()
            throw error
        }
    }

    /// The open tenant with this slug.
    func tenant(_ slug: String) async throws -> Tenant {
        let found = try await database.transaction(.house) { tx in try await TenantStore.tenant(slug: slug, in: tx) }
        guard let found else { throw TenantStoreError.noTenant(slug) }
        return found
    }

    /// The tenant's app with this bundle ID.
    func app(_ bundleID: String, of tenant: Tenant, in tx: Transaction) async throws -> App {
        guard let app = try await TenantStore.app(of: tenant.id, bundleID: bundleID, in: tx) else {
            throw TenantStoreError.noApp(bundleID: bundleID)
        }
        return app
    }

    /// What is pasted into App Store Connect.
    func notificationURL(_ inbox: InboxAddress) -> String {
        "\(configuration.publicURL)/n/\(inbox.token.reveal())"
    }

    /// The page of the first start.
    func setUpURL(_ token: Redacted<String>) -> String {
        "\(configuration.publicURL)\(Site.firstStart(token: token.reveal()).url)"
    }

    /// The page behind a one-time link.
    func signInURL(_ token: Redacted<String>) -> String {
        "\(configuration.publicURL)\(Site.signInLink(token: token.reveal()).url)"
    }
}
