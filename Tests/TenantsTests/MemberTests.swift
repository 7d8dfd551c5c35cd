import FoundationEssentials
import Journal
import Postgres
import Support
import Testing
import Time

@testable import Tenants

/// A tenant with two owners, an admin, a support person and a viewer, beside another tenant.
private struct Office: Sendable {
    let home: TwoTenants
    let people: [String: Person]

    var desk: Administration {
        Administration(
            database: home.database.database,
            tokens: APITokens(database: home.database.database, clock: home.clock.clock), clock: home.clock.clock)
    }

    func who(_ name: String) throws -> Administrator {
        Administrator(try #require(people[name]).id, address: "192.0.2.1")
    }
    func id(_ name: String) throws -> PersonID { try #require(people[name]).id }
    func roles() async throws -> [String: Tenants.Role] {
        let members = try await desk.people(of: home.a.id).members
        return Dictionary(members.map { (String($0.person.email.prefix { $0 != "@" }), $0.role) }) { first, _ in first }
    }
}

private func withOffice(_ body: (Office) async throws -> Void) async throws {
    try await withTwoTenants { home in
        let people = try await home.asHouse { tx in
            var people: [String: Person] = [:]
            for (name, role) in [
                ("olga", Tenants.Role.owner), ("otto", .owner), ("ada", .admin), ("sam", .support), ("vera", .viewer),
            ] {
                let person = try await PersonStore.findOrAdd(email: "\(name)@acme.example", at: Samples.now, in: tx)
                try await PersonStore.addMember(
                    person, of: home.a, role: role, at: Samples.now, by: .commandLine, in: tx)
                people[name] = person
            }
            let bo = try await PersonStore.findOrAdd(email: "bo@bolt.example", at: Samples.now, in: tx)
            try await PersonStore.addMember(bo, of: home.b, role: .owner, at: Samples.now, by: .commandLine, in: tx)
            people["bo"] = bo
            return people
        }
        try await body(Office(home: home, people: people))
    }
}

@Suite struct `Members` {
    @Test(
        arguments: [
            ("olga", "otto", Tenants.Role.viewer, nil), ("olga", "sam", .owner, nil), ("ada", "sam", .admin, nil),
            ("ada", "olga", .viewer, .ownersOnly), ("ada", "sam", .owner, .ownersOnly),
            ("ada", "ada", .owner, .ownersOnly), ("sam", "vera", .support, .notAllowed),
            ("vera", "vera", .owner, .notAllowed), ("bo", "sam", .viewer, .notAllowed),
            ("olga", "bo", .viewer, .noMember),
        ] as [(String, String, Tenants.Role, MemberError?)])
    func `a role is changed by those who may`(actor: String, target: String, role: Tenants.Role, error: MemberError?)
        async throws
    {
        try await withOffice { office in
            let before = try await office.roles()
            do {
                try await office.desk.changeRole(
                    of: office.id(target), in: office.home.a.id, to: role, by: office.who(actor))
                #expect(error == nil)
                #expect(try await office.roles()[target] == role)
                let newest = try await office.home.with(office.home.a) { tx in
                    try await Audit.entries(of: office.home.a.id, limit: 1, in: tx)
                }
                #expect(newest[0].action == "member.role-changed" && newest[0].address == "192.0.2.1")
                #expect(newest[0].members?.map(\.name) == ["role.after", "role.before"])
            } catch let thrown as MemberError {
                #expect(thrown == error)
                #expect(try await office.roles() == before)
            }
        }
    }

    @Test func `the last owner stays, whoever of two goes first`() async throws {
        try await withOffice { office in
            let (desk, tenant) = (office.desk, office.home.a.id)
            let outcomes = try await withThrowingTaskGroup(of: MemberError?.self) { group in
                for (actor, target) in [("olga", "otto"), ("otto", "olga")] {
                    let (who, whom) = (try office.who(actor), try office.id(target))
                    group.addTask {
                        do {
                            try await desk.remove(whom, from: tenant, by: who)
                            return nil
                        } catch let error as MemberError {
                            return error
                        }
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            // The one that came second is no member any more.
            #expect(outcomes.contains(nil) && outcomes.contains(.notAllowed))
            let roles = try await office.roles()
            #expect(roles.count { $0.value == .owner } == 1)
            let last = roles["olga"] == nil ? "otto" : "olga"
            await #expect(throws: MemberError.lastOwner) {
                try await desk.remove(office.id(last), from: tenant, by: office.who(last))
            }
            await #expect(throws: MemberError.lastOwner) {
                try await desk.changeRole(of: office.id(last), in: tenant, to: .admin, by: office.who(last))
            }
        }
    }

    @Test func `somebody who is removed is signed out, and what they had invited ends`() async throws {
        try await withOffice { office in
            let (desk, tenant) = (office.desk, office.home.a.id)
            let made = try await desk.invite("new@acme.example", as: .viewer, to: tenant, by: office.who("ada"))
            try await desk.remove(office.id("ada"), from: tenant, by: office.who("olga"))
            #expect(try await office.home.signIn.invitation(made.token.reveal()) == nil)
            #expect(try await desk.people(of: tenant).invitations.isEmpty)
            await #expect(throws: MemberError.notAllowed) {
                try await desk.invite("x@acme.example", as: .viewer, to: tenant, by: office.who("ada"))
            }
        }
    }
}

@Suite struct `Invitations` {
    private let password = Array("quiet river under seven lamps".utf8)

    @Test func `a stranger becomes a member by a link that works once`() async throws {
        try await withOffice { office in
            let (desk, signIn, tenant) = (office.desk, office.home.signIn, office.home.a.id)
            let made = try await desk.invite("new@acme.example", as: .support, to: tenant, by: office.who("ada"))
            let link = made.token.reveal()
            for _ in 1...3 { #expect(try await signIn.invitation(link)?.hasAccount == false) }
            let session = try await signIn.join(invitation: link, password: password, from: Samples.arrival).session
            #expect(session.email == "new@acme.example")
            #expect(session.memberships.map(\.role) == [.support] && session.memberships.map(\.slug) == ["acme"])
            #expect(try await signIn.invitation(link) == nil)
            await #expect(throws: MemberError.invitationEnded) {
                try await signIn.accept(invitation: link, as: session, address: nil)
            }
            #expect(
                try await signIn.entered(email: "new@acme.example", password: password, Samples.arrival)
                    .session.person == session.person)
            let stored = try await office.home.database.asSuperuser(
                "select count(*) as n from tenants.invitations where link_sha256 = convert_to(\(link), 'UTF8')")
            #expect(try stored.first?("n") == 0 as Int64)
        }
    }

    @Test func `of many who use one link at once, one becomes a member`() async throws {
        try await withOffice { office in
            let signIn = office.home.signIn
            let link = try await office.desk.invite(
                "any@acme.example", as: .admin, to: office.home.a.id, by: office.who("olga")
            ).token.reveal()
            var sessions: [Session] = []
            for n in 1...6 {
                let person = try await office.home.asHouse { tx in
                    try await PersonStore.findOrAdd(email: "p\(n)@other.example", at: Samples.now, in: tx)
                }
                sessions.append(
                    try await office.home.asHouse { tx in
                        let token = try await signIn.makeLink(for: person.id, in: tx)
                        return token.reveal()
                    }.session(signIn))
            }
            let joined = try await withThrowingTaskGroup(of: Bool.self) { group in
                for session in sessions {
                    group.addTask {
                        do {
                            _ = try await signIn.accept(invitation: link, as: session, address: nil)
                            return true
                        } catch MemberError.invitationEnded {
                            return false
                        }
                    }
                }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(joined == 1)
            #expect(try await office.roles().count == 6)
        }
    }

    @Test func `a link that was renewed, withdrawn, is old or a tenant's that closed does nothing`() async throws {
        try await withOffice { office in
            let (desk, signIn, tenant) = (office.desk, office.home.signIn, office.home.a.id)
            let who = try office.who("olga")
            let first = try await desk.invite("new@acme.example", as: .owner, to: tenant, by: who)
            let second = try await desk.renew(invitation: first.id, of: tenant, by: who)
            #expect(try await signIn.invitation(first.token.reveal()) == nil)
            #expect(try await signIn.invitation(second.token.reveal()) != nil)
            try await desk.closeTenant("acme", by: who)
            #expect(try await signIn.invitation(second.token.reveal()) == nil)
            try await desk.reopenTenant("acme", by: who)
            office.home.clock.advance(by: InvitationStore.life)
            #expect(try await signIn.invitation(second.token.reveal()) == nil)
            // What has ended does not stand in the way of a new one.
            let third = try await desk.invite("NEW@acme.example", as: .viewer, to: tenant, by: who)
            try await desk.withdraw(invitation: third.id, of: tenant, by: who)
            #expect(try await signIn.invitation(third.token.reveal()) == nil)
            await #expect(throws: MemberError.noInvitation) {
                try await desk.renew(invitation: third.id, of: tenant, by: who)
            }
            for wrong in ["", "x", String(repeating: "A", count: 43), "' or true --"] {
                #expect(try await signIn.invitation(wrong) == nil)
            }
        }
    }

    @Test(
        arguments: [
            ("ada", "x@acme.example", Tenants.Role.owner, .ownersOnly), ("sam", "x@acme.example", .viewer, .notAllowed),
            ("bo", "x@acme.example", .viewer, .notAllowed), ("ada", "SAM@acme.example", .viewer, .alreadyMember),
            ("ada", "no address", .viewer, .badEmail(.blankInside)), ("ada", "x@acme", .viewer, .badEmail(.domain)),
        ] as [(String, String, Tenants.Role, MemberError)])
    func `nobody gives what is not theirs to give`(actor: String, email: String, role: Tenants.Role, error: MemberError)
        async throws
    {
        try await withOffice { office in
            await #expect(throws: error) {
                try await office.desk.invite(email, as: role, to: office.home.a.id, by: office.who(actor))
            }
        }
    }

    @Test func `an admin leaves an owner's invitation alone, and another tenant's is nobody's`() async throws {
        try await withOffice { office in
            let (desk, a, b) = (office.desk, office.home.a.id, office.home.b.id)
            let owner = try await desk.invite("o@acme.example", as: .owner, to: a, by: office.who("olga"))
            await #expect(throws: MemberError.ownersOnly) {
                try await desk.renew(invitation: owner.id, of: a, by: office.who("ada"))
            }
            await #expect(throws: MemberError.ownersOnly) {
                try await desk.withdraw(invitation: owner.id, of: a, by: office.who("ada"))
            }
            await #expect(throws: MemberError.noInvitation) {
                try await desk.withdraw(invitation: owner.id, of: b, by: office.who("bo"))
            }
            await #expect(throws: MemberError.alreadyInvited) {
                try await desk.invite("O@acme.example", as: .viewer, to: a, by: office.who("ada"))
            }
        }
    }

    @Test func `whoever runs the installation invites the first owner and nobody beside one`() async throws {
        try await withOffice { office in
            let who = try office.who("bo")
            await #expect(throws: MemberError.hasOwner) {
                try await office.desk.inviteFirstOwner("me@ops.example", to: "acme", by: who)
            }
            try await office.desk.addTenant(slug: "fresh", name: "Fresh", by: who)
            let (made, tenant) = try await office.desk.inviteFirstOwner("first@fresh.example", to: "fresh", by: who)
            let joined = try await office.home.signIn.join(
                invitation: made.token.reveal(), password: password, from: Samples.arrival)
            #expect(joined.session.memberships.map(\.role) == [.owner] && tenant.slug == "fresh")
            await #expect(throws: MemberError.hasOwner) {
                try await office.desk.inviteFirstOwner("me@ops.example", to: "fresh", by: who)
            }
        }
    }
}

extension String {
    /// The session behind a one-time link.
    fileprivate func session(_ signIn: SignIn) async throws -> Session {
        try await signIn.withLink(self, from: Samples.arrival).session
    }
}
