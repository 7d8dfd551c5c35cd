import FoundationEssentials
import Refunds
import Time

@testable import Tenants
@testable import Web

/// Valid models of the page about Advanced Commerce and of the register, for tests to spoil.
enum CommerceSamples {
    static let site = Site.commerceAccess("alpha", bundleID: Samples.alpha.bundleID, done: nil)

    static let refusal = CommerceAccess.Refusal(
        call: .refund, request: Samples.id(70), status: 403, code: 4_039_999, message: "<b>No addendum</b>",
        body: Array(#"{"errorCode":4039999,"errorMessage":"<b>No addendum</b>"}"#.utf8) + [0xFF], at: Samples.signed)

    static func access(
        _ environment: AppEnvironment = .production, _ change: (inout CommerceAccess) -> Void = { _ in }
    ) -> CommerceAccess {
        var access = CommerceAccess(app: Samples.alpha.id, environment: environment)
        change(&access)
        return access
    }

    static let member = MemberLine(
        person: Person(id: PersonID(rawValue: Samples.id(1)), email: "sam@alpha.example", isInstallation: false),
        role: .support, hasPassword: true, hasSecondFactor: false, seenAt: nil, since: Samples.signed)

    /// Nothing is known and nothing set.
    static let begun = CommerceAccessModel(
        app: Samples.alpha, access: [access(.production), access(.sandbox)], queues: [], isUsed: false,
        members: [member])

    /// Production stopped, Sandbox open, everything set.
    static let stopped: CommerceAccessModel = {
        var model = begun
        model.isUsed = true
        model.access = [
            access(.production) {
                $0.approvedAs = .addOns
                $0.approvedBy = member.person.id
                $0.approvedAt = Samples.signed - .days(3)
                $0.addendum = .refused
                $0.refusal = refusal
                $0.stoppedAt = Samples.signed
            },
            access(.sandbox) {
                $0.addendum = .accepted
                $0.addendumVersion = "2026-02"
                $0.addendumOn = "2026-03-01"
                $0.decidedBy = member.person.id
                $0.wentThroughAt = Samples.signed
                $0.refusal = refusal
            },
        ]
        model.queues = [
            CommerceQueue(
                app: Samples.alpha.id, environment: .production, depth: 7, oldestAt: Samples.signed,
                callsInLastHour: 12,
                callsPerHour: 18_000, pausedUntil: nil, why: nil, stoppedAt: Samples.signed),
            CommerceQueue(
                app: Samples.alpha.id, environment: .sandbox, depth: 0, oldestAt: nil, callsInLastHour: 0,
                callsPerHour: 1800, pausedUntil: Samples.now + .minutes(2), why: "Apple asked for no more calls",
                stoppedAt: nil),
        ]
        model.checklist = CommerceChecklist(
            refundPath: "Settings, Purchases", approvalsOwner: member.person.id, canReply: true)
        model.limits = ["EUR": 25_000, "JPY": 3_000_000]
        model.costs = [
            SKUCost(sku: "lesson.piano", kind: .payout, milliunits: 4_200, currency: "EUR", note: "to the teacher"),
            SKUCost(sku: "lesson.piano", kind: .compute, milliunits: 120, currency: "USD"),
        ]
        return model
    }()

    static func page(
        _ model: CommerceAccessModel, canChange: Bool = true, assets: AssetLinks = .none
    ) -> CommerceAccessPage {
        CommerceAccessPage(
            frame: SetupSamples.frame(site, assets: assets), slug: "alpha", model: model, canChange: canChange,
            now: Samples.now)
    }

    // MARK: The register

    static let tally = RegisterTally(asked: 9, refunded: 6, declined: 2, failed: 1, sold: 480)

    static let summary: RegisterSummary = {
        var summary = RegisterSummary()
        summary.total = tally
        summary.refundedAmounts = ["EUR": 59_940, "JPY": 1_200_000]
        summary.months = [("2026-06", tally), ("2026-05", RegisterTally(sold: 512))]
        summary.apps = [(Samples.alpha.id, tally), (Samples.beta.id, RegisterTally(sold: 3))]
        summary.reasons = [(.unsatisfiedWithPurchase, tally), (.modifyItemsRefund, RegisterTally(asked: 1))]
        return summary
    }()

    static func entry(
        _ n: Int, _ kind: CommerceKind = .refund, _ state: CommerceRequestState = .refunded, sku: String? = "addon.a",
        type: CommerceRefundType? = .full, amount: Int64? = nil, app: App = Samples.alpha
    ) -> RegisterEntry {
        RegisterEntry(
            request: Samples.id(n), app: app.id, environment: .production, kind: kind, state: state,
            transactionID: "2000000900000012", productID: "subscription", askedAt: Samples.signed, sku: sku,
            reason: kind == .cancel ? nil : .unsatisfiedWithPurchase, type: type, amount: amount, price: 9_990,
            currency: "EUR", storefront: "DEU", revoke: kind == .refund ? true : nil,
            refundedAmount: state == .refunded ? 9_990 : nil, refundedAt: state == .refunded ? Samples.signed : nil,
            appleStatus: state == .failed ? 403 : nil, appleCode: state == .failed ? 4_030_021 : nil)
    }

    static func register(
        lines: [RegisterLine] = [
            RegisterLine(
                month: "2026-06", app: Samples.alpha.id, sku: "addon.a", reason: .unsatisfiedWithPurchase, tally: tally,
                refundedAmounts: ["EUR": 59_940])
        ],
        entries: [RegisterEntry] = [
            entry(80), entry(81, .refund, .queued, type: .custom, amount: 4_500),
            entry(82, .refund, .failed, type: .prorated), entry(83, .revoke, .declined, sku: nil),
            entry(84, .cancel, .accepted, sku: nil, type: nil),
        ], summary: RegisterSummary = summary, query: RegisterListQuery = RegisterListQuery(),
        assets: AssetLinks = .none
    ) -> RegisterPage {
        RegisterPage(
            frame: SetupSamples.frame(.register("alpha", query), assets: assets), slug: "alpha", query: query,
            apps: [Samples.alpha, Samples.beta], summary: summary, lines: lines, allLines: lines.count,
            requests: (entries, entries.isEmpty ? nil : ListCursor(at: Samples.signed, id: Samples.id(84))),
            now: Samples.now)
    }

    static func pages(assets: AssetLinks) -> [(name: String, html: HTML)] {
        var sandbox = RegisterListQuery()
        sandbox.environment = "Sandbox"
        var refused = page(stopped, assets: assets)
        refused.answer = CommerceAnswer(
            part: .addendum, environment: .production, tone: .bad, text: "Nothing was changed.",
            fields: ["version": "<2>", "on": ""], wrong: ["on": "A day is written as 2026-03-01."])
        return [
            ("commerce-access", page(begun, assets: assets).html),
            ("commerce-access-stopped", page(stopped, assets: assets).html),
            ("commerce-access-wrong", refused.html),
            ("commerce-access-viewer", page(stopped, canChange: false, assets: assets).html),
            ("register", register(assets: assets).html),
            ("register-sandbox", register(query: sandbox, assets: assets).html),
            (
                "register-empty",
                register(lines: [], entries: [], summary: RegisterSummary(), assets: assets).html
            ),
        ]
    }
}
