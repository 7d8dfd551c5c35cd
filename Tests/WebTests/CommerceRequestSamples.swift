import FoundationEssentials
import Time

@testable import Refunds
@testable import Tenants
@testable import Web

extension CommercePurchase {
    /// What `SamplePurchase` amounts to.
    static let sample = CommercePurchase(
        environment: .production, transactionID: "2000000900000701", originalTransactionID: "2000000900000701",
        productID: "generic", isSubscription: true,
        items: [
            Item(sku: "base", displayName: "Base plan", price: 4990),
            Item(sku: "addon.a", displayName: "Extra <voices>", price: 3000), Item(sku: "addon.b", price: 2000),
        ], price: 9990, currency: "EUR", storefront: "DEU", purchasedAt: Samples.signed - .days(3),
        expiresAt: Samples.signed + .days(27), autoRenews: true, signedAt: Samples.signed - .days(3))
}

/// Valid models of the pages of requests to Apple, for tests to spoil.
enum CommerceRequestSamples {
    static let items = [
        CommerceItem(sku: "addon.a", refundReason: .unsatisfiedWithPurchase, refundType: .full, revoke: true),
        CommerceItem(
            sku: "addon.b", refundReason: .fulfillmentIssue, refundType: .custom, refundAmount: 1250, revoke: false),
    ]

    static func request(
        _ state: CommerceRequestState, reason: CommerceStateReason? = nil, kind: CommerceKind = .refund,
        attempts: [CommerceAttempt]? = nil, answer: CommerceRequest.Answer? = nil, n: Int = 200
    ) -> CommerceRequest {
        let isRefunded = state == .refunded
        return CommerceRequest(
            tenant: Samples.tenant, app: Samples.alpha.id, id: Samples.id(n), environment: .production, kind: kind,
            transactionID: "2000000900000701", originalTransactionID: "2000000900000701", productID: "generic",
            requestReferenceID: Samples.id(n + 1), state: state, stateReason: reason,
            items: kind == .refund
                ? items.map {
                    CommerceRequest.Item(
                        asked: $0, price: 3000, refundedAmount: isRefunded ? 3000 : nil,
                        refundedAt: isRefunded ? Samples.now : nil,
                        revokedAt: isRefunded && $0.revoke ? Samples.now : nil)
                } : [], refundReason: kind == .revoke ? .other : nil, refundType: kind == .revoke ? .prorated : nil,
            refundRiskingPreference: kind == .cancel ? nil : true, currency: "EUR", purchaseCurrency: "EUR",
            storefront: nil,
            amountEstimate: 4250, note: "She wrote <to> us.", body: Array("{}".utf8), askedAt: Samples.signed,
            askedBy: PersonID(rawValue: Samples.id(1)), askedByToken: nil,
            submittedAt: state == .draft ? nil : Samples.signed + .minutes(1), submittedBy: nil, submittedByToken: nil,
            needsApproval: state == .awaitingApproval, approvedBy: nil, approvedAt: nil,
            cancelledBy: state == .cancelled ? PersonID(rawValue: Samples.id(1)) : nil,
            cancelledAt: state == .cancelled ? Samples.now : nil, caseID: Samples.id(10), roundID: Samples.id(101),
            answer: answer, attempts: attempts ?? self.attempts(state), listedAt: Samples.signed,
            changedAt: Samples.now, version: 1)
    }

    private static func attempts(_ state: CommerceRequestState) -> [CommerceAttempt] {
        let at = Samples.signed + .minutes(2)
        switch state {
        case .draft, .awaitingApproval, .queued, .cancelled: return []
        case .sending: return [CommerceAttempt(number: 1, startedAt: at)]
        case .accepted, .refunded, .declined:
            return [
                CommerceAttempt(
                    number: 1, startedAt: at, endedAt: at + .seconds(1), result: .unknown, trouble: "timed out"),
                CommerceAttempt(
                    number: 2, startedAt: at + .minutes(1), endedAt: at + .minutes(2), result: .accepted, status: 200),
            ]
        case .failed, .pendingAtApple:
            return [
                CommerceAttempt(
                    number: 1, startedAt: at, endedAt: at + .seconds(1), result: .refused, status: 403,
                    code: state == .failed ? 4_030_021 : 4_000_181, message: "Already refunded.")
            ]
        }
    }

    static func page(
        _ state: CommerceRequestState, reason: CommerceStateReason? = nil, kind: CommerceKind = .refund,
        assets: AssetLinks = .none
    ) -> CommerceRequestPage {
        let refused = CommerceRequest.Answer(
            status: 403, code: 4_030_021, message: "Already refunded.", body: [], at: Samples.now)
        let odd = CommerceRequest.Answer(
            status: 403, code: 4_039_999, message: nil, body: Array(#"{"odd":true}"#.utf8), at: Samples.now)
        let request = request(
            state, reason: reason, kind: kind, answer: reason == .doubted ? odd : state == .failed ? refused : nil)
        let facts: [CommerceFact] =
            switch state {
            case .refunded:
                [
                    CommerceFact(
                        id: Samples.id(102), kind: .refunded, sku: "addon.a", signedAt: Samples.now, amount: 3000,
                        refundedAt: Samples.now, revokedAt: Samples.now)
                ]
            case .declined: [CommerceFact(id: Samples.id(102), kind: .declined, signedAt: Samples.now)]
            default: []
            }
        var names = AuditNames()
        names.people[Samples.id(1)] = "sam@alpha.example"
        return CommerceRequestPage(
            frame: frame(.commerceRequest("alpha", request.id), assets), slug: "alpha",
            story: CommerceStory(
                request: request, facts: facts, turn: state == .queued ? .init(place: 2, depth: 5) : nil,
                stoppedAt: reason == .doubted ? Samples.now : nil, currency: "EUR",
                names: ["addon.a": "Extra <voices>"]), app: Samples.alpha, names: names,
            me: PersonID(rawValue: Samples.id(1)), now: Samples.now)
    }

    private static func frame(_ site: Site, _ assets: AssetLinks) -> Frame { Samples.frame(site, assets: assets) }

    static let query = PurchaseQuery(
        app: Samples.alpha.bundleID, environment: .production, transaction: "2000000900000701")

    private static func new(
        _ kind: CommerceKind?, _ assets: AssetLinks, purchase: CommercePurchase = .sample,
        troubles: [CommerceForm.Trouble] = []
    ) -> NewCommercePage {
        var page = NewCommercePage(
            frame: frame(.newCommerceRequest("alpha", query.of(kind)), assets), slug: "alpha",
            apps: [Samples.alpha, Samples.beta], query: query.of(kind), now: Samples.now)
        page.purchase = purchase
        page.app = Samples.alpha
        page.form = kind.map { CommerceForm($0, for: purchase, of: Samples.alpha) }
        page.troubles = troubles
        return page
    }

    private static func preview(_ assets: AssetLinks) -> HTML {
        var form = CommerceForm(.refund, for: .sample, of: Samples.alpha)
        form.note = "She wrote to us."
        var intention = CommerceIntention(
            kind: .refund, environment: .production, transactionID: "2000000900000701", items: items,
            refundRiskingPreference: true)
        intention.items[0].refundType = .prorated
        return CommercePreviewPage(
            frame: frame(.commercePreview("alpha"), assets), slug: "alpha", app: Samples.alpha, form: form,
            purchase: .sample,
            preview: CommercePreview(
                intention, of: .sample,
                costs: [
                    SKUCost(sku: "addon.a", kind: .licence, milliunits: 900, currency: "EUR", note: "voice licence")
                ], at: Samples.now), needsApproval: true, warnings: ["Part of this was refunded before."],
            isUnseen: true
        ).html
    }

    private static func list(_ requests: [CommerceRequest], _ assets: AssetLinks, isFiltered: Bool = false) -> HTML {
        var query = CommerceListQuery()
        if isFiltered { query.state = .failed }
        return CommerceListPage(
            frame: frame(.commerceRequests("alpha", query), assets), slug: "alpha", query: query,
            page: CommercePage(requests: requests, next: nil), apps: [Samples.alpha, Samples.beta],
            queues: requests.isEmpty
                ? []
                : [
                    CommerceQueue(
                        app: Samples.alpha.id, environment: .production, depth: 12, oldestAt: Samples.signed,
                        callsInLastHour: 40, callsPerHour: 18000, pausedUntil: nil, why: nil,
                        stoppedAt: Samples.signed),
                    CommerceQueue(
                        app: Samples.alpha.id, environment: .sandbox, depth: 0, oldestAt: nil, callsInLastHour: 0,
                        callsPerHour: 1800, pausedUntil: Samples.now + .minutes(1), why: "Apple asked for no more",
                        stoppedAt: nil),
                    CommerceQueue(
                        app: Samples.beta.id, environment: .production, depth: 1, oldestAt: Samples.signed,
                        callsInLastHour: 1, callsPerHour: 18000, pausedUntil: nil, why: nil, stoppedAt: nil),
                ], now: Samples.now
        ).html
    }

    /// Every form of the pages there is, by a name for its picture.
    static func pages(assets: AssetLinks = .none) -> [(name: String, html: HTML)] {
        var lookUp = new(nil, assets)
        lookUp.purchase = nil
        lookUp.notFound = "Apple says: 404."
        lookUp.notice = Notice(.attention, "The purchase could not be looked up.", more: "Apple is away.")
        var spent = CommercePurchase.sample
        spent.items[0].refunds = [.init(amount: 4990, at: Samples.signed)]
        spent.items[1].refunds = [.init(amount: 1000, at: Samples.signed)]
        spent.items[2].revokedAt = Samples.signed
        spent.caseID = Samples.id(10)
        spent.openRequests = [
            .init(id: Samples.id(200), kind: .refund, transactionID: "2000000900000701", state: .accepted)
        ]
        var plain = CommercePurchase.sample
        plain.isAdvancedCommerce = false
        let wrong: [CommerceForm.Trouble] = [
            .init(field: "", text: "Another request is in the queue."), .init(field: "items", text: "Choose one."),
            .init(field: "take-1", text: "There is no such item."), .init(field: "reason-1", text: "Choose a reason."),
            .init(field: "amount-1", text: "EUR has 2 decimals."), .init(field: "note", text: "Say why."),
            .init(field: "risking", text: "Choose one of the two."),
        ]
        var story = CaseStoryPage(
            frame: Samples.frame(assets: assets), slug: "alpha", story: Samples.story, now: Samples.now)
        story.commerce = CaseCommerce(
            requests: [request(.accepted), request(.failed, kind: .revoke, n: 210)], ask: query)
        let states: [(name: String, html: HTML)] = CommerceRequestState.allCases.map { state in
            ("commerce-\(state.rawValue)", page(state, assets: assets).html)
        }
        return states + [
            ("commerce-doubted", page(.queued, reason: .doubted, assets: assets).html),
            ("commerce-cancelled-subscription", page(.accepted, kind: .cancel, assets: assets).html),
            (
                "commerce-list",
                list(
                    CommerceRequestState.allCases.enumerated().map { request($1, n: 200 + 2 * $0) }, assets)
            ),
            ("commerce-empty", list([], assets)), ("commerce-filtered", list([], assets, isFiltered: true)),
            ("commerce-look-up", lookUp.html), ("commerce-kinds", new(nil, assets, purchase: spent).html),
            ("commerce-plain", new(nil, assets, purchase: plain).html),
            ("commerce-refund", new(.refund, assets).html),
            ("commerce-refund-wrong", new(.refund, assets, purchase: spent, troubles: wrong).html),
            ("commerce-revoke", new(.revoke, assets).html), ("commerce-cancel", new(.cancel, assets).html),
            ("commerce-preview", preview(assets)), ("case-with-requests", story.html),
        ]
    }
}
