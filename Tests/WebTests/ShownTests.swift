import Refunds
import Tenants
import Testing
import Time

@testable import Web

/// Words on pages that a person must find there.
@Suite struct `What is shown` {
    private static func page(_ story: CaseStory) -> String {
        CaseStoryPage(frame: Samples.frame(), slug: "alpha", story: story, now: Samples.now).html.string
    }

    private static func story(
        _ line: CaseLine = Samples.line(10), purchase: CaseStory.Purchase? = nil, rounds: [CaseStory.Round] = [],
        facts: [CaseStory.Fact] = [], notifications: [NotificationLine] = []
    ) -> CaseStory {
        CaseStory(
            line: line, bundleID: Samples.alpha.bundleID, appName: Samples.alpha.name, purchase: purchase,
            rounds: rounds, facts: facts, consents: [], usage: [], remarks: [], notifications: notifications)
    }

    private static func notification(_ line: NotificationLine, payload: String = "{}") -> String {
        NotificationStoryPage(
            frame: Samples.frame(), slug: "alpha",
            story: NotificationStory(line: line, payload: payload, parts: [], caseID: nil), app: Samples.alpha
        ).html.string
    }

    private static func list(_ line: NotificationLine) -> String {
        NotificationListPage(
            frame: Samples.frame(), slug: "alpha", query: NotificationListQuery(),
            page: NotificationPage(notifications: [line], next: nil), apps: [Samples.alpha], now: Samples.now
        ).html.string
    }

    @Test func `BL-001: a test notification is the proof that the address works`() {
        let test = Samples.notification(105, type: "TEST", standing: .nothingToDo, isSandbox: true, transaction: nil)
        #expect(Self.notification(test).contains("The address works."))
        #expect(Self.list(test).contains(">TEST<") && !Self.list(test).contains("Not understood"))
    }

    @Test func `BL-011: a type that nobody knows is shown as not understood, in its own words`() {
        let new = Samples.notification(106, type: "SOMETHING_NEW_2031", standing: .nothingToDo, subtype: "ODD")
        let page = Self.notification(new, payload: #"{"data":{"foo":{"a":[1,{}]}}}"#)
        #expect(page.contains("Not understood") && page.contains("SOMETHING_NEW_2031") && page.contains("ODD"))
        #expect(page.contains("{&quot;a&quot;:[1,{}]}"))
        #expect(Self.list(new).contains("Not understood") && !Self.list(new).contains("Nothing to do"))
        let known = Samples.notification(107, type: "DID_RENEW", standing: .nothingToDo)
        #expect(!Self.notification(known).contains("Not understood"))
    }

    @Test func `BL-014: a refusal is told with Apple's code and words`() {
        let refused = Samples.round(
            state: .refused,
            attempts: [
                Samples.attempt(1, .refused, after: .seconds(1), status: 400, code: 4_000_047, message: "not supported")
            ])
        let page = Self.page(Self.story(Samples.line(10, state: .refused), rounds: [refused]))
        #expect(page.contains("Apple refused our reply for good (4000047)."))
        #expect(page.contains("code 4000047") && page.contains("not supported"))
    }

    @Test func `BL-021, BL-040: refund, reversal and a renewal delivered late are steps of the story, by their names`()
    {
        let facts = [
            CaseStory.Fact(id: Samples.id(1), kind: .refund, signedAt: Samples.signed, learnedAt: Samples.signed),
            CaseStory.Fact(
                id: Samples.id(2), kind: .seen, signedAt: Samples.signed - .minutes(10),
                learnedAt: Samples.signed + .minutes(1)),
            CaseStory.Fact(
                id: Samples.id(3), kind: .reversed, signedAt: Samples.signed + .hours(1),
                learnedAt: Samples.signed + .hours(1)),
        ]
        let page = Self.page(
            Self.story(
                Samples.line(17, state: .unasked, outcome: .reversed), facts: facts,
                notifications: [Samples.notification(2, type: "DID_RENEW", at: Samples.signed - .minutes(10))]))
        let steps = ["Apple notified: DID_RENEW", "<strong>Apple refunded", "<strong>Apple took the refund back"]
        let places = steps.map { page.firstRange(of: $0)?.lowerBound }
        #expect(!places.contains(nil))
        #expect(places.compactMap { $0 } == places.compactMap { $0 }.sorted())
        #expect(!page.contains("newer signed form"))
    }

    @Test func `BL-022: a case without a token says that the buyer is unknown`() {
        let known = Samples.line(10)
        let unknown = CaseLine(
            id: known.id, app: known.app, isSandbox: false, transactionID: known.transactionID,
            originalTransactionID: known.originalTransactionID, productID: known.productID, customer: nil,
            state: .answered, stateReason: nil, outcome: .pending, reason: nil, price: known.price,
            currency: known.currency, listedAt: known.listedAt, deadline: known.deadline)
        #expect(Self.page(Self.story(unknown)).contains("buyer unknown"))
        #expect(!Self.page(Self.story(known)).contains("buyer unknown"))
    }

    @Test func `BL-046: the tenant's first page says to switch to version 2`() {
        let page = OverviewPage(
            frame: Samples.frame(), slug: "alpha", name: "Alpha Games", overview: Samples.overview, now: Samples.now
        ).html.string
        #expect(page.contains("Version 1 notification: 12 refused in the last day."))
        #expect(page.contains("switch to version 2"))
    }

    @Test func `BL-087: a purchase whose record has no bundle id is remarked on`() {
        let old = CaseStory.Purchase(signedAt: Samples.signed, isBundleIDMissing: true)
        #expect(Self.page(Self.story(purchase: old)).contains("names no bundle ID"))
        #expect(!Self.page(Self.story(purchase: CaseStory.Purchase(signedAt: Samples.signed))).contains("bundle ID."))
    }
}
