import Crypto
import Journal
import Postgres
import Support
import Testing
import Time

@testable import Tenants

@Suite struct `The vault` {
    private func add(
        _ home: TwoTenants, _ tenant: Tenant, app: AppID? = nil, keyID: String = Samples.keyID,
        vault: Vault? = nil
    ) async throws -> SigningKeyInfo {
        let vault = try vault ?? home.vault
        let key = try Samples.checkedKey(keyID)
        let database = home.database.database
        let info = try await database.transaction(tenant.id.scope) { tx in
            try await vault.store(key, of: tenant.id, for: app, by: .commandLine, in: tx)
        }
        home.clock.advance(by: .seconds(1))
        return info
    }

    private func signer(_ home: TwoTenants, _ app: App, vault: Vault? = nil) async throws -> SigningKeyInfo {
        try await (vault ?? home.vault).withSigningKey(of: app.tenant, for: app.id) { key, info in
            let message: [UInt8] = [1, 2, 3]
            let signature = try key.sign(message)
            #expect(key.publicKey.isValidSignature(signature, for: message))
            #expect(key.publicKey.fingerprint == info.fingerprint)
            return info
        }
    }

    @Test func `lends the app's own newest active key, and the tenant's only where it has none`() async throws {
        try await withTwoTenants { home in
            await #expect(throws: VaultError.noKey(home.a.id, home.appA.id)) { try await signer(home, home.appA) }
            let wide = try await add(home, home.a)
            #expect(try await signer(home, home.appA) == wide)
            let tied = try await add(home, home.a, app: home.appA.id, keyID: "AAAAAAAAA2")
            #expect(try await signer(home, home.appA) == tied)
            _ = try await add(home, home.a, keyID: "AAAAAAAAA3")
            #expect(try await signer(home, home.appA).id == tied.id)
            let newer = try await add(home, home.a, app: home.appA.id, keyID: "AAAAAAAAA4")
            #expect(try await signer(home, home.appA) == newer)
        }
    }

    @Test func `the same key ID again replaces, and wipes what it replaces`() async throws {
        try await withTwoTenants { home in
            let first = try await add(home, home.a)
            let second = try await add(home, home.a)
            #expect(try await signer(home, home.appA) == second)
            let rows = try await home.database.asSuperuser(
                "select octet_length(sealed) as n from tenants.secrets where secret_id = \(first.id.rawValue)")
            #expect(try rows[0]("n") == Int32(0))
            await #expect(throws: VaultError.unreadable(home.a.id, first.id, .wiped)) {
                try await home.vault.withSigningKey(first.id, of: home.a.id) { _, _ in }
            }
        }
    }

    @Test func `a removed key signs no more`() async throws {
        try await withTwoTenants { home in
            _ = try await add(home, home.a)
            let isRemoved = try await home.with(home.a) { tx in
                try await home.vault.removeSigningKey(
                    keyID: Samples.keyID, app: nil, of: home.a.id, by: .commandLine, in: tx)
            }
            #expect(isRemoved)
            await #expect(throws: VaultError.noKey(home.a.id, home.appA.id)) { try await signer(home, home.appA) }
        }
    }

    @Test func `without its master key a key is reported, marked, and heals when the master key comes back`()
        async throws
    {
        try await withTwoTenants { home in
            let info = try await add(home, home.a)
            let stranger = home.vault(try Samples.keyring(2))
            await #expect(throws: VaultError.unreadable(home.a.id, info.id, .masterKeyMissing)) {
                try await signer(home, home.appA, vault: stranger)
            }
            let marked = try await home.with(home.a) { tx in try await home.vault.signingKeys(of: home.a.id, in: tx) }
            #expect(marked.map(\.opens) == [false])
            _ = try await signer(home, home.appA)
            let healed = try await home.with(home.a) { tx in try await home.vault.signingKeys(of: home.a.id, in: tx) }
            #expect(healed.map(\.opens) == [true])
        }
    }

    @Test func `BL-062: a sealed form copied into another tenant's row does not open there`() async throws {
        try await withTwoTenants { home in
            let (a, b) = (try await add(home, home.a), try await add(home, home.b))
            try await home.database.asSuperuser(
                """
                update tenants.secrets set sealed = (select sealed from tenants.secrets where secret_id = \(a.id.rawValue))
                where secret_id = \(b.id.rawValue)
                """)
            await #expect(throws: VaultError.unreadable(home.b.id, b.id, .damaged)) {
                try await signer(home, home.appB)
            }
        }
    }

    @Test func `nothing is sealed without a master key`() async throws {
        try await withTwoTenants { home in
            await #expect(throws: VaultError.noMasterKey) {
                try await add(home, home.a, vault: home.vault(.none))
            }
        }
    }

    @Test func `rotation wraps every secret anew, keeps them readable, and may be repeated`() async throws {
        try await withTwoTenants { home in
            for tenant in [home.a, home.b] { _ = try await add(home, tenant) }
            let inbox = try await home.with(home.a) { tx in
                try await home.vault.addInbox(to: home.appA.id, of: home.a.id, by: .commandLine, in: tx)
            }
            let both = home.vault(try Samples.keyring(2, 1))
            #expect(try await both.rotate() == RotationReport(rewrapped: 3, unreadable: 0, changed: 0))
            #expect(try await both.rotate() == RotationReport())
            #expect(try await home.asHouse { tx in try await both.sealedWithOlderKeys(in: tx) } == 0)
            let alone = home.vault(try Samples.keyring(2))
            _ = try await signer(home, home.appA, vault: alone)
            _ = try await signer(home, home.appB, vault: alone)
            let shown = try await home.with(home.a) { tx in
                try await alone.inboxes(of: home.a.id, app: home.appA.id, in: tx)
            }
            #expect(shown.map { $0.token.reveal() } == [inbox.token.reveal()])
        }
    }

    @Test func `rotation waits for processes that do not know the new key`() async throws {
        try await withTwoTenants { home in
            let database = home.database.database
            try await ProcessList.announce(
                Random.uuid(), host: "old", keyring: Samples.keyring(1), at: home.clock.now, in: database)
            try await ProcessList.announce(
                Random.uuid(), host: "new", keyring: Samples.keyring(2, 1), at: home.clock.now, in: database)
            let both = home.vault(try Samples.keyring(2, 1))
            let refusal = await #expect(throws: ProcessLacksKey.self) { try await both.rotate() }
            #expect(refusal?.processes.count == 1)
            #expect(refusal?.processes.first?.hasPrefix("old ") == true)
            home.clock.advance(by: .minutes(3))
            #expect(try await both.rotate() == RotationReport())
        }
    }

    @Test func `rotation leaves alone what does not open`() async throws {
        try await withTwoTenants { home in
            let info = try await add(home, home.a)
            try await home.database.asSuperuser(
                "update tenants.secrets set sealed = set_byte(sealed, 80, get_byte(sealed, 80) # 1) where secret_id = \(info.id.rawValue)"
            )
            let both = home.vault(try Samples.keyring(2, 1))
            #expect(try await both.rotate() == RotationReport(rewrapped: 0, unreadable: 1, changed: 0))
            #expect(try await home.asHouse { tx in try await both.sealedWithOlderKeys(in: tx) } == 1)
        }
    }
}

@Suite struct `Standing of a key` {
    private let key = SigningKeyID(rawValue: Random.uuid())

    private func withKey(_ body: (TwoTenants, SigningKeyID) async throws -> Void) async throws {
        try await withTwoTenants { home in
            let key = try Samples.checkedKey()
            let database = home.database.database
            let (vault, tenant) = (try home.vault, home.a)
            let info = try await database.transaction(tenant.id.scope) { tx in
                try await vault.store(key, of: tenant.id, for: nil, by: .commandLine, in: tx)
            }
            try await body(home, info.id)
        }
    }

    private func enter(_ home: TwoTenants, _ key: SigningKeyID) async throws -> KeyGate {
        try await home.with(home.a) { tx in
            try await KeyStandings.enter(
                key, for: home.appA.id, isSandbox: false, of: home.a.id, at: home.clock.now, in: tx)
        }
    }

    private func refuse(_ home: TwoTenants, _ key: SigningKeyID) async throws {
        _ = try await home.with(home.a) { tx in
            try await KeyStandings.refused(
                key, for: home.appA.id, isSandbox: false, of: home.a.id, clockOffset: .seconds(3), at: home.clock.now,
                in: tx)
        }
    }

    @Test func `a refused key is tried at most five times in ten minutes, by whomever`() async throws {
        try await withKey { home, key in
            let start = home.clock.now
            var calls: [Moment] = []
            while home.clock.now - start <= .minutes(10) {
                // Three lanes ask at the same time.
                for _ in 0..<3 where try await enter(home, key) == .open {
                    calls.append(home.clock.now)
                    try await refuse(home, key)
                }
                home.clock.advance(by: .seconds(10))
            }
            #expect(calls.count == 5)
        }
    }

    @Test func `a new key is tried by one at a time, and by all once Apple took it`() async throws {
        try await withKey { home, key in
            #expect(try await enter(home, key) == .open)
            #expect(try await enter(home, key) == .closed(until: home.clock.now + .seconds(1)))
            try await home.with(home.a) { tx in
                try await KeyStandings.accepted(
                    key, for: home.appA.id, isSandbox: false, of: home.a.id, at: home.clock.now, in: tx)
            }
            for _ in 0..<3 { #expect(try await enter(home, key) == .open) }
        }
    }

    @Test func `a call without an answer frees the trial, and a trial nobody ended frees itself`() async throws {
        try await withKey { home, key in
            #expect(try await enter(home, key) == .open)
            try await home.with(home.a) { tx in
                try await KeyStandings.undecided(key, for: home.appA.id, isSandbox: false, of: home.a.id, in: tx)
            }
            #expect(try await enter(home, key) == .open)
            home.clock.advance(by: .seconds(31))
            #expect(try await enter(home, key) == .open)
        }
    }

    @Test func `an acceptance ends the pause and forgets the refusals`() async throws {
        try await withKey { home, key in
            _ = try await enter(home, key)
            try await refuse(home, key)
            #expect(try await enter(home, key) == .closed(until: home.clock.now + KeyStandings.probeEvery))
            try await home.with(home.a) { tx in
                try await KeyStandings.accepted(
                    key, for: home.appA.id, isSandbox: false, of: home.a.id, at: home.clock.now, in: tx)
            }
            #expect(try await enter(home, key) == .open)
            let all = try await home.with(home.a) { tx in try await KeyStandings.all(of: home.a.id, in: tx) }
            #expect(all.map(\.isRefused) == [false])
            #expect(all.map(\.refusals) == [0])
        }
    }

    @Test func `Production and Sandbox stand apart`() async throws {
        try await withKey { home, key in
            _ = try await enter(home, key)
            try await refuse(home, key)
            let gate = try await home.with(home.a) { tx in
                try await KeyStandings.enter(
                    key, for: home.appA.id, isSandbox: true, of: home.a.id, at: home.clock.now, in: tx)
            }
            #expect(gate == .open)
        }
    }
}
