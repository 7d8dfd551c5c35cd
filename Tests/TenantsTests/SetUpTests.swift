import Crypto
import Journal
import Postgres
import Support
import Testing
import Time

@testable import Tenants

@Suite struct `The first start` {
    private static let wanted = SetUp(
        email: "ada@example.com", name: "Ada", password: Array("correct horse battery".utf8), tenantSlug: "acme",
        tenantName: "Acme")

    private func withNobody(_ body: (SignIn, TestDatabase, ManualClock) async throws -> Void) async throws {
        try await withDatabase { database in
            let clock = ManualClock(Samples.now)
            let signIn = SignIn(database: database.database, clock: clock.clock, journal: .silent) { try $0() }
            try await body(signIn, database, clock)
        }
    }

    @Test func `its link makes the first owner and the first tenant, once`() async throws {
        try await withNobody { signIn, _, _ in
            let link = try #require(try await signIn.makeSetUpLink()).reveal()
            for _ in 0..<3 { #expect(try await signIn.isSetUpLink(link)) }
            let new = try await signIn.setUp(Self.wanted, link: link, from: Samples.arrival)
            #expect(new.session.memberships.map(\.slug) == ["acme"] && new.session.memberships[0].role == .owner)
            #expect(new.session.name == "Ada" && new.session.method == .setUp)
            #expect(try await !signIn.isSetUpLink(link))
            #expect(try await signIn.makeSetUpLink() == nil)
            await #expect(throws: SignInError.linkEnded) {
                try await signIn.setUp(Self.wanted, link: link, from: Samples.arrival)
            }
            _ = try await signIn.entered(email: "ada@example.com", password: Self.wanted.password, Samples.arrival)
        }
    }

    @Test func `what it makes is in the audit log with the address it was made from`() async throws {
        try await withNobody { signIn, database, _ in
            let link = try #require(try await signIn.makeSetUpLink()).reveal()
            _ = try await signIn.setUp(Self.wanted, link: link, from: Samples.arrival)
            let rows = try await database.asSuperuser("select action, address from tenants.audit order by action")
            #expect(try rows.map { try $0("action") as String } == ["member.added", "tenant.added"])
            #expect(try rows.map { try $0("address") as String? } == ["192.0.2.1", "192.0.2.1"])
        }
    }

    @Test func `a newer link, a day and a person each end it`() async throws {
        try await withNobody { signIn, database, clock in
            let first = try #require(try await signIn.makeSetUpLink()).reveal()
            let second = try #require(try await signIn.makeSetUpLink()).reveal()
            #expect(try await !signIn.isSetUpLink(first))
            clock.advance(by: .hours(24))
            #expect(try await !signIn.isSetUpLink(second))
            let third = try #require(try await signIn.makeSetUpLink()).reveal()
            _ = try await database.database.transaction(.house) { tx in
                try await PersonStore.findOrAdd(email: "bob@example.com", at: Samples.now, in: tx)
            }
            await #expect(throws: SignInError.linkEnded) {
                try await signIn.setUp(Self.wanted, link: third, from: Samples.arrival)
            }
        }
    }

    @Test func `of many at once one becomes the first`() async throws {
        try await withNobody { signIn, database, _ in
            let link = try #require(try await signIn.makeSetUpLink()).reveal()
            let made = await withTaskGroup(of: Bool.self) { group in
                for number in 0..<4 {
                    group.addTask {
                        let wanted = SetUp(
                            email: "p\(number)@example.com", name: "", password: Self.wanted.password,
                            tenantSlug: "acme\(number)", tenantName: "Acme")
                        return (try? await signIn.setUp(wanted, link: link, from: Samples.arrival)) != nil
                    }
                }
                return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(made == 1)
            let rows = try await database.asSuperuser("select count(*) as n from tenants.people")
            #expect(try rows[0]("n") == Int64(1))
        }
    }

    @Test func `what is wrong uses nothing up`() async throws {
        try await withNobody { signIn, _, _ in
            let link = try #require(try await signIn.makeSetUpLink()).reveal()
            let spoiled: [(SetUp, any Error)] = [
                (
                    SetUp(
                        email: "ada", name: "", password: Self.wanted.password, tenantSlug: "acme", tenantName: "Acme"),
                    PersonStoreError.badEmail(.atSigns)
                ),
                (
                    SetUp(
                        email: "ada@example.com", name: "", password: Array("Acme-2026!!".utf8), tenantSlug: "acme",
                        tenantName: "Acme"), SignInError.badPassword(.personal)
                ),
                (
                    SetUp(
                        email: "ada@example.com", name: "", password: Self.wanted.password, tenantSlug: "A!",
                        tenantName: "Acme"), TenantStoreError.badSlug("A!")
                ),
            ]
            for (wanted, expected) in spoiled {
                do {
                    _ = try await signIn.setUp(wanted, link: link, from: Samples.arrival)
                    Issue.record("was taken")
                } catch { #expect("\(error)" == "\(expected)") }
            }
            #expect(try await signIn.isSetUpLink(link))
        }
    }
}
