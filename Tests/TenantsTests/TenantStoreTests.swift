import Crypto
import Journal
import Postgres
import Support
import Testing
import Time

@testable import Tenants

@Suite struct `Tenants and apps` {
    @Test func `an existing slug or bundle ID is a failure`() async throws {
        try await withTwoTenants { home in
            await #expect(throws: TenantStoreError.slugTaken("acme")) {
                try await home.asHouse { tx in
                    try await TenantStore.add(slug: "acme", name: "Acme", at: Samples.now, by: .commandLine, in: tx)
                }
            }
            await #expect(throws: TenantStoreError.bundleIDTaken("com.example.app")) {
                try await home.with(home.a) { tx in
                    try await TenantStore.addApp(
                        NewApp(bundleID: "com.example.app"), to: home.a.id, at: Samples.now, by: .commandLine, in: tx)
                }
            }
        }
    }

    @Test(arguments: ["", "-a", "Acme", "a b", "ä", String(repeating: "a", count: 64)])
    func `a slug that no URL should carry is refused`(slug: String) async throws {
        try await withTwoTenants { home in
            await #expect(throws: TenantStoreError.badSlug(slug)) {
                try await home.asHouse { tx in
                    try await TenantStore.add(slug: slug, name: "Acme", at: Samples.now, by: .commandLine, in: tx)
                }
            }
        }
    }

    @Test func `an app has its two lanes, Sandbox at a tenth of the rate`() async throws {
        try await withTwoTenants { home in
            let rows = try await home.with(home.a) { tx in
                try await tx.rows("select lane, environment, call_spacing from queue.lanes order by lane")
            }
            #expect(
                try rows.map { try $0("lane") as Int64 } == [home.appA.id.rawValue * 2, home.appA.id.rawValue * 2 + 1])
            #expect(try rows.map { try $0("call_spacing") as Duration } == [.milliseconds(20), .milliseconds(200)])
        }
    }

    @Test func `the settings of an app are read back`() async throws {
        try await withTwoTenants { home in
            var new = NewApp(bundleID: "com.example.other")
            new.appleID = 123
            new.unreportedDelivery = .withhold
            new.sampleContent = true
            new.consent = .allFrom(Samples.now, wording: "We share.")
            let wanted = new
            let made = try await home.with(home.a) { tx in
                try await TenantStore.addApp(wanted, to: home.a.id, at: Samples.now, by: .commandLine, in: tx)
            }
            let found = try await home.with(home.a) { tx in
                try await TenantStore.app(of: home.a.id, bundleID: "com.example.other", in: tx)
            }
            #expect(found == made)
            #expect(found?.consent == .allFrom(Samples.now, wording: "We share."))
            #expect(found?.unreportedDelivery == .withhold)
            #expect(found?.sampleContent == true)
            let otherCase = try await home.with(home.a) { tx in
                try await TenantStore.app(of: home.a.id, bundleID: "com.example.Other", in: tx)
            }
            #expect(otherCase == nil)
        }
    }

    @Test func `a removed app is gone with its inboxes, and comes back under its old id`() async throws {
        try await withTwoTenants { home in
            let inbox = try await home.with(home.a) { tx in
                try await home.vault.addInbox(to: home.appA.id, of: home.a.id, by: .commandLine, in: tx)
            }
            try await home.with(home.a) { tx in
                try await TenantStore.removeApp(home.appA, at: Samples.now, by: .commandLine, in: tx)
            }
            let directory = InboxDirectory(database: home.database.database, clock: home.clock.clock)
            #expect(try await directory.inbox(token: inbox.token.reveal()) == nil)
            let again = try await home.with(home.a) { tx in
                try await TenantStore.addApp(
                    NewApp(bundleID: "com.example.app"), to: home.a.id, at: Samples.now, by: .commandLine, in: tx)
            }
            #expect(again.id == home.appA.id)
        }
    }

    @Test func `an Apple ID is learned once, and another one is told apart`() async throws {
        try await withTwoTenants { home in
            func learn(_ id: Int64) async throws -> LearnedAppleID {
                try await home.with(home.a) { tx in
                    try await TenantStore.learnAppleID(id, of: home.a.id, app: home.appA.id, at: Samples.now, in: tx)
                }
            }
            #expect(try await learn(5) == .learned)
            #expect(try await learn(5) == .same)
            #expect(try await learn(6) == .differs(known: 5))
            let entries = try await home.with(home.a) { tx in try await Audit.entries(of: home.a.id, in: tx) }
            #expect(entries.filter { $0.action == "app.apple-id-learned" }.count == 1)
        }
    }
}

@Suite struct `Isolation of tenants` {
    @Test(
        arguments: [
            "select tenant_id from tenants.apps", "select tenant_id from tenants.signing_keys",
            "select tenant_id from tenants.secrets", "select tenant_id from tenants.inboxes",
            "select tenant_id from tenants.tokens", "select tenant_id from tenants.audit",
            "select tenant_id from tenants.members", "select tenant_id from tenants.tenants",
            "select tenant_id from queue.lanes",
        ] as [SQL])
    func `BL-062: a query that forgot its where sees one tenant only`(sql: SQL) async throws {
        try await withTwoTenants { home in
            for tenant in [home.a, home.b] {
                let key = try Samples.checkedKey()
                let (vault, database) = (try home.vault, home.database.database)
                _ = try await database.transaction(tenant.id.scope) { tx in
                    try await vault.store(key, of: tenant.id, for: nil, by: .commandLine, in: tx)
                }
                let app = tenant == home.a ? home.appA : home.appB
                let tokens = APITokens(database: database, clock: home.clock.clock)
                try await home.with(tenant) { tx in
                    _ = try await vault.addInbox(to: app.id, of: tenant.id, by: .commandLine, in: tx)
                    _ = try await tokens.add(to: tenant.id, app: nil, scopes: [.all], by: .commandLine, in: tx)
                }
                try await home.asHouse { tx in
                    let person = try await PersonStore.findOrAdd(
                        email: "p@\(tenant.slug).example", at: Samples.now, in: tx)
                    try await PersonStore.addMember(
                        person, of: tenant, role: .owner, at: Samples.now, by: .commandLine, in: tx)
                }
            }
            let seen = try await home.with(home.a) { tx in try await tx.rows(sql) }
            #expect(!seen.isEmpty)
            #expect(try seen.allSatisfy { try $0("tenant_id") == home.a.id.rawValue })
        }
    }

    @Test func `BL-062: another tenant's rows cannot be named, changed or made`() async throws {
        try await withTwoTenants { home in
            try await home.with(home.a) { tx in
                let app = try await TenantStore.app(of: home.b.id, id: home.appB.id, in: tx)
                let apps = try await TenantStore.apps(of: home.b.id, in: tx)
                let renamed = try await tx.execute(
                    "update tenants.apps set name = 'x' where app_id = \(home.appB.id.rawValue)")
                #expect(app == nil && apps.isEmpty && renamed == 0)
            }
            await #expect(throws: PostgresError.self) {
                try await home.with(home.a) { tx in
                    try await TenantStore.addApp(
                        NewApp(bundleID: "com.example.evil"), to: home.b.id, at: Samples.now, by: .commandLine, in: tx)
                }
            }
            await #expect(throws: (any Error).self) {
                try await home.with(home.a) { tx in
                    try await home.vault.addInbox(to: home.appB.id, of: home.a.id, by: .commandLine, in: tx)
                }
            }
        }
    }

    @Test func `people, sessions and links are out of a tenant's reach`() async throws {
        try await withTwoTenants { home in
            for table in ["people", "sessions", "sign_in_links", "sign_in_failures"] {
                let error = await #expect(throws: PostgresError.self) {
                    try await home.with(home.a) { tx in
                        switch table {
                        case "people": try await tx.rows("select email from tenants.people")
                        case "sessions": try await tx.rows("select person_id from tenants.sessions")
                        case "sign_in_links": try await tx.rows("select person_id from tenants.sign_in_links")
                        default: try await tx.rows("select n from tenants.sign_in_failures")
                        }
                    }
                }
                #expect(error?.sqlState == "42501")
            }
        }
    }
}

@Suite struct `Inbox directory` {
    private func inbox(_ home: TwoTenants) async throws -> InboxAddress {
        try await home.with(home.a) { tx in
            try await home.vault.addInbox(to: home.appA.id, of: home.a.id, by: .commandLine, in: tx)
        }
    }

    @Test func `finds the app of a token, and after the first time without the database`() async throws {
        try await withTwoTenants { home in
            let address = try await inbox(home)
            let directory = InboxDirectory(database: home.database.database, clock: home.clock.clock)
            let found = try await directory.inbox(token: address.token.reveal())
            #expect(found == Inbox(app: home.appA, inboxID: address.inboxID))
            try await home.database.asSuperuser("alter table tenants.inboxes rename to elsewhere")
            #expect(try await directory.inbox(token: address.token.reveal()) == found)
            directory.drop()
            await #expect(throws: PostgresError.self) { try await directory.inbox(token: address.token.reveal()) }
        }
    }

    @Test func `a retired inbox is unknown once the memory was dropped or a minute has passed`() async throws {
        try await withTwoTenants { home in
            let address = try await inbox(home)
            let directory = InboxDirectory(database: home.database.database, clock: home.clock.clock)
            _ = try await directory.inbox(token: address.token.reveal())
            _ = try await home.with(home.a) { tx in
                try await home.vault.retireInbox(nil, of: home.a.id, app: home.appA.id, by: .commandLine, in: tx)
            }
            home.clock.advance(by: .seconds(61))
            #expect(try await directory.inbox(token: address.token.reveal()) == nil)
        }
    }

    @Test func `a stranger's token is remembered as unknown for a short time`() async throws {
        try await withTwoTenants { home in
            let directory = InboxDirectory(database: home.database.database, clock: home.clock.clock)
            let token = Random.token(bytes: 32)
            #expect(try await directory.inbox(token: token) == nil)
            try await home.database.asSuperuser("alter table tenants.inboxes rename to elsewhere")
            #expect(try await directory.inbox(token: token) == nil)
            home.clock.advance(by: .seconds(11))
            await #expect(throws: PostgresError.self) { try await directory.inbox(token: token) }
            for malformed in ["", "x", token + "x", String(token.dropLast()) + "/"] {
                #expect(try await directory.inbox(token: malformed) == nil)
            }
        }
    }

    @Test func `a change of an inbox or an app is notified`() async throws {
        try await withTwoTenants { home in
            let listener = Listener(database: home.database.database, journal: .silent)
            let (heard, ears) = AsyncStream.makeStream(of: String.self)
            listener.listen(InboxDirectory.channel) { _ in ears.yield("changed") }
            listener.whenConnected { ears.yield("connected") }
            listener.start()
            var words = heard.makeAsyncIterator()
            #expect(await words.next() == "connected")
            _ = try await inbox(home)
            #expect(await words.next() == "changed")
            await listener.stop()
        }
    }

    @Test func `a token is stored neither in the clear nor guessable from its row`() async throws {
        try await withTwoTenants { home in
            let address = try await inbox(home)
            let rows = try await home.database.asSuperuser(
                "select i.token_sha256, s.sealed from tenants.inboxes i join tenants.secrets s using (tenant_id, secret_id)"
            )
            let token = Array(address.token.reveal().utf8)
            #expect(try rows[0]("token_sha256") == Digest.sha256(token))
            let sealed: [UInt8] = try rows[0]("sealed")
            #expect(sealed.count == 97 + token.count)
            let shown = try await home.with(home.a) { tx in
                try await home.vault.inboxes(of: home.a.id, app: home.appA.id, in: tx)
            }
            #expect(shown.map { $0.token.reveal() } == [address.token.reveal()])
        }
    }
}
