import Crypto
import Postgres
import Support
import Synchronization
import Testing
import Time

@testable import Tenants

@Suite struct `Sealed rows` {
    /// Each tenant has a signing key and an inbox.
    private func withSecrets(_ body: (TwoTenants, SigningKeyInfo, SigningKeyInfo) async throws -> Void) async throws {
        try await withTwoTenants { home in
            let vault = try home.vault
            var keys: [SigningKeyInfo] = []
            for (tenant, app) in [(home.a, home.appA), (home.b, home.appB)] {
                let key = try Samples.checkedKey()
                let database = home.database.database
                keys.append(
                    try await database.transaction(tenant.id.scope) { tx in
                        try await vault.store(key, of: tenant.id, for: nil, by: .commandLine, in: tx)
                    })
                _ = try await home.with(tenant) { tx in
                    try await vault.addInbox(to: app.id, of: tenant.id, by: .commandLine, in: tx)
                }
            }
            try await body(home, keys[0], keys[1])
        }
    }

    private func unreadable(_ home: TwoTenants, _ tenant: Tenant, _ vault: Vault? = nil) async throws
        -> [UnreadableSecret]
    {
        let vault = try vault ?? home.vault
        return try await home.with(tenant) { tx in try await vault.unreadableSecrets(of: tenant.id, in: tx) }
    }

    private func signs(_ home: TwoTenants, _ app: App, _ vault: Vault? = nil) async throws -> Bool {
        do {
            return try await (vault ?? home.vault).withSigningKey(of: app.tenant, for: app.id) { key, _ in
                try key.sign([1]).count == 64
            }
        } catch is VaultError {
            return false
        }
    }

    @Test func `a row moved to another tenant is named there and harms nothing else`() async throws {
        try await withSecrets { home, a, b in
            #expect(try await unreadable(home, home.a).isEmpty)
            try await home.database.asSuperuser(
                "update tenants.secrets set sealed = (select sealed from tenants.secrets where secret_id = \(a.id.rawValue)) where secret_id = \(b.id.rawValue)"
            )
            let bad = try await unreadable(home, home.b)
            #expect(
                bad.map(\.id) == [b.id.rawValue] && bad.map(\.trouble) == [.damaged]
                    && bad.map(\.kind) == [.signingKey])
            #expect(bad.first?.text.contains(b.keyID) == true)
            #expect(try await unreadable(home, home.a).isEmpty)
            #expect(try await signs(home, home.appA))
            #expect(try await !signs(home, home.appB))
        }
    }

    @Test(arguments: [0, 1, 9, 30, 60, 80, 120])
    func `one flipped bit anywhere is noticed, and the tenant's other rows open`(place: Int) async throws {
        try await withSecrets { home, a, _ in
            try await home.database.asSuperuser(
                "update tenants.secrets set sealed = set_byte(sealed, \(Int32(place)), get_byte(sealed, \(Int32(place))) # 1) where secret_id = \(a.id.rawValue)"
            )
            #expect(try await unreadable(home, home.a).map(\.id) == [a.id.rawValue])
            #expect(try await unreadable(home, home.b).isEmpty)
            let vault = try home.vault
            let shown = try await home.with(home.a) { tx in
                try await vault.inboxes(of: home.a.id, app: home.appA.id, in: tx)
            }
            #expect(shown.count == 1)
        }
    }

    @Test func `BL-115: with an unknown master key everything is named, and the older key beside the new one heals it`()
        async throws
    {
        try await withSecrets { home, _, _ in
            let stranger = home.vault(try Samples.keyring(2))
            #expect(
                try await unreadable(home, home.a, stranger).map(\.trouble) == [.masterKeyMissing, .masterKeyMissing])
            #expect(try await !signs(home, home.appA, stranger))
            let both = home.vault(try Samples.keyring(2, 1))
            #expect(try await unreadable(home, home.a, both).isEmpty)
            #expect(try await signs(home, home.appA, both))
            #expect(try await both.rotate().rewrapped == 4)
            #expect(try await signs(home, home.appA, stranger))
            #expect(try await unreadable(home, home.b, stranger).isEmpty)
        }
    }

    @Test func `rotation tells how far it is, goes on where it was stopped, and passes what does not open`()
        async throws
    {
        try await withSecrets { home, a, b in
            let alone = home.vault(try Samples.keyring(2))
            let both = home.vault(try Samples.keyring(2, 1))
            try await home.database.asSuperuser(
                "update tenants.secrets set sealed = set_byte(sealed, 90, get_byte(sealed, 90) # 1) where secret_id = \(a.id.rawValue)"
            )
            // One was done before the rotation was stopped.
            let database = home.database.database
            let rows = try await database.rows(
                home.b.id.scope, "select sealed from tenants.secrets where secret_id = \(b.id.rawValue)")
            let key = try await database.rows(
                home.b.id.scope, "select public_key from tenants.signing_keys where signing_key_id = \(b.id.rawValue)")
            let anew = try Envelope.rewrap(
                try rows[0]("sealed"),
                bound: StoredKey.binding(
                    tenant: home.b.id, id: b.id, keyID: b.keyID, publicPoint: try key[0]("public_key")),
                with: Samples.keyring(2, 1), to: #require(Samples.keyring(2).newest))
            try await home.database.asSuperuser(
                "update tenants.secrets set sealed = \(anew), master_key_id = \(try #require(Samples.keyring(2).newestID)) where secret_id = \(b.id.rawValue)"
            )
            let lines = Mutex<[[Int]]>([])
            let report = try await both.rotate { report, total in lines.withLock { $0.append([report.seen, total]) } }
            #expect(report == RotationReport(rewrapped: 2, unreadable: 1, changed: 0))
            #expect(lines.withLock { $0 } == [[0, 3], [3, 3]])
            #expect(try await signs(home, home.appB, alone))
            #expect(try await home.asHouse { tx in try await both.sealings(in: tx) } == Sealings(older: 1, unknown: 0))
        }
    }

    @Test func `a person's secret is wrapped anew too, and opens for nobody else`() async throws {
        try await withTwoTenants { home in
            let people = try await home.asHouse { tx in
                (
                    try await PersonStore.findOrAdd(email: "ada@example.com", at: home.clock.now, in: tx),
                    try await PersonStore.findOrAdd(email: "bob@example.com", at: home.clock.now, in: tx)
                )
            }
            let factor = Random.uuid()
            let secret = SecretBytes.random(count: 20)
            let sealed = try PersonalSecret.seal(secret, of: people.0.id, factor: factor, with: Samples.keyring(1))
            try await home.database.asSuperuser(
                """
                insert into tenants.factors (factor_id, person_id, kind, name, created_at, sealed, master_key_id)
                values (\(factor), \(people.0.id.rawValue), 'totp', 'phone', \(home.clock.now), \(sealed.bytes), \(sealed.masterKeyID))
                """)
            let (both, alone) = (home.vault(try Samples.keyring(2, 1)), home.vault(try Samples.keyring(2)))
            #expect(try await home.asHouse { tx in try await alone.unreadableFactors(in: tx).count } == 1)
            #expect(try await both.rotate() == RotationReport(rewrapped: 1))
            #expect(try await home.asHouse { tx in try await alone.unreadableFactors(in: tx).count } == 0)
            try await home.database.asSuperuser(
                "update tenants.factors set person_id = \(people.1.id.rawValue) where factor_id = \(factor)")
            #expect(
                try await home.asHouse { tx in try await alone.unreadableFactors(in: tx).map(\.factor) } == [factor])
        }
    }
}
