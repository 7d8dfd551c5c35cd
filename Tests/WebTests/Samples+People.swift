import FoundationEssentials
import HTTP
import Journal
import Refunds
import Time

@testable import Tenants
@testable import Web

extension Samples {
    static let owner = Membership(tenant: tenant, slug: "alpha", name: "Alpha Games", role: .owner)
    private static let end = now + .days(7)

    static func person(_ n: Int, _ email: String) -> Person {
        Person(id: PersonID(rawValue: id(n)), email: email, isInstallation: false)
    }

    static let members: [MemberLine] = [
        MemberLine(
            person: person(1, "sam@alpha.example"), name: "Sam Example", role: .owner, hasPassword: true,
            hasSecondFactor: true, seenAt: now - .minutes(3), since: now - .days(300)),
        MemberLine(
            person: person(4, "a-rather-long-address-of-somebody@subsidiary.alpha.example"), role: .admin,
            hasPassword: true, hasSecondFactor: false, seenAt: now - .days(2), since: now - .days(30)),
        MemberLine(
            person: person(5, "vera@alpha.example"), role: .viewer, hasPassword: false, hasSecondFactor: false,
            seenAt: nil, since: now - .days(2)),
    ]

    static let invitation = NewInvitation(
        id: id(60), email: "new@alpha.example", role: .admin,
        token: Redacted("k3J0c2hhbXBsZS1saW5rLW9mLWFuLWludml0YXRpb24"), expiresAt: end)

    static let invitations: [InvitationLine] = [
        InvitationLine(
            id: id(60), email: "new@alpha.example", role: .admin, invitedBy: "sam@alpha.example", createdAt: now,
            expiresAt: end),
        InvitationLine(
            id: id(61), email: "late@alpha.example", role: .support, createdAt: now - .days(9),
            expiresAt: now - .days(2)),
    ]

    static let standing = InvitationStanding(
        tenant: tenant, tenantName: "Alpha Games", email: "new@alpha.example", role: .admin, expiresAt: end,
        hasAccount: false)

    static func token(
        _ n: Int, _ name: String, _ scopes: Set<APIScope>, app: AppID? = nil, expires: Moment?, used: String? = nil
    ) -> APITokenSummary {
        APITokenSummary(
            token: APIToken(tenant: tenant, id: id(n), app: app, scopes: scopes), prefix: "rd_Zk\(n)9x", name: name,
            createdAt: now - .days(200), createdBy: n == 70 ? PersonID(rawValue: id(1)) : nil, expiresAt: expires,
            lastUsedOn: used)
    }

    static let tokens: [APITokenSummary] = [
        token(70, "shop backend", [.consent, .usage], app: alpha.id, expires: now + .days(165), used: "2026-06-15"),
        token(71, "reports", [.cases], expires: now + .days(5), used: "2026-06-02"),
        token(72, "", [.all], expires: nil), token(73, "old", [.usage], expires: now - .days(1)),
    ]

    static let tenantLines: [TenantLine] = [
        TenantLine(
            tenant: Tenant(id: tenant, slug: "alpha", name: "Alpha Games"), createdAt: now - .days(300), apps: 2,
            members: 3),
        TenantLine(
            tenant: Tenant(id: TenantID(rawValue: 2), slug: "fresh", name: "Fresh"), createdAt: now, hasOwner: false),
        TenantLine(
            tenant: Tenant(id: TenantID(rawValue: 3), slug: "gone", name: "Gone"), createdAt: now - .days(500),
            closedAt: now - .days(2), apps: 1, members: 1),
    ]

    static let auditLines: [AuditLine] = [
        entry(
            9, .person(PersonID(rawValue: id(1))), "member.role-changed", "person \(id(5).uuidString.lowercased())",
            ["role.before": "support", "role.after": "viewer"]),
        entry(
            8, .commandLine, "token.added", "token \(id(70).uuidString.lowercased())",
            ["scopes": "consent usage", "app": .number(11), "expires": "2027-06-15T12:00:00.123Z"]),
        entry(7, .program, "app.apple-id-learned", "app 11", ["appAppleId": .number(6_450_000_001)]),
        entry(6, .token(id(70)), "something.new", "thing 4", [:]),
    ]

    private static func entry(
        _ n: Int64, _ actor: AuditEntry.Actor, _ action: String, _ subject: String, _ detail: [String: AuditEntry.Value]
    ) -> AuditLine {
        AuditLine(
            AuditEntry(
                tenant: tenant, at: signed, actor: actor, address: n == 9 ? "2001:db8::7" : nil, action: action,
                subject: subject, detail: detail), sequence: n)
    }

    static var auditNames: AuditNames {
        var names = AuditNames()
        names.people = [id(1): "sam@alpha.example", id(5): "vera@alpha.example"]
        names.tokens = [id(70): "shop backend"]
        names.apps = [11: "Alpha"]
        return names
    }

    static let checks: [Check] = [
        .ok("audit alpha", "9 entries, head 3f9a0c115e7b42d8"),
        .warn("app alpha/com.example.alpha notifications", "none has arrived yet"),
        .fail("app alpha/com.example.alpha.lite key", "there is no signing key"),
    ]

    /// Pages of people, tokens, the log, checks and tenants.
    static func peoplePages(_ assets: AssetLinks) -> [(name: String, html: HTML)] {
        let (slug, stranger) = ("alpha", Frame(assets: assets))
        func frame(_ here: Site) -> Frame { Frame(assets: assets, session: session, tenant: owner, here: here) }
        func people(made: NewInvitation? = nil, trouble: String? = nil, role: Role = .owner) -> PeoplePage {
            PeoplePage(
                frame: frame(.people(slug)), slug: slug, me: PersonID(rawValue: id(1)), role: role, members: members,
                invitations: invitations, origin: "https://refunds.example", now: now, made: made, trouble: trouble)
        }
        func tokensPage(_ all: [APITokenSummary], made: NewAPIToken? = nil) -> TokensPage {
            TokensPage(
                frame: frame(.tokens(slug)), slug: slug, tokens: all,
                makers: [PersonID(rawValue: id(1)): "sam@alpha.example"], apps: [alpha, beta], now: now, made: made)
        }
        func log(_ lines: [AuditLine], _ standing: AuditStanding?, next: Int64? = nil) -> AuditLogPage {
            AuditLogPage(
                frame: frame(.audit(slug, AuditListQuery())), slug: slug, query: AuditListQuery(),
                page: AuditPage(lines: lines, next: next, names: auditNames), standing: standing, members: members)
        }
        var wrong = people()
        wrong.invited = .init(email: "x", role: .viewer, error: "That is no e-mail address.")
        var refused = tokensPage(tokens)
        refused.wanted = .init(
            name: "shop", scopes: ["usage"], errors: ["scope": "Name at least one.", "name": "Too long."])
        let made = NewAPIToken(
            token: tokens[0].token, text: Redacted("rd_Zk709xs4mpl3T0k3nOfTheApi0000000000000000000"),
            expiresAt: now + .days(365))
        func invited(_ standing: InvitationPage.Standing, _ error: String? = nil) -> HTML {
            InvitationPage(frame: stranger, token: "abc", standing: standing, error: error).html
        }
        return [
            ("people", people(made: invitation).html), ("people-of-an-admin", people(role: .admin).html),
            ("people-refused", people(trouble: "A tenant keeps at least one owner.").html),
            ("people-invited-wrong", wrong.html),
            ("invitation-join", invited(.join(standing), "At least 10 characters.")),
            ("invitation-sign-in", invited(.signIn(standing))),
            ("invitation-accept", invited(.accept(standing, as: "sam@alpha.example"), "You are a member already.")),
            ("invitation-dead", invited(.dead)),
            ("tokens", tokensPage(tokens, made: made).html), ("tokens-empty", tokensPage([]).html),
            ("tokens-refused", refused.html),
            (
                "audit",
                log(auditLines, .whole(AuditHead(sequence: 9, hash: [UInt8](repeating: 63, count: 32))), next: 6).html
            ),
            ("audit-changed", log(auditLines, .changed(at: 4)).html), ("audit-cut", log([], .cut(after: 4)).html),
            ("checks", ChecksPage(frame: frame(.checks(slug)), slug: slug, checks: checks).html),
        ]
    }
}
