import AppStore
import Crypto
import HTTP
import Journal
package import Mail
import Postgres
import Queue
package import Refunds
package import Tenants
import Time

extension SampleDesk {
    /// What the setup page does, with a master key of the tests and an Apple that leads nowhere.
    package func setup() throws -> SetupDesk {
        let now = clock.clock
        let vault = try vault()
        let bell = Bell(database: database, journal: .silent)
        return SetupDesk(
            database: database, vault: vault,
            onboarding: Onboarding(
                database: database, vault: vault, apple: .sample(trusting: [], clock: now), tokens: TokenCache(),
                bell: bell, clock: now, journal: .silent),
            tokens: APITokens(database: database, clock: now), reports: Reports(database: database, bell: bell),
            bell: bell, clock: now, outbound: OutboundRules(.publicOnly, publicURL: "https://refunds.example"))
    }

    /// What the pages of commerce requests do, with the same Apple.
    ///
    /// - Parameter apple: nil: one that leads nowhere.
    package func commerce(apple: AppleSide? = nil) throws -> CommerceDesk {
        CommerceDesk(
            database: database, apple: apple ?? .sample(trusting: [], clock: clock.clock), vault: try vault(),
            tokens: TokenCache(), bell: Bell(database: database, journal: .silent), clock: clock.clock,
            journal: .silent)
    }

    /// What the pages of policies and of waiting cases do.
    package func deciding() -> DecidingDesk {
        DecidingDesk(
            database: database, bell: Bell(database: database, journal: .silent), clock: clock.clock)
    }

    /// What the pages of evidence do, with a client that calls this machine alone.
    package func evidence() throws -> EvidenceDesk {
        let bell = Bell(database: database, journal: .silent)
        return EvidenceDesk(
            database: database, vault: try vault(), reports: Reports(database: database, bell: bell),
            http: Self.guarded,
            bell: bell, clock: clock.clock, outbound: OutboundRules(Self.here, publicURL: "https://refunds.example"))
    }

    private static let here = AddressGuard(setting: "127.0.0.0/8") ?? .publicOnly
    private static let guarded = HTTPClient(
        name: "guarded", options: HTTPClient.Options(addressGuard: here, limitsPlainCalls: true), journal: .silent,
        counters: Counters())

    /// What the pages of alerts do.
    package func alerts(hasMail: Bool = true) throws -> AlertDesk {
        AlertDesk(
            database: database, vault: try vault(), bell: Bell(database: database, journal: .silent),
            clock: clock.clock, outbound: OutboundRules(.publicOnly, publicURL: "https://refunds.example"),
            hasMail: hasMail)
    }

    /// Mails invitations.
    ///
    /// - Parameter mail: nil: no mail server is set.
    package func post(_ mail: MailClient? = nil) -> InvitationPost {
        InvitationPost(mail: mail, bases: ChannelBases(publicURL: "https://refunds.example"), clock: clock.clock)
    }

    private func vault() throws -> Vault {
        Vault(
            database: database,
            keyring: try MasterKeyring(text: SecretBytes(copying: Array(Base64.encode(Array(0..<32)).utf8))),
            clock: clock.clock, journal: .silent)
    }

    /// Gives the sample's Sam another role in alpha.
    package func makeSam(_ role: Tenants.Role) async throws {
        try await database.execute(
            .house,
            """
            update tenants.members set role = \(role.rawValue)
            where tenant_id = \(alpha.id.rawValue)
              and person_id = (select person_id from tenants.people where email = 'sam@alpha.example')
            """)
    }

    /// Leaves alpha without an app.
    package func removeApps() async throws {
        try await database.execute(
            .house, "update tenants.apps set removed_at = \(clock.now) where tenant_id = \(alpha.id.rawValue)")
    }
}
