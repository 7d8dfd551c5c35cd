import Crypto
import Postgres
import Support
import Testing
import Time

@testable import Tenants

@Suite struct `Overlap of signing keys` {
    private static let now = Samples.now

    private static func key(
        _ keyID: String, _ state: SigningKeyState = .active, app: AppID? = nil, age: Duration = .days(1),
        retiresAt: Moment? = nil, lastUsedAt: Moment? = nil
    ) -> SigningKeyInfo {
        SigningKeyInfo(
            tenant: TenantID(rawValue: 1), id: SigningKeyID(rawValue: Random.uuid()), keyID: keyID,
            issuerID: Samples.issuerID, app: app, fingerprint: "", createdAt: now - age, state: state,
            retiresAt: retiresAt, lastUsedAt: lastUsedAt)
    }

    /// For the app of the call. Parameters: when Apple last accepted the key there; since when it refuses it.
    private static func standing(
        _ key: SigningKeyInfo, sandbox: Bool = false, accepted: Duration? = nil, refused: Duration? = nil,
        paused: Duration = .seconds(60), isTrying: Bool = false
    ) -> KeyStanding {
        KeyStanding(
            key: key.id, isSandbox: sandbox, acceptedAt: accepted.map { now - $0 },
            refusedSince: refused.map { now - $0 },
            pausedUntil: refused == nil && !isTrying ? nil : now + paused, refusals: refused == nil ? 0 : 1,
            clockOffset: nil)
    }

    // MARK: which one signs

    private func chosen(_ keys: [(SigningKeyInfo, KeyStanding?)]) -> String? {
        KeyChoice.choose(
            keys.map { KeyChoice.Candidate(app: $0.0.app, state: $0.0.state, standing: $0.1) }, at: Self.now
        ).map { keys[$0].0.keyID }
    }

    private func signing(_ keys: [(SigningKeyInfo, KeyStanding?)]) -> String? {
        KeyChoice.signing(keys.map { KeyChoice.Candidate(app: $0.0.app, state: $0.0.state, standing: $0.1) })
            .map { keys[$0].0.keyID }
    }

    @Test func `the newest active key is meant to sign, and another does only while Apple refuses it`() {
        let new = Self.key("NEWNEWNEW1")
        let old = Self.key("OLDOLDOLD1", .retiring, age: .days(9))
        let app = AppID(rawValue: 7)
        let taken = Self.standing(old, accepted: .hours(1))
        let refused = Self.standing(new, refused: .minutes(5))
        #expect(chosen([]) == nil)
        #expect(chosen([(new, nil), (old, taken)]) == "NEWNEWNEW1")
        #expect(chosen([(new, Self.standing(new, accepted: .minutes(1))), (old, taken)]) == "NEWNEWNEW1")
        #expect(chosen([(new, refused), (old, taken)]) == "OLDOLDOLD1")
        // Its pause is over: one call tries it again.
        #expect(chosen([(new, Self.standing(new, refused: .minutes(5), paused: .zero)), (old, taken)]) == "NEWNEWNEW1")
        // The older one is no better, was never tried, or serves something else.
        #expect(
            chosen([(new, refused), (old, Self.standing(old, accepted: .hours(1), refused: .minutes(1)))])
                == "NEWNEWNEW1")
        #expect(chosen([(new, refused), (old, nil)]) == "NEWNEWNEW1")
        // Of another scope, and accepted for this very app: it is of the right team.
        let tied = Self.key("TIEDTIED01", .retiring, app: app, age: .days(9))
        #expect(chosen([(new, refused), (tied, Self.standing(tied, accepted: .hours(1)))]) == "TIEDTIED01")
        #expect(chosen([(new, refused), (tied, nil)]) == "NEWNEWNEW1")
        #expect(chosen([(old, taken)]) == "OLDOLDOLD1")
    }

    @Test func `a key that was never accepted takes over from one that is by one call at a time, and not before`() {
        let new = Self.key("NEWNEWNEW1")
        let old = Self.key("OLDOLDOLD1", .retiring, age: .days(9))
        let taken = Self.standing(old, accepted: .hours(1))
        #expect(signing([(new, nil), (old, taken)]) == "OLDOLDOLD1")
        #expect(chosen([(new, Self.standing(new, isTrying: true)), (old, taken)]) == "OLDOLDOLD1")
        #expect(signing([(new, Self.standing(new, accepted: .zero)), (old, taken)]) == "NEWNEWNEW1")
        // Nothing better is known of the older one.
        #expect(signing([(new, nil), (old, nil)]) == "NEWNEWNEW1")
    }

    @Test func `an app's own key goes before a newer one of the whole tenant, whatever is known of them`() {
        let own = Self.key("OWNOWNOWN1", app: AppID(rawValue: 7), age: .days(9))
        let wide = Self.key("WIDEWIDE01")
        #expect(chosen([(wide, nil), (own, nil)]) == "OWNOWNOWN1")
        #expect(chosen([(own, Self.standing(own, accepted: .hours(1))), (wide, nil)]) == "OWNOWNOWN1")
        let accepted = Self.standing(wide, accepted: .hours(1))
        #expect(signing([(own, Self.standing(own, accepted: .hours(1))), (wide, accepted)]) == "OWNOWNOWN1")
        // But for one that Apple does not take for this app, where it takes the other.
        #expect(signing([(own, nil), (wide, accepted)]) == "WIDEWIDE01")
        #expect(signing([(own, Self.standing(own, refused: .hours(1))), (wide, accepted)]) == "WIDEWIDE01")
    }

    // MARK: safe to revoke

    private func advice(
        _ key: SigningKeyInfo, _ own: [KeyStanding], _ others: [(SigningKeyInfo, [KeyStanding])]
    ) -> RevocationAdvice {
        KeyOverlap.advice(
            on: KeyOverlap.Party(info: key, proofs: own.map { Self.proof($0) }),
            among: others.map { KeyOverlap.Party(info: $0.0, proofs: $0.1.map { Self.proof($0) }) }, at: Self.now)
    }

    private static func proof(_ standing: KeyStanding, app: Int64 = 7) -> KeyProof {
        KeyProof(
            key: standing.key, app: AppID(rawValue: app), bundleID: "com.example.a\(app)",
            isSandbox: standing.isSandbox, acceptedAt: standing.acceptedAt, refusedSince: standing.refusedSince)
    }

    @Test func `a successor that Apple takes for one app says nothing of the other apps of the key`() {
        let old = Self.key("OLDOLDOLD1", .retiring, age: .days(9))
        let new = Self.key("NEWNEWNEW1")
        let taken = Self.standing(old, accepted: .days(1))
        let party = KeyOverlap.Party(info: old, proofs: [Self.proof(taken), Self.proof(taken, app: 8)])
        func advice(_ apps: [Int64]) -> RevocationAdvice {
            let proofs = apps.map { Self.proof(Self.standing(new, accepted: .hours(1)), app: $0) }
            return KeyOverlap.advice(
                on: party, among: [KeyOverlap.Party(info: new, proofs: proofs)], at: Self.now)
        }
        #expect(!advice([7]).isSafe && advice([7]).why.contains("in Production for com.example.a8 and has not"))
        #expect(advice([7, 8]).isSafe)
    }

    @Test func `a key may be revoked once Apple takes its successor wherever it took the key`() {
        let old = Self.key("OLDOLDOLD1", .retiring, age: .days(9))
        let new = Self.key("NEWNEWNEW1")
        let both = [Self.standing(old, accepted: .days(1)), Self.standing(old, sandbox: true, accepted: .days(1))]
        let production = Self.standing(new, accepted: .hours(1))
        let sandbox = Self.standing(new, sandbox: true, accepted: .hours(1))
        let table: [(name: String, advice: RevocationAdvice, isSafe: Bool, word: String)] = [
            ("alone", advice(Self.key("OLDOLDOLD1"), both, []), false, "signs now"),
            ("successor untried", advice(old, both, [(new, [])]), false, "Production and Sandbox"),
            ("one environment missing", advice(old, both, [(new, [production])]), false, "in Sandbox"),
            (
                "successor refused",
                advice(old, both, [(new, [Self.standing(new, accepted: .days(1), refused: .hours(1)), sandbox])]),
                false, "in Production"
            ),
            ("both covered", advice(old, both, [(new, [production, sandbox])]), true, "NEWNEWNEW1"),
            ("never accepted", advice(old, [], [(new, [])]), true, "nothing here needs it"),
            ("accepted long ago", advice(old, [Self.standing(old, accepted: .days(31))], [(new, [])]), true, "30 days"),
            (
                "token just made",
                advice(
                    Self.key("OLDOLDOLD1", .retiring, age: .days(9), lastUsedAt: Self.now - .minutes(2)), both,
                    [(new, [production, sandbox])]),
                false, "may be in use until"
            ),
            (
                "same key elsewhere",
                advice(
                    old, both, [(new, [production, sandbox]), (Self.key("OLDOLDOLD1", app: AppID(rawValue: 3)), [])]),
                false, "another app"
            ),
            (
                "successor of another app",
                advice(old, both, [(Self.key("NEWNEWNEW1", app: AppID(rawValue: 3)), [production, sandbox])]), false,
                "signs now"
            ),
            ("wiped", advice(Self.key("OLDOLDOLD1", .retired), both, []), true, "wiped"),
        ]
        for (name, advice, isSafe, word) in table {
            #expect(advice.isSafe == isSafe, "\(name): \(advice.why)")
            #expect(advice.why.contains(word), "\(name): \(advice.why)")
        }
    }

    // MARK: in the database

    private func add(_ home: TwoTenants, _ keyID: String, app: AppID? = nil, grace: Duration = .days(7)) async throws
        -> SigningKeyInfo
    {
        let key = try Samples.checkedKey(keyID)
        let database = home.database.database
        let (vault, tenant) = (try home.vault, home.a)
        let info = try await database.transaction(tenant.id.scope) { tx in
            try await vault.store(key, of: tenant.id, for: app, grace: grace, by: .commandLine, in: tx)
        }
        home.clock.advance(by: .seconds(1))
        return info
    }

    private func states(_ home: TwoTenants) async throws -> [String: SigningKeyState] {
        let vault = try home.vault
        let keys = try await home.with(home.a) { tx in try await vault.keys(of: home.a.id, in: tx) }
        return Dictionary(keys.map { ($0.info.keyID, $0.info.state) }) { first, _ in first }
    }

    private func accept(_ home: TwoTenants, _ key: SigningKeyInfo) async throws {
        try await home.with(home.a) { tx in
            try await KeyStandings.accepted(
                key.id, for: home.appA.id, isSandbox: false, of: home.a.id, at: home.clock.now, in: tx)
        }
    }

    private func refuse(_ home: TwoTenants, _ key: SigningKeyInfo) async throws {
        _ = try await home.with(home.a) { tx in
            try await KeyStandings.refused(
                key.id, for: home.appA.id, isSandbox: false, of: home.a.id, clockOffset: nil, at: home.clock.now,
                in: tx)
        }
    }

    private func signer(_ home: TwoTenants, sandbox: Bool = false) async throws -> String? {
        let vault = try home.vault
        return try await home.with(home.a) { tx in
            try await vault.signingKey(of: home.a.id, for: home.appA.id, isSandbox: sandbox, in: tx)?.keyID
        }
    }

    @Test func `a new key takes over, the old one signs where Apple refuses the new, and retires in the end`()
        async throws
    {
        try await withTwoTenants { home in
            let old = try await add(home, "OLDOLDOLD1")
            try await accept(home, old)
            let new = try await add(home, "NEWNEWNEW1")
            #expect(try await states(home) == ["OLDOLDOLD1": .retiring, "NEWNEWNEW1": .active])
            #expect(try await signer(home) == "NEWNEWNEW1")
            try await refuse(home, new)
            #expect(try await signer(home) == "OLDOLDOLD1")
            #expect(try await signer(home, sandbox: true) == "NEWNEWNEW1")
            home.clock.advance(by: KeyStandings.probeEvery + .seconds(1))
            #expect(try await signer(home) == "NEWNEWNEW1")
            // Overdue, and still the only one that Apple takes.
            home.clock.advance(by: .days(8))
            #expect(try await home.vault.retireOverdue() == 0)
            try await accept(home, new)
            #expect(try await home.vault.retireOverdue() == 1)
            #expect(try await home.vault.retireOverdue() == 0)
            #expect(try await states(home) == ["OLDOLDOLD1": .retired, "NEWNEWNEW1": .active])
            let rows = try await home.database.asSuperuser(
                "select octet_length(sealed) as n from tenants.secrets where secret_id = \(old.id.rawValue)")
            #expect(try rows[0]("n") == Int32(0))
        }
    }

    @Test func `a key of the whole tenant never signs for a rehearsal, in either environment`() async throws {
        try await withTwoTenants { home in
            let (a, vault) = (home.a.id, try home.vault)
            _ = try await add(home, "TENANTKEY1")
            let app = try await home.with(home.a) { tx in
                var new = NewApp(bundleID: "com.example.rehearsal")
                new.rehearsal = RehearsalSide(root: [1], apiURL: "http://127.0.0.1:9")
                return try await TenantStore.addApp(new, to: a, at: home.clock.now, by: .commandLine, in: tx)
            }
            for isSandbox in [false, true] {
                let (rehearsal, real) = try await home.with(home.a) { tx in
                    (
                        try await vault.signingKey(of: a, for: app.id, isSandbox: isSandbox, in: tx),
                        try await vault.signingKey(of: a, for: home.appA.id, isSandbox: isSandbox, in: tx)
                    )
                }
                #expect(rehearsal == nil && real?.keyID == "TENANTKEY1")
            }
        }
    }

    @Test func `keys of an app and of its tenant do not retire each other`() async throws {
        try await withTwoTenants { home in
            _ = try await add(home, "WIDEWIDE01")
            _ = try await add(home, "TIEDTIED01", app: home.appA.id)
            #expect(try await states(home) == ["WIDEWIDE01": .active, "TIEDTIED01": .active])
        }
    }

    @Test func `a new key that is removed gives its place back`() async throws {
        try await withTwoTenants { home in
            _ = try await add(home, "OLDOLDOLD1")
            _ = try await add(home, "NEWNEWNEW1")
            let vault = try home.vault
            let isRemoved = try await home.with(home.a) { tx in
                try await vault.removeSigningKey(
                    keyID: "NEWNEWNEW1", app: nil, of: home.a.id, by: .commandLine, in: tx)
            }
            #expect(isRemoved)
            #expect(try await states(home) == ["OLDOLDOLD1": .active, "NEWNEWNEW1": .retired])
        }
    }

    @Test func `signing notes when a key was used, to the minute`() async throws {
        try await withTwoTenants { home in
            _ = try await add(home, "OLDOLDOLD1")
            let vault = try home.vault
            func used() async throws -> Moment? {
                try await home.with(home.a) { tx in try await vault.keys(of: home.a.id, in: tx).first?.info.lastUsedAt }
            }
            #expect(try await used() == nil)
            let first = home.clock.now
            for _ in 0..<2 {
                try await vault.withSigningKey(of: home.a.id, for: home.appA.id) { key, _ in _ = try key.sign([1]) }
                home.clock.advance(by: .seconds(30))
            }
            #expect(try await used() == first)
            try await vault.withSigningKey(of: home.a.id, for: home.appA.id) { key, _ in _ = try key.sign([1]) }
            #expect(try await used() == home.clock.now)
        }
    }
}
