import FoundationEssentials
import Refunds
import Tenants
import Testing
import Time

@testable import Web

@Suite struct `Addresses` {
    /// One of each, with everything an address can carry.
    static let all: [Site] = {
        var cases = CaseListQuery()
        cases.state = .held
        cases.outcome = .declined
        cases.reason = "none"
        cases.app = "com.example.a b&c"
        cases.environment = "Sandbox"
        cases.assigned = .mine
        cases.lookUp = "100% <näh>/?#"
        cases.preference = .factsOnly
        cases.why = .deliveryUnreported
        cases.from = "2025-07"
        cases.to = "2026-06"
        cases.after = ListCursor(at: Samples.signed, id: Samples.id(7))
        var outcomes = OutcomeListQuery()
        outcomes.month = "2026-03"
        outcomes.app = "com.example.a b&c"
        outcomes.environment = "Sandbox"
        var notifications = NotificationListQuery()
        notifications.after = cases.after
        var refusals = RefusalListQuery()
        refusals.after = RefusalCursor(at: Samples.signed, number: 12)
        var audit = AuditListQuery()
        audit.who = .person(Samples.id(6))
        audit.action = "member.added"
        audit.subject = "app 7"
        audit.from = "2026-06-01"
        audit.to = "2026-06-15"
        audit.before = 51
        var register = RegisterListQuery()
        register.month = "2026-03"
        register.app = "com.example.a b&c"
        register.environment = "Rehearsal"
        register.page = 3
        register.after = cases.after
        var requests = CommerceListQuery()
        requests.state = .pendingAtApple
        requests.kind = .revoke
        requests.app = cases.app
        requests.environment = "Production"
        requests.transaction = cases.lookUp
        requests.after = cases.after
        let purchase = PurchaseQuery(
            app: "com.example.a b&c", environment: .sandbox, transaction: "1 <2>", kind: .cancel)
        return [
            .commerceRequests("alpha", requests), .newCommerceRequest("alpha", purchase), .purchaseLookUp("alpha"),
            .commercePreview("alpha"), .commerceRequest("alpha", Samples.id(8)),
            .commerceRequestState("alpha", Samples.id(8)), .commerceSubmission("alpha", Samples.id(8)),
            .commerceApproval("alpha", Samples.id(8)), .commerceWithdrawal("alpha", Samples.id(8)),
            .home, .signIn(next: "/t/alpha/cases?state=open"), .signInLink(token: "a-b_c"), .signOut, .password,
            .secondFactor(next: "/t/alpha"), .passkeyChallenge, .passkeySignIn, .firstStart(token: "a-b_c"), .account,
            .accountName, .generators, .generator(Samples.id(3)), .passkeyOffer, .passkeys, .recoveryCodes,
            .factorRemoval(Samples.id(4)), .sessionEnd(Samples.id(5)), .otherSessionsEnd, .tenants,
            .tenantsAfter("a-b&c"),
            .overview("alpha"), .cases("alpha", cases), .refundCase("alpha", Samples.id(1)),
            .notifications("alpha", notifications), .notification("alpha", Samples.id(2)),
            .quarantine("alpha", refusals), .apps("alpha"), .newApp("alpha"),
            .setup("alpha", bundleID: "com.example.alpha", done: .key), .setupState("alpha", bundleID: "new"),
            .setupPart("alpha", bundleID: "com.example.alpha", .consent),
            .held("alpha"), .held("alpha", .nobody), .heldAnswer("alpha", Samples.id(1)),
            .caseNote("alpha", Samples.id(1)), .caseAssignment("alpha", Samples.id(1)),
            .caseBundle("alpha", Samples.id(1)), .caseCustomer("alpha", Samples.id(1)),
            .policy("alpha", bundleID: "com.example.alpha", .now),
            .orders("alpha"),
            .pastImport("alpha", bundleID: "com.example.alpha"),
            .consent("alpha", bundleID: "com.example.alpha", .now),
            .consent("alpha", bundleID: "com.example.alpha", .done(.again)),
            .consentExport("alpha", bundleID: "com.example.alpha", .spreadsheet),
            .consent("alpha", bundleID: "com.example.alpha", .customer("a b&c")),
            .consent("alpha", bundleID: "com.example.alpha", .purchase("2000000900000001")),
            .policy("alpha", bundleID: "com.example.alpha", .version(3)),
            .policy("alpha", bundleID: "com.example.alpha", .saved(4)),
            .policy("alpha", bundleID: "com.example.alpha", .template(.strict)),
            .evidence("alpha", bundleID: "com.example.alpha", .now),
            .evidence("alpha", bundleID: "com.example.alpha", .model),
            .policy("alpha", bundleID: "com.example.alpha", .replay(Samples.id(9))),
            .policy("alpha", bundleID: "com.example.alpha", .done(.shadowStarted)),
            .policyState("alpha", bundleID: "com.example.alpha", Samples.id(9)),
            .customers("alpha", bundleID: "com.example.alpha", customer: "user & 123"),
            .productCosts("alpha", bundleID: "com.example.alpha"), .outcomes("alpha", outcomes),
            .outcomesExport("alpha", outcomes, .products, .spreadsheet),
            .commerceAccess("alpha", bundleID: "com.example.alpha", done: nil),
            .commerceAccess(
                "alpha", bundleID: "com.example.alpha",
                done: CommerceAccessDone(part: .check, environment: .sandbox)),
            .commerceAccessPart("alpha", bundleID: "com.example.alpha", .limitRemoval), .register("alpha", register),
            .registerExport("alpha", register, .rates, .spreadsheet),
            .invitation(token: "a-b_c"), .tenantName(ofTenant: "alpha"),
            .tenantClosure(ofTenant: "alpha"), .tenantReopening(ofTenant: "alpha"), .firstOwner(ofTenant: "alpha"),
            .caseExport("alpha", cases, .spreadsheet), .people("alpha"), .memberRole("alpha", Samples.id(3)),
            .memberRemoval("alpha", Samples.id(3)), .invitations("alpha"), .invitationRenewal("alpha", Samples.id(4)),
            .invitationWithdrawal("alpha", Samples.id(4)), .tokens("alpha"), .tokenRemoval("alpha", Samples.id(5)),
            .audit("alpha", audit), .auditExport("alpha", audit, .plain), .checks("alpha"),
            .alerts("alpha"), .runbook("key-absent"),
            .alertHistory(
                "alpha", before: IncidentCursor(openedAt: Moment(milliseconds: 1_780_000_000_123), id: Samples.id(6))),
            .incident("alpha", Samples.id(6)), .incidentAct("alpha", Samples.id(6), .snooze), .channels("alpha"),
            .channel("alpha", Samples.id(7)), .channelState("alpha", Samples.id(7)),
            .channelTest("alpha", Samples.id(7)),
            .channelRemoval("alpha", Samples.id(7)), .channelConfirmation(token: "t-0_Zz"),
        ]
    }()

    @Test func `every address that is printed is read back`() {
        for site in Self.all { #expect(Site(url: site.url) == site, "\(site.url)") }
        #expect(Set(Self.all.map(\.pattern)) == Set(Site.Pattern.allCases))
    }

    @Test(arguments: [
        "https://evil.example/", "//evil.example", "/\\evil.example", "javascript:alert(1)", "", "cases",
        "/t/alpha/nothing",
        "/t/alpha/cases/not-an-id", "/%zz", "/" + String(repeating: "a", count: 3000),
    ])
    func `what is no address of ours is none`(url: String) {
        #expect(Site(url: url) == nil)
    }

    @Test(arguments: [
        "/t/alpha/cases?state=nonsense&after=1.2&environment=Xcode", "/t/alpha/cases?state=&q=",
        "/t/alpha/cases?app=%00",
    ])
    func `values that nobody knows count as absent`(url: String) {
        #expect(Site(url: url)?.url == "/t/alpha/cases")
    }

    @Test func `a value that nobody knows is noted, so that the page can say so`() {
        guard case .cases(_, let query) = Site(url: "/t/alpha/cases?state=nonsense&environment=Mars&reason=NEW") else {
            Issue.record("no list of cases")
            return
        }
        #expect(query.ignored.map(\.name) == ["state", "environment"])
        #expect(query.ignored.map(\.value) == ["nonsense", "Mars"])
        #expect(query.reason == "NEW" && query.environment == nil)
        guard case .cases(_, let strange) = Site(url: "/t/alpha/cases?month=2026-05"),
            case .outcomes(_, let outcomes) = Site(url: "/t/alpha/outcomes?month=2026-13")
        else {
            Issue.record("neither a list of cases nor outcomes")
            return
        }
        #expect(strange.ignored.map(\.name) == ["month"] && strange.ignored.notice != nil)
        #expect(outcomes.ignored.map(\.value) == ["2026-13"] && outcomes.month == nil)
    }
}
