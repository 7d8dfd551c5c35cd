import Crypto
import Journal
import Postgres
import Support
import Synchronization
import Testing
import Time

@testable import Tenants

@Suite struct `Sign-in` {
    private static let password = Array("correct horse battery".utf8)
    private static let other = Array("another battery horse".utf8)

    private func withPerson(
        _ body: (TwoTenants, SignIn, Person) async throws -> Void
    ) async throws {
        try await withTwoTenants { home in
            let person = try await home.asHouse { tx in
                let person = try await PersonStore.findOrAdd(email: "Ada@Example.com", at: Samples.now, in: tx)
                try await PersonStore.addMember(
                    person, of: home.a, role: .support, at: Samples.now, by: .commandLine, in: tx)
                return person
            }
            let signIn = home.signIn
            try await signIn.setPassword(Self.password, of: person.id)
            try await body(home, signIn, person)
        }
    }

    private func enter(_ signIn: SignIn, replacing old: String? = nil) async throws -> String {
        try await signIn.entered(
            email: "ada@example.COM", password: Self.password, Arrival(address: "192.0.2.1", cookie: old)
        ).token.reveal()
    }

    @Test func `a right password gives a session with its memberships`() async throws {
        try await withPerson { home, signIn, person in
            let session = try await signIn.session(cookie: try await enter(signIn))
            #expect(session?.person == person.id)
            #expect(session?.memberships == [Membership(tenant: home.a.id, slug: "acme", name: "acme", role: .support)])
            #expect(session?.membership(slug: "bolt") == nil)
            #expect(session?.isInstallation == false)
        }
    }

    @Test func `a wrong password and an unknown person are answered alike, after the same work`() async throws {
        try await withPerson { home, _, _ in
            let work = Mutex(0)
            let signIn = SignIn(database: home.database.database, clock: home.clock.clock, journal: .silent) { body in
                work.withLock { $0 += 1 }
                return try body()
            }
            for email in ["ada@example.com", "nobody@example.com"] {
                await #expect(throws: SignInError.wrong) {
                    try await signIn.withPassword(email: email, password: Self.other, from: Samples.arrival)
                }
            }
            #expect(work.withLock { $0 } == 2)
        }
    }

    @Test func `BL-120: sign-in gives a new id and ends the one that was sent along`() async throws {
        try await withPerson { _, signIn, _ in
            let madeUp = Random.token(bytes: 32)
            #expect(try await signIn.session(cookie: madeUp) == nil)
            let first = try await enter(signIn, replacing: madeUp)
            #expect(first != madeUp)
            #expect(try await signIn.session(cookie: madeUp) == nil)
            let second = try await enter(signIn, replacing: first)
            #expect(second != first)
            #expect(try await signIn.session(cookie: first) == nil)
            #expect(try await signIn.session(cookie: second) != nil)
        }
    }

    @Test func `BL-120: a change of password ends every session but the new one`() async throws {
        try await withPerson { home, signIn, _ in
            let (one, two) = (try await enter(signIn), try await enter(signIn))
            let session = try #require(try await signIn.session(cookie: one))
            let new = try await signIn.changePassword(
                of: session, from: Self.password, to: Self.other, from: Samples.arrival)
            for cookie in [one, two] { #expect(try await signIn.session(cookie: cookie) == nil) }
            #expect(try await signIn.session(cookie: new.token.reveal()) != nil)
            await #expect(throws: SignInError.wrong) { try await enter(signIn) }
            _ = try await signIn.withPassword(email: "ada@example.com", password: Self.other, from: Samples.arrival)
            _ = home
        }
    }

    @Test func `BL-120: a session is dead after signing out`() async throws {
        try await withPerson { _, signIn, _ in
            let cookie = try await enter(signIn)
            try await signIn.signOut(cookie: cookie)
            #expect(try await signIn.session(cookie: cookie) == nil)
        }
    }

    @Test func `a session ends after a day without use, and after its longest life`() async throws {
        try await withPerson { home, signIn, _ in
            let idle = try await enter(signIn)
            home.clock.advance(by: .hours(25))
            #expect(try await signIn.session(cookie: idle) == nil)
            let used = try await enter(signIn)
            for _ in 0..<28 {
                home.clock.advance(by: .hours(11))
                #expect(try await signIn.session(cookie: used) != nil)
            }
            home.clock.advance(by: .hours(30))
            #expect(try await signIn.session(cookie: used) == nil)
        }
    }

    @Test func `nothing that is stored signs anybody in`() async throws {
        try await withPerson { home, signIn, person in
            let cookie = try await enter(signIn)
            let link = try await home.asHouse { tx in try await signIn.makeLink(for: person.id, in: tx) }.reveal()
            let rows = try await home.database.asSuperuser(
                """
                select p.password, s.session_sha256, l.link_sha256
                from tenants.people p join tenants.sessions s using (person_id) join tenants.sign_in_links l using (person_id)
                """)
            #expect(try rows[0]("session_sha256") == Digest.sha256(Array(cookie.utf8)))
            #expect(try rows[0]("link_sha256") == Digest.sha256(Array(link.utf8)))
            let stored: String = try rows[0]("password")
            #expect(stored.hasPrefix("scrypt$32768$8$1$"))
            #expect(!stored.contains("correct"))
        }
    }

    /// How many of so many tries had their password looked at.
    private func tries(
        _ signIn: SignIn, _ email: (Int) -> String, _ address: (Int) -> String, _ count: Int
    ) async throws -> Int {
        var looked = 0
        for number in 0..<count {
            do {
                _ = try await signIn.withPassword(
                    email: email(number), password: Self.other, from: Arrival(address: address(number)))
            } catch SignInError.wrong {
                looked += 1
            } catch SignInError.throttled(let wait) {
                #expect(wait > .zero && wait <= SignInTries.window)
            }
        }
        return looked
    }

    @Test func `too many wrong passwords stop the pair, then the person, then the address`() async throws {
        try await withPerson { home, _, _ in
            // Counting is what is looked at: the hashing itself would take a minute.
            let signIn = SignIn(database: home.database.database, clock: home.clock.clock, journal: .silent) { _ in
                false
            }
            let pair = try await tries(signIn, { _ in "ada@example.com" }, { _ in "192.0.2.1" }, 15)
            home.clock.advance(by: SignInTries.window)
            let person = try await tries(signIn, { _ in "ADA@example.com" }, { "192.0.2.\($0)" }, 60)
            home.clock.advance(by: SignInTries.window)
            let network = try await tries(signIn, { "p\($0)@example.com" }, { "2001:db8:1:2::\($0)" }, 110)
            home.clock.advance(by: SignInTries.window)
            let later = try await tries(signIn, { _ in "ada@example.com" }, { _ in "192.0.2.1" }, 1)
            #expect(
                [pair, person, network, later]
                    == [SignInTries.pairMax, SignInTries.personMax, SignInTries.addressMax, 1])
        }
    }

    @Test func `tries at the same moment are counted before any password is looked at`() async throws {
        try await withPerson { home, _, _ in
            let looked = Mutex(0)
            let signIn = SignIn(database: home.database.database, clock: home.clock.clock, journal: .silent) { _ in
                looked.withLock { $0 += 1 }
                return false
            }
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<30 {
                    group.addTask {
                        _ = try? await signIn.withPassword(
                            email: "ada@example.com", password: Self.other, from: Samples.arrival)
                    }
                }
            }
            #expect(looked.withLock { $0 } == SignInTries.pairMax)
        }
    }

    @Test func `a right password clears the count of its person from its address`() async throws {
        try await withPerson { _, signIn, _ in
            for _ in 0..<3 {
                for _ in 0..<3 {
                    await #expect(throws: SignInError.wrong) {
                        try await signIn.withPassword(
                            email: "ada@example.com", password: Self.other, from: Samples.arrival)
                    }
                }
                _ = try await enter(signIn)
            }
        }
    }

    @Test func `a full queue of hashing is told as busy`() async throws {
        struct Full: Error {}
        try await withPerson { home, _, _ in
            let signIn = SignIn(database: home.database.database, clock: home.clock.clock, journal: .silent) { _ in
                throw Full()
            }
            await #expect(throws: SignInError.busy) { try await enter(signIn) }
        }
    }

    @Test(arguments: [
        ("192.0.2.1", "192.0.2.1"), ("2001:db8::1", "2001:db8::"), ("2001:db8:0:0:9:9:9:9", "2001:db8::"),
        ("2001:0db8:1:2::5", "2001:db8:1:2"), ("::1", ":::"), ("fe80::1%eth0", "fe80:::"),
    ])
    func `an IPv6 customer is one network`(address: String, network: String) {
        #expect(SignInTries.network(address) == network)
    }
}

@Suite struct `One-time links` {
    private func withLink(_ body: (TwoTenants, SignIn, Person, String) async throws -> Void) async throws {
        try await withTwoTenants { home in
            let signIn = home.signIn
            let (person, link) = try await home.asHouse { tx in
                let person = try await PersonStore.findOrAdd(email: "bob@example.com", at: Samples.now, in: tx)
                return (person, try await signIn.makeLink(for: person.id, in: tx))
            }
            try await body(home, signIn, person, link.reveal())
        }
    }

    @Test func `looking at a link changes nothing, using it works once`() async throws {
        try await withLink { _, signIn, person, link in
            for _ in 0..<3 { #expect(try await signIn.look(at: link)?.email == "bob@example.com") }
            let new = try await signIn.withLink(link, from: Samples.arrival)
            #expect(new.session.person == person.id)
            #expect(try await signIn.session(cookie: new.token.reveal())?.person == person.id)
            #expect(try await signIn.look(at: link) == nil)
            await #expect(throws: SignInError.linkEnded) { try await signIn.withLink(link, from: Samples.arrival) }
        }
    }

    @Test func `a link used by two at once lets one in`() async throws {
        try await withLink { _, signIn, _, link in
            let entered = await withTaskGroup(of: Bool.self) { group in
                for _ in 0..<6 { group.addTask { (try? await signIn.withLink(link, from: Samples.arrival)) != nil } }
                return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(entered == 1)
        }
    }

    @Test func `a link ends after a day, and when a newer one is made`() async throws {
        try await withLink { home, signIn, person, link in
            let newer = try await home.asHouse { tx in try await signIn.makeLink(for: person.id, in: tx) }.reveal()
            await #expect(throws: SignInError.linkEnded) { try await signIn.withLink(link, from: Samples.arrival) }
            home.clock.advance(by: .hours(24))
            await #expect(throws: SignInError.linkEnded) { try await signIn.withLink(newer, from: Samples.arrival) }
            await #expect(throws: SignInError.linkEnded) {
                try await signIn.withLink("nonsense", from: Samples.arrival)
            }
        }
    }

    @Test func `a password set by a link ends older sessions; one that is too short uses nothing up`() async throws {
        try await withLink { home, signIn, person, link in
            let old = try await signIn.withLink(link, from: Samples.arrival)
            let second = try await home.asHouse { tx in try await signIn.makeLink(for: person.id, in: tx) }.reveal()
            await #expect(throws: SignInError.badPassword(.tooShort)) {
                try await signIn.withLink(second, settingPassword: Array("short".utf8), from: Samples.arrival)
            }
            let new = try await signIn.withLink(
                second, settingPassword: Array("long enough".utf8), from: Samples.arrival)
            #expect(try await signIn.session(cookie: old.token.reveal()) == nil)
            #expect(try await signIn.session(cookie: new.token.reveal()) != nil)
            _ = try await signIn.withPassword(
                email: "bob@example.com", password: Array("long enough".utf8), from: Samples.arrival)
        }
    }

    @Test func `the same address in another case is the same person`() async throws {
        try await withLink { home, _, person, _ in
            let again = try await home.asHouse { tx in
                try await PersonStore.findOrAdd(email: "BOB@example.com", at: Samples.now, in: tx)
            }
            #expect(again.id == person.id)
        }
    }
}

@Suite struct `API tokens` {
    private func tokens(_ home: TwoTenants) -> APITokens {
        APITokens(database: home.database.database, clock: home.clock.clock)
    }

    @Test func `a token is found by its text alone and knows its tenant, app and scopes`() async throws {
        try await withTwoTenants { home in
            let tokens = tokens(home)
            let made = try await home.with(home.a) { tx in
                try await tokens.add(
                    to: home.a.id, app: home.appA.id, scopes: [.consent, .usage], by: .commandLine, in: tx)
            }
            let text = made.text.reveal()
            #expect(text.hasPrefix("rd_") && text.count == 46)
            let found = try #require(try await tokens.token(text))
            #expect(found == made.token)
            #expect(found.allows(.consent) && !found.allows(.cases))
            #expect(found.reaches(home.appA.id) && !found.reaches(home.appB.id))
            for wrong in ["", "rd_", text + "x", String(text.dropFirst(3)), "rd_" + Random.token(bytes: 32)] {
                #expect(try await tokens.token(wrong) == nil)
            }
            let rows = try await home.database.asSuperuser(
                "select token_sha256, prefix, last_used_on is null as unused from tenants.tokens")
            #expect(try rows[0]("token_sha256") == Digest.sha256(Array(text.utf8)))
            #expect(try rows[0]("prefix") == String(text.prefix(9)))
            #expect(try rows[0]("unused") == false)
        }
    }

    @Test func `a removed token is dead at once, and only its own tenant can remove it`() async throws {
        try await withTwoTenants { home in
            let tokens = tokens(home)
            let made = try await home.with(home.a) { tx in
                try await tokens.add(to: home.a.id, app: nil, scopes: [.all], by: .commandLine, in: tx)
            }
            func remove(as tenant: Tenant) async throws -> Bool {
                try await home.with(tenant) { tx in
                    try await tokens.remove(made.token.id, of: home.a.id, by: .commandLine, in: tx)
                }
            }
            #expect(try await remove(as: home.b) == false)
            #expect(try await tokens.token(made.text.reveal()) != nil)
            #expect(try await remove(as: home.a))
            #expect(try await tokens.token(made.text.reveal()) == nil)
        }
    }
}

@Suite struct `Passwords as stored` {
    @Test func `only known forms with bearable costs are read`() throws {
        let hash = try PasswordHash.make(Array("correct horse".utf8))
        let text = hash.text
        #expect(PasswordHash(text: text) == hash)
        #expect(try hash.matches(Array("correct horse".utf8)))
        #expect(try !hash.matches(Array("correct horsf".utf8)))
        for bad in [
            "", "scrypt", text.replacing("scrypt", with: "bcrypt"), text.replacing("$32768$", with: "$1073741824$"),
            text.replacing("$32768$", with: "$32769$"), text.replacing("$8$", with: "$64$"), String(text.dropLast()),
            text + "$",
        ] {
            #expect(PasswordHash(text: bad) == nil, "\(bad.prefix(20))")
        }
    }
}
