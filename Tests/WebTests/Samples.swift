import AppStore
import FoundationEssentials
import HTTP
import Journal
import Refunds
import Time

@testable import Tenants
@testable import Web

/// Valid models of every page, for tests to spoil.
enum Samples {
    /// 2026-06-15 12:00:00.123 UTC
    static let signed = Moment(milliseconds: 1_781_524_800_123)
    static let now = signed + .minutes(40)

    static func id(_ n: Int) -> UUID {
        let digits = String(n)
        return UUID(uuidString: "0b9a2f6e-5c1d-4e7a-8f30-" + String(repeating: "0", count: 12 - digits.count) + digits)!
    }

    static let tenant = TenantID(rawValue: 1)
    static let alpha = App(
        tenant: tenant, id: AppID(rawValue: 11), bundleID: "com.example.alpha", appleID: 6_450_000_001, name: "Alpha")
    static let beta = App(
        tenant: tenant, id: AppID(rawValue: 12), bundleID: "com.example.alpha.lite", name: "Alpha Lite",
        consent: .allFrom(signed - .days(200), wording: "We may pass…"))

    static let membership = Membership(tenant: tenant, slug: "alpha", name: "Alpha Games", role: .support)
    static let other = Membership(tenant: TenantID(rawValue: 2), slug: "beta", name: "Beta Works", role: .viewer)
    static let session = Session(
        id: id(900), person: PersonID(rawValue: id(1)), email: "sam@alpha.example", memberships: [membership, other],
        isInstallation: false, startedAt: now - .minutes(5), expiresAt: now + .days(1))
    static let installer = Session(
        id: id(901), person: PersonID(rawValue: id(2)), email: "ops@desk.example", memberships: [],
        isInstallation: true,
        startedAt: now - .minutes(5), expiresAt: now + .days(1))

    /// Of somebody with one tenant.
    static let loneSession = Session(
        id: id(902), person: PersonID(rawValue: id(3)), email: "lee@alpha.example", memberships: [membership],
        isInstallation: false, startedAt: now - .minutes(5), expiresAt: now + .days(1))

    static let here = PasskeyPlace.works(PasskeySite(id: "refunds.example", origin: "https://refunds.example"))
    static let someFactors = Factors(
        confirmed: [
            Factor(id: id(910), kind: .generator, name: "Telephone", createdAt: signed, lastUsedAt: signed),
            Factor(id: id(911), kind: .passkey, name: "<Laptop>", createdAt: signed, lastUsedAt: nil),
        ], recoveryCodesLeft: 7, hasPassword: true)

    static func account(factors: Factors, passkeys: PasskeyPlace, startedAgo: Duration) -> AccountPage {
        let session = Session(
            id: id(900), person: PersonID(rawValue: id(1)), email: "sam@alpha.example", name: "Sam",
            memberships: [membership], isInstallation: false, startedAt: now - startedAgo, expiresAt: now + .days(1))
        return AccountPage(
            frame: Frame(assets: .none, session: session, tenant: membership, here: .account), session: session,
            factors: factors,
            sessions: [
                SessionLine(
                    id: id(900), method: .totp, address: "192.0.2.7",
                    userAgent: "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
                    startedAt: signed, seenAt: now, isCurrent: true),
                SessionLine(
                    id: id(903), method: .recoveryCode, address: "2001:db8::1", userAgent: nil,
                    startedAt: signed - .days(2), seenAt: signed - .hours(5), isCurrent: false),
            ], passkeys: passkeys, origin: "https://refunds.example", now: now)
    }

    static func frame(_ here: Site? = nil, assets: AssetLinks = .none) -> Frame {
        Frame(assets: assets, session: session, tenant: membership, here: here)
    }

    static func line(
        _ n: Int, product: String = "coins.100", state: CaseState = .answered, stateReason: String? = nil,
        outcome: CaseOutcome = .pending, reason: String? = "UNINTENDED_PURCHASE", price: Int64? = 9990,
        currency: String? = "USD", isSandbox: Bool = false, app: App = alpha, ago: Duration = .zero
    ) -> CaseLine {
        CaseLine(
            id: id(n), app: app.id, isSandbox: isSandbox, transactionID: "20000009000000\(n)",
            originalTransactionID: "20000009000000\(n)", productID: product,
            customer: "7e3fb204-2f6d-4a3c-9d5e-6a1c0f9b8e21", state: state, stateReason: stateReason, outcome: outcome,
            reason: reason, price: price, currency: currency, listedAt: signed - ago,
            deadline: state == .unasked ? nil : signed - ago + (isSandbox ? .minutes(5) : .hours(12)))
    }

    static let lines: [CaseLine] = [
        line(10, state: .open),
        line(
            11, product: "pro.yearly", state: .open, reason: nil, price: 49_990, currency: "EUR",
            ago: .hours(11) + .minutes(50)),
        line(
            12, product: "gems.5000", outcome: .refunded, reason: "FULFILLMENT_ISSUE", price: 4_999_000_000,
            currency: "VND", ago: .hours(14)),
        line(13, outcome: .declined, reason: "OTHER", ago: .hours(20)),
        line(
            14, product: "pro.monthly", state: .withheld, stateReason: "no-consent",
            reason: "UNSATISFIED_WITH_PURCHASE", price: 1_200_000, currency: "JPY", ago: .days(1)),
        line(
            15, product: "season.pass", state: .missed, stateReason: "apple-unavailable", outcome: .refunded,
            reason: "LEGAL", ago: .days(2)),
        line(16, state: .refused, reason: "A_REASON_OF_2031", isSandbox: true, app: beta, ago: .days(2) + .hours(3)),
        line(
            17, product: "levels.all", state: .unasked, outcome: .reversed, reason: nil, price: nil, currency: nil,
            ago: .days(5)),
        line(18, state: .overtaken, outcome: .refunded, app: beta, ago: .days(9)),
    ]

    static let body = Array(
        #"{"customerConsented":true,"sampleContentProvided":false,"deliveryStatus":"DELIVERED","consumptionPercentage":0,"refundPreference":"GRANT_FULL"}"#
            .utf8)

    static let decision = Decision(
        row: 5, situation: "said not to have come or not to have been meant, and not used at all",
        preference: .grantFull,
        saw: [
            .init("type", "Consumable", source: "signed by Apple"),
            .init("consumptionRequestReason", "UNINTENDED_PURCHASE", source: "said by the customer", at: signed),
            .init("consent", "given by the customer", source: "consent ledger", at: signed - .days(30)),
            .init("deliveryStatus", "DELIVERED", source: "reported by the app's server", at: signed - .days(1)),
            .init("consumptionPercentage", "0", source: "reported by the app's server", at: signed - .hours(2)),
            .init("sampleContentProvided", "no", source: "by the app's setting"),
        ])

    static func attempt(
        _ n: Int, _ result: Refunds.Attempt.Result?, after: Duration, status: Int? = nil, code: Int64? = nil,
        message: String? = nil, error: String? = nil
    ) -> CaseStory.Attempt {
        let started = signed + after
        return CaseStory.Attempt(
            number: n, startedAt: started, endedAt: result == nil ? nil : started + .milliseconds(184), result: result,
            status: status, appleCode: code, appleMessage: message,
            appleRequestID: status == nil ? nil : "b0c9b1ce-1f5b-4a51-8c26-77d7a0f8f0aa", error: error,
            retryAt: result == .retry ? started + .seconds(2) : nil)
    }

    static func round(
        _ n: Int = 101, state: RoundState = .answered, stateReason: String? = nil,
        reason: String? = "UNINTENDED_PURCHASE", decision: Decision? = decision, deliveries: Int = 2,
        at: Moment = signed, attempts: [CaseStory.Attempt]? = nil
    ) -> CaseStory.Round {
        CaseStory.Round(
            id: id(n), requestedAt: at, deadline: at + .hours(12), state: state, stateReason: stateReason,
            firstReceivedAt: at + .milliseconds(740), reason: reason, deliveries: deliveries, decision: decision,
            decidedAt: decision == nil ? nil : at + .milliseconds(802),
            reply: attempts.map {
                CaseStory.Reply(api: 2, body: body, frozenAt: at + .milliseconds(802), attempts: $0)
            })
    }

    static func notification(
        _ n: Int, type: String = "CONSUMPTION_REQUEST", standing: NotificationLine.Standing = .acted,
        deliveries: Int = 1, isSandbox: Bool = false, subtype: String? = nil, transaction: String? = "2000000900000010",
        at: Moment = signed
    ) -> NotificationLine {
        NotificationLine(
            id: id(n), app: alpha.id, isSandbox: isSandbox, type: type, subtype: subtype, signedAt: at,
            receivedAt: at + .milliseconds(740), deliveries: deliveries, standing: standing,
            transactionID: transaction)
    }

    /// Asked, answered at the second attempt, refunded as we had asked.
    static let story = CaseStory(
        line: line(10, outcome: .refunded), bundleID: alpha.bundleID, appName: alpha.name,
        purchase: CaseStory.Purchase(
            type: "Consumable", purchasedAt: signed, storefront: "USA", ownership: "PURCHASED", signedAt: signed,
            revokedAt: signed + .minutes(30), revocationType: "REFUND_FULL", revocationShare: 100_000,
            revocationReason: 0),
        rounds: [
            round(attempts: [
                attempt(
                    1, .retry, after: .seconds(1), status: 500, code: 5_000_001, message: "An unknown error occurred."),
                attempt(2, .accepted, after: .seconds(3), status: 202),
            ])
        ],
        facts: [
            CaseStory.Fact(
                id: id(101), kind: .request, signedAt: signed, learnedAt: signed + .seconds(1),
                reason: "UNINTENDED_PURCHASE"),
            CaseStory.Fact(
                id: id(102), kind: .refund, signedAt: signed + .minutes(31), learnedAt: signed + .minutes(31),
                revokedAt: signed + .minutes(30), revocationType: "REFUND_FULL", revocationShare: 100_000,
                revocationReason: 0),
        ],
        consents: [
            CaseStory.Consent(
                subject: .customer, consented: true, givenAt: signed - .days(30), learnedAt: signed - .days(30),
                wording: "2026-03", source: "settings screen")
        ],
        usage: [
            CaseStory.UsageReport(
                deliveryStatus: "DELIVERED", share: 0, observedAt: signed - .hours(2), learnedAt: signed - .hours(2))
        ],
        remarks: [],
        notifications: [
            notification(101, deliveries: 2), notification(102, type: "REFUND", at: signed + .minutes(31)),
        ])

    static let refusals: [RefusalLine] = [
        RefusalLine(
            app: alpha.id, number: 4, receivedAt: signed, reason: "version-1-notification", detail: "no signedPayload",
            bytes: 312,
            userAgent: "App-Store/1.0", forwardedFor: "17.58.0.7"),
        RefusalLine(
            app: alpha.id, number: 3, receivedAt: signed - .hours(3), reason: "root-not-trusted",
            detail: "the chain ends in a root that is not trusted", bytes: 17_884, userAgent: "curl/8.5"),
        RefusalLine(
            app: beta.id, number: 9, receivedAt: signed - .days(1), reason: "environment-mismatch",
            detail: "the bundle ID inside is another one", notificationID: id(103), bytes: 18_002),
    ]

    static let key = SigningKeyInfo(
        tenant: tenant, id: SigningKeyID(rawValue: id(50)), keyID: "ABC1234567",
        issuerID: "57246542-96fe-1a63-e053-0824d011072a", app: nil,
        fingerprint: "3f:9a:0c:11:5e:7b:42:d8:90:aa:10:6c:ef:31:27:b4", createdAt: signed - .days(90))

    static let keyReport = KeyReport(
        key: key, opens: true,
        standings: PerEnvironment(
            production: KeyStanding(
                key: key.id, isSandbox: false, acceptedAt: signed, refusedSince: nil, pausedUntil: nil, refusals: 0,
                clockOffset: nil),
            sandbox: KeyStanding(
                key: key.id, isSandbox: true, acceptedAt: nil, refusedSince: signed - .hours(1),
                pausedUntil: now + .minutes(2), refusals: 4, clockOffset: .seconds(600))))

    static let appStandings = [
        AppStanding(
            app: alpha, inboxes: 1, lastNotification: PerEnvironment(production: signed, sandbox: signed - .days(3)),
            keys: [keyReport],
            commerce: [
                CommerceReadiness.Line(
                    environment: .production, access: CommerceSamples.stopped.access[0], waiting: 7),
                CommerceReadiness.Line(environment: .sandbox, access: CommerceSamples.stopped.access[1]),
            ],
            history: PerEnvironment(
                production: HistoryStanding(
                    beganAt: signed - .days(30), heardAt: signed - .days(30), sweptAt: now - .minutes(2), arrived: 409,
                    fetched: 3),
                sandbox: HistoryStanding(
                    beganAt: signed - .days(30), sweptAt: now - .hours(3), trouble: "502: \"<b>Bad Gateway</b>\"",
                    troubleSince: now - .hours(2)))),
        AppStanding(app: beta, inboxes: 1, lastNotification: PerEnvironment(), keys: []),
    ]

    static let overview = Overview(
        states: [.open: 3, .answered: 128, .withheld: 7, .missed: 1], outcomes: [.refunded: 61, .declined: 44],
        counted: 141, since: signed - .days(30), due: Array(lines.prefix(2)), apps: appStandings,
        refusals: [RefusalCount(reason: "version-1-notification", count: 12)],
        consent: {
            var cost = ConsentCost()
            (cost.requests, cost.withheld, cost.refunded) = (139, 6, 4)
            (cost.price, cost.refundedPrice) = (["USD": 59_940, "EUR": 9_990], ["USD": 39_960])
            return cost
        }())

    static let payload = """
        {
          "notificationType": "CONSUMPTION_REQUEST",
          "notificationUUID": "0b9a2f6e-5c1d-4e7a-8f30-000000000101",
          "version": "2.0",
          "signedDate": 1781524800123
        }
        """

    /// A server that was away for two tries, of a third nobody knows, and the fourth was answered.
    static let ask: CaseStory.Ask = {
        let away = "answered 503 <html>"
        func one(_ n: Int, _ result: CaseStory.Ask.Try.Result?, _ status: Int?, _ why: String?) -> CaseStory.Ask.Try {
            let begunAt = signed + .seconds(Int64(n * 10))
            return CaseStory.Ask.Try(
                number: n, begunAt: begunAt, endedAt: result == nil ? nil : begunAt + .milliseconds(350),
                result: result, status: status, why: why)
        }
        return CaseStory.Ask(
            round: id(101), state: .answered, askedAt: signed + .seconds(1), waitUntil: signed + .hours(6),
            endedAt: signed + .seconds(41), tries: 4, status: 200,
            each: [
                one(1, .failed, 503, away), one(2, .failed, 503, away), one(3, nil, nil, nil),
                one(4, .answered, 200, nil),
            ])
    }()

    /// A case that somebody looks after, with a note, an assignment and another case of the customer.
    static func workedPage(_ frame: Frame, _ slug: String) -> CaseStoryPage {
        let note = CaseStory.Remark(
            at: signed + .minutes(5), kind: CaseNote.kind, detail: #"{"text":"They <wrote> twice."}"#, person: id(1))
        let given = CaseStory.Remark(
            at: signed + .minutes(6), kind: CaseAssignment.kind,
            detail: #"{"to":"\#(id(1).uuidString)"}"#, person: id(2))
        var worked = CaseStory(
            line: story.line, bundleID: story.bundleID, appName: story.appName, purchase: story.purchase,
            rounds: story.rounds, facts: story.facts, consents: story.consents, usage: story.usage,
            remarks: [note, given], notifications: story.notifications, others: Array(lines.dropFirst(2).prefix(3)))
        worked.asks = [ask]
        var page = CaseStoryPage(frame: frame, slug: slug, story: worked, now: now)
        page.work = CaseWork(
            slug: slug, story: worked, people: [id(1): "sam@alpha.example"],
            members: [MemberName(id: PersonID(rawValue: id(1)), email: "sam@alpha.example")],
            me: PersonID(rawValue: id(1)), canWork: true, letter: CustomerText(worked, at: now))
        return page
    }

    /// Every page there is, by a name for its picture.
    static func pages(assets: AssetLinks = .none) -> [(name: String, html: HTML)] {
        let stranger = Frame(assets: assets)
        let slug = "alpha"
        func frame(_ site: Site) -> Frame { Self.frame(site, assets: assets) }
        func caseFrame(_ n: Int) -> Frame { frame(.refundCase(slug, id(n))) }
        let page = CasePage(cases: lines, next: ListCursor(at: signed, id: id(18)))
        var filtered = CaseListQuery()
        filtered.state = .held
        var sought = CaseListQuery()
        sought.lookUp = "2000000999999999"
        let unknown = CaseListQuery(QueryString("environment=Mars".utf8))
        let cases = Site.cases(slug, CaseListQuery())
        let missed = CaseStory(
            line: line(
                15, product: "season.pass", state: .missed, stateReason: "apple-unavailable", outcome: .pending,
                reason: "LEGAL"),
            bundleID: alpha.bundleID, appName: alpha.name, purchase: nil,
            rounds: [
                round(
                    104, state: .missed, stateReason: "apple-unavailable", reason: nil, deliveries: 1,
                    at: signed - .hours(12),
                    attempts: [
                        attempt(1, .retry, after: .seconds(1), error: "connect: timed out after 5 s"),
                        attempt(
                            2, .unknown, after: .seconds(8), error: "the connection was lost after the request was sent"
                        ),
                    ]),
                round(103, state: .superseded, decision: nil, deliveries: 1, at: signed - .hours(14)),
            ], facts: [], consents: [], usage: [], remarks: [], notifications: [])
        let withheld = CaseStory(
            line: line(14, product: "pro.monthly", state: .withheld, stateReason: "no-consent"),
            bundleID: alpha.bundleID,
            appName: alpha.name, purchase: nil,
            rounds: [
                round(
                    105, state: .withheld, stateReason: "no-consent",
                    decision: Decision(
                        row: nil, situation: "without consent nothing is sent", withheld: .noConsent,
                        saw: [.init("consent", "never recorded", source: "consent ledger")]))
            ], facts: [], consents: [], usage: [], remarks: [], notifications: [])
        return peoplePages(assets) + [
            ("sign-in", SignInPage(frame: stranger, next: "/t/alpha/cases", passkeys: here).html),
            (
                "sign-in-wrong",
                SignInPage(frame: stranger, next: nil, passkeys: here, email: "sam@alpha.example", message: .wrong).html
            ),
            (
                "sign-in-throttled",
                SignInPage(frame: stranger, next: nil, passkeys: here, message: .throttled(seconds: 240)).html
            ),
            ("sign-in-busy", SignInPage(frame: stranger, next: nil, passkeys: here, message: .busy).html),
            ("sign-in-link", SignInLinkPage(frame: stranger, token: "abc", standing: .alive(hasPassword: false)).html),
            ("sign-in-link-dead", SignInLinkPage(frame: stranger, token: "abc", standing: .dead).html),
            (
                "set-up",
                FirstStartPage(frame: stranger, token: "abc", errors: ["password": "\(PasswordTrouble.keyboard)"]).html
            ),
            ("set-up-ended", FirstStartEndedPage(frame: stranger).html),
            (
                "second-factor",
                SecondFactorPage(
                    frame: stranger,
                    standing: SecondFactorStanding(
                        email: "sam@alpha.example", hasGenerator: true, hasPasskey: true, hasRecoveryCodes: true),
                    next: "/t/alpha", passkeys: here, message: .wrong
                ).html
            ),
            ("account", account(factors: someFactors, passkeys: here, startedAgo: .minutes(5)).html),
            ("account-stale", account(factors: someFactors, passkeys: here, startedAgo: .hours(3)).html),
            (
                "account-digits",
                account(
                    factors: Factors(confirmed: [], recoveryCodesLeft: 0, hasPassword: false), passkeys: .digits,
                    startedAgo: .minutes(5)
                ).html
            ),
            (
                "generator",
                GeneratorPage(
                    frame: frame(.generator(id(3))),
                    generator: NewGenerator(
                        id: id(3), name: "Telephone", secret: Redacted("JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"),
                        uri: Redacted(
                            "otpauth://totp/Refund%20Desk%3Asam@alpha.example?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=Refund%20Desk&algorithm=SHA1&digits=6&period=30"
                        )), isWrong: true
                ).html
            ),
            (
                "recovery-codes",
                RecoveryCodesPage(
                    frame: frame(.recoveryCodes), codes: [Redacted("ABCD-EFGH-IJKL-MNOP")], done: "Codes are on."
                ).html
            ),
            ("password", PasswordPage(frame: frame(.password), problem: .different).html),
            (
                "overview",
                OverviewPage(
                    frame: frame(.overview(slug)), slug: slug, name: "Alpha Games", overview: overview, now: now
                ).html
            ),
            (
                "overview-empty",
                OverviewPage(
                    frame: Frame(assets: assets, session: loneSession, tenant: membership, here: .overview(slug)),
                    slug: slug, name: "Alpha Games",
                    overview: Overview(
                        states: [:], outcomes: [:], counted: 0, since: signed, due: [], apps: [], refusals: []),
                    now: now
                ).html
            ),
            (
                "cases",
                CaseListPage(
                    frame: frame(cases), slug: slug, query: CaseListQuery(), page: page, apps: [alpha, beta], now: now
                ).html
            ),
            (
                "cases-empty",
                CaseListPage(
                    frame: frame(cases), slug: slug, query: CaseListQuery(), page: CasePage(cases: [], next: nil),
                    apps: [alpha], now: now
                ).html
            ),
            (
                "cases-filtered-empty",
                CaseListPage(
                    frame: frame(cases), slug: slug, query: filtered, page: CasePage(cases: [], next: nil),
                    apps: [alpha, beta], now: now
                ).html
            ),
            (
                "cases-sought",
                CaseListPage(
                    frame: frame(cases), slug: slug, query: sought, page: CasePage(cases: [], next: nil), apps: [alpha],
                    now: now
                ).html
            ),
            ("case", CaseStoryPage(frame: caseFrame(10), slug: slug, story: story, now: now).html),
            ("case-worked", workedPage(caseFrame(10), slug).html),
            ("case-missed", CaseStoryPage(frame: caseFrame(15), slug: slug, story: missed, now: now).html),
            ("case-withheld", CaseStoryPage(frame: caseFrame(14), slug: slug, story: withheld, now: now).html),
            (
                "notifications",
                NotificationListPage(
                    frame: frame(.notifications(slug, NotificationListQuery())), slug: slug,
                    query: NotificationListQuery(),
                    page: NotificationPage(
                        notifications: [
                            notification(101, standing: .stored), notification(102, type: "REFUND", deliveries: 3),
                            notification(103, type: "DID_RENEW", standing: .nothingToDo, subtype: "BILLING_RECOVERY"),
                            notification(104, type: "REFUND", standing: .setAside, transaction: nil),
                            notification(105, type: "TEST", standing: .nothingToDo, isSandbox: true, transaction: nil),
                        ], next: nil), apps: [alpha, beta], now: now
                ).html
            ),
            (
                "notifications-empty",
                NotificationListPage(
                    frame: frame(.notifications(slug, NotificationListQuery())), slug: slug,
                    query: NotificationListQuery(),
                    page: NotificationPage(notifications: [], next: nil), apps: [alpha], now: now
                ).html
            ),
            (
                "notification",
                NotificationStoryPage(
                    frame: frame(.notification(slug, id(101))), slug: slug,
                    story: NotificationStory(
                        line: notification(101, deliveries: 2), payload: payload,
                        parts: [
                            (
                                "signedTransactionInfo",
                                "{\n  \"transactionId\": \"2000000900000010\",\n  \"price\": 9990\n}"
                            )
                        ],
                        caseID: id(10)), app: alpha
                ).html
            ),
            (
                "quarantine",
                QuarantinePage(
                    frame: frame(.quarantine(slug, RefusalListQuery())), slug: slug, query: RefusalListQuery(),
                    page: RefusalPage(refusals: refusals, next: nil),
                    counts: [
                        RefusalCount(reason: "version-1-notification", count: 12),
                        RefusalCount(reason: "root-not-trusted", count: 3),
                    ],
                    apps: [alpha, beta], now: now
                ).html
            ),
            (
                "quarantine-empty",
                QuarantinePage(
                    frame: frame(.quarantine(slug, RefusalListQuery())), slug: slug, query: RefusalListQuery(),
                    page: RefusalPage(refusals: [], next: nil), counts: [], apps: [alpha], now: now
                ).html
            ),
            (
                "apps",
                AppsPage(
                    frame: frame(.apps(slug)), slug: slug, apps: appStandings, publicURL: "https://refunds.example",
                    now: now
                ).html
            ),
            (
                "customers",
                CustomersPage(
                    frame: frame(.customers(slug, bundleID: alpha.bundleID, customer: nil)), slug: slug, app: alpha,
                    overrides: overrides, canChange: true, now: now
                ).html
            ),
            (
                "customers-empty",
                CustomersPage(
                    frame: frame(.customers(slug, bundleID: alpha.bundleID, customer: nil)), slug: slug, app: alpha,
                    overrides: [], canChange: false, now: now
                ).html
            ),
            (
                "costs",
                ProductCostsPage(
                    frame: frame(.productCosts(slug, bundleID: alpha.bundleID)), slug: slug, app: alpha,
                    costs: [SKUCost(sku: "coins.100", kind: .royalty, milliunits: 900, currency: "EUR", basis: .use)],
                    canChange: true
                ).html
            ),
            (
                "outcomes",
                OutcomesPage(
                    frame: frame(.outcomes(slug, OutcomeListQuery())), slug: slug, query: OutcomeListQuery(),
                    apps: [alpha, beta], outcomes: outcomes, now: now
                ).html
            ),
            (
                "outcomes-empty",
                OutcomesPage(
                    frame: frame(.outcomes(slug, OutcomeListQuery())), slug: slug, query: OutcomeListQuery(),
                    apps: [alpha], outcomes: Outcomes(cells: []), now: now
                ).html
            ),
            ("held", HeldPage(frame: frame(.held(slug)), slug: slug, cases: [], now: now).html),
            (
                "policy",
                PolicyPage(
                    frame: frame(.policy(slug, bundleID: alpha.bundleID, .now)), slug: slug, app: alpha, versions: [],
                    authors: AuditNames(), text: PolicyTemplate.fair.text, basedOn: 0, policy: .standard,
                    trial: PolicyTrial(), trials: trials, now: now, canChange: true
                ).html
            ),
            (
                "consent",
                ConsentPage(
                    frame: frame(.consent(slug, bundleID: alpha.bundleID, .now)), slug: slug, app: alpha,
                    book: ConsentBook(
                        wordings: [
                            ConsentWording(
                                version: "v2 <i>", text: "I agree that \"use\" is told to Apple. <b>",
                                shownFrom: signed - .days(40), madeAt: signed - .days(40))
                        ], unknownWordings: [("v1 <b>", 12)],
                        rescissions: [
                            Rescission(
                                id: id(41), appTransactionID: "704512345678901234", signedAt: signed,
                                learnedAt: signed),
                            Rescission(
                                id: id(42), isSandbox: true, appTransactionID: "704512345678901235", signedAt: signed,
                                learnedAt: signed, choice: .answerAgain, decidedAt: now),
                        ]), names: AuditNames(), now: now, canAdd: true, canDecide: true, asked: "who <b>",
                    history: ConsentHistory(
                        subject: .customer(appAccountToken: "who <b>"), state: nil, cases: Array(lines.prefix(1)))
                ).html
            ),
            (
                "import",
                ImportPage(
                    frame: frame(.pastImport(slug, bundleID: alpha.bundleID)), slug: slug, app: alpha,
                    imports: PerEnvironment(
                        production: ImportStanding(
                            state: .running, from: signed - .days(180), to: signed, startedAt: now - .minutes(3),
                            read: 7, windows: 30, imported: 412, held: 3, refused: 1, trouble: "500: \"<b>\"")),
                    now: now, canChange: true
                ).html
            ),
            (
                "order",
                OrderPage(
                    frame: frame(.orders(slug)), slug: slug, apps: [alpha], bundleID: alpha.bundleID,
                    typed: "MK5XY2ABCD",
                    order: Order(
                        id: "MK5XY2ABCD",
                        purchases: [
                            Order.Purchase(
                                transactionID: "2000000900000001", originalTransactionID: "2000000900000001",
                                productID: "coins.<100>", price: 9990, currency: "USD", purchasedAt: signed,
                                customer: "who <b>", line: lines[0])
                        ])
                ).html
            ),
            (
                "tenants",
                TenantsPage(
                    frame: Frame(assets: assets, session: installer, here: .tenants), tenants: tenantLines,
                    origin: "https://refunds.example", made: invitation
                ).html
            ),
            ("choose", ChooseTenantPage(frame: Frame(assets: assets, session: session, here: .home)).html),
            ("not-found", ProblemPage(frame: stranger, problem: .notFound).html),
            (
                "not-found-signed-in",
                ProblemPage(
                    frame: Frame(assets: assets, session: session, tenant: membership), problem: .notFound
                ).html
            ),
            (
                "cases-without-app",
                CaseListPage(
                    frame: frame(cases), slug: slug, query: unknown, page: CasePage(cases: [], next: nil), apps: [],
                    now: now
                ).html
            ),
            ("foreign", ProblemPage(frame: stranger, problem: .foreignOrigin(own: "https://refunds.example")).html),
        ] + SetupSamples.pages(assets: assets) + CommerceSamples.pages(assets: assets)
            + CommerceRequestSamples.pages(assets: assets)
    }
}
