import Crypto
import FoundationEssentials
import Tenants
import Testing
import Time

@testable import Refunds

@Suite struct `What a round of looking changes` {
    let now = Moment(seconds: 1_780_000_000)

    private func finding(_ cause: String = "a", _ severity: Severity = .error, rule: IncidentRule = .relayFailing)
        -> Finding
    {
        Finding(rule, cause: cause, severity, .relayFailing(app: "com.a", said: "HTTP 500", waiting: 1))
    }

    private func incident(
        _ cause: String = "a", clear: Moment? = nil, closed: Moment? = nil, reopened: Int = 0
    ) -> Incident {
        Incident(
            id: Random.uuid(), tenant: TenantID(rawValue: 1), rule: .relayFailing, cause: cause, severity: .error,
            title: "t", effect: "e", firstStep: "f", openedAt: now - .hours(1), seenAt: now, clearSince: clear,
            closedAt: closed, reopened: reopened)
    }

    private func changes(
        _ findings: [Finding], open: [Incident] = [], closed: [Incident] = [],
        looked: Set<IncidentRule> = [.relayFailing]
    ) -> [IncidentPlan.Change] {
        IncidentPlan.changes(findings, looked: looked, open: open, closed: closed, at: now)
    }

    @Test func `one cause is opened once, however often it is found`() {
        #expect(changes([finding(), finding()]) == [.open(finding())])
        let known = incident()
        #expect(changes([finding()], open: [known]) == [.seen(known, finding())])
    }

    @Test func `what is not found any more closes after a while, and not at the first look`() {
        let known = incident()
        #expect(changes([], open: [known]) == [.clearing(known)])
        let clearing = incident(clear: now - .seconds(29))
        #expect(changes([], open: [clearing]) == [])
        let clear = incident(clear: now - .seconds(30))
        #expect(changes([], open: [clear]) == [.close(clear)])
    }

    @Test func `what could not be looked at stays as it is`() {
        #expect(changes([], open: [incident(clear: now - .hours(1))], looked: []) == [])
    }

    @Test func `what comes back within an hour is the same incident`() {
        let known = incident(closed: now - .minutes(30))
        #expect(changes([finding()], closed: [known]) == [.reopen(known, finding())])
        #expect(changes([finding("b")], closed: [known]) == [.open(finding("b"))])
    }

    @Test func `what comes and goes is given longer each time before it counts as gone`() {
        let settling = (0...6).map { incident(reopened: $0).settling }
        #expect(
            settling == [
                .seconds(30), .minutes(2), .minutes(8), .minutes(30), .minutes(30), .minutes(30), .minutes(30),
            ])
    }

    @Test func `a deadline stands under the open cause that explains it, which is as bad as it`() {
        let app = AppID(rawValue: 7)
        let risk = Finding(
            .deadlineAtRisk, cause: "Production a", app: app, .critical,
            .deadlineAtRisk(app: "com.a", count: 2, leftSeconds: 7080), cases: [Random.uuid(), Random.uuid()],
            money: ["USD": 5000])
        let refused = IncidentSentence.credentialsRefused(
            key: "ABC123", apps: ["com.a"], waiting: WaitingRequests(count: 0, leftSeconds: nil))
        let cause = Finding(
            .credentialsRefused, cause: "key", app: app, .error, refused, cases: [risk.cases[0]], money: ["USD": 2000])
        let folded = Finding.fold([cause, risk])
        #expect(folded.map(\.rule) == [.credentialsRefused])
        #expect(folded[0].severity == .critical && folded[0].caseCount == 2 && folded[0].money == ["USD": 5000])
        #expect(folded[0].said.effect == "\(cause.said.effect) \(risk.said.effect)")
        let elsewhere = Finding(
            .credentialsRefused, cause: "key", app: AppID(rawValue: 8), .error, refused)
        #expect(Finding.fold([elsewhere, risk]).map(\.rule) == [.credentialsRefused, .deadlineAtRisk])
        #expect(Finding.fold([risk]) == [risk])
    }

    @Test func `a storm of one rule is one incident`() {
        let five = (1...5).map { finding("app \($0)") }
        #expect(Finding.fold(five) == five)
        let fifty = Finding.fold((1...50).map { finding("app \($0)", $0 == 9 ? .critical : .error) })
        #expect(fifty.count == 1 && fifty[0].cause == "many" && fifty[0].severity == .critical)
        #expect(fifty[0].said.title.contains("49 more"))
    }

    @Test func `a dedup key is plain, short and the same for the same cause`() {
        let key = incident("Production com.example.app").dedupKey(tenant: "acme")
        #expect(key == "refund/acme/relay-failing/Production_com.example.app")
        let long = incident(String(repeating: "x", count: 300)).dedupKey(tenant: "acme")
        #expect(long.utf8.count <= 255 && long == incident(String(repeating: "x", count: 300)).dedupKey(tenant: "acme"))
        #expect(incident("é").dedupKey(tenant: "acme").utf8.allSatisfy { $0 < 0x7F })
    }
}

@Suite struct `The rhythm of an app` {
    let now = Moment(seconds: 1_780_000_000)

    /// 500 a day, two a week, and weekdays only, over four weeks, at times that differ a little.
    static let rhythms: [(name: String, gaps: [Duration])] = [
        ("500 a day", (0..<14_000).map { .seconds(140 + Int64($0 % 7) * 10) }),
        ("two a week", (0..<9).map { .hours(72 + Int64($0 % 3) * 12) }),
        (
            "weekdays",
            (0..<20).flatMap { day in (0..<8).map { _ in Duration.hours(1) } + [.hours(day % 5 == 4 ? 64 : 16)] }
        ),
    ]

    private func moments(_ gaps: [Duration]) -> [Moment] {
        var moments = [now]
        for gap in gaps.reversed() { moments.append(moments[moments.count - 1] - gap) }
        return moments
    }

    @Test(arguments: rhythms)
    func `its stop is noticed within twice the usual longest gap, and thirty quiet days raise nothing`(
        name: String, gaps: [Duration]
    ) throws {
        let usual = try #require(Rhythm.usualGap(moments(gaps), at: now))
        let known = moments(gaps).filter { now - $0 <= Rhythm.remembered }.count - 1
        #expect(usual == gaps.suffix(known).max())
        #expect(Rhythm.isSilent(since: now, usualGap: usual, at: now + max(Rhythm.shortest * 2, usual * 2)))
        for gap in gaps { #expect(!Rhythm.isSilent(since: now - gap, usualGap: usual, at: now)) }
    }

    @Test func `a new app has none`() {
        #expect(Rhythm.usualGap((0..<6).map { now - .hours(Int64($0)) }, at: now) == nil)
        #expect(Rhythm.usualGap([], at: now) == nil)
    }
}
