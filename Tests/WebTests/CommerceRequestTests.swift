import FoundationEssentials
import HTTP
import Postgres
import Refunds
import Support
import Tenants
import Testing
import Time

@testable import Web

/// What is done to a request, who sees it, and the page that follows it.
@Suite struct `Requests to Apple` {
    // MARK: What is done to a request

    @Test func `above a limit a second person approves, and never the same one`() async throws {
        try await withCommerceSam { sam, desk, console, test in
            try await desk.addPerson("ann@alpha.example", .support, to: desk.alpha)
            try await desk.addPerson("vic@alpha.example", .viewer, to: desk.alpha)
            try await desk.commerce().setLimit(
                2990, currency: "EUR", app: desk.alphaApp,
                by: .person(PersonID(rawValue: Samples.id(5)), .admin, address: nil))
            let preview = try await sam.post(.commercePreview("alpha"), CommercePages.fields()).text
            #expect(preview.contains("Hand in for approval") && preview.contains("a second person"))
            let page = try CommercePages.site(try await sam.post(CommercePages.requests, CommercePages.fields()))
            guard case .commerceRequest(_, let id) = page else {
                Issue.record("no page of a request")
                return
            }
            let approval = Site.commerceApproval("alpha", id)
            let mine = try await sam.get(page).text
            #expect(mine.contains("You asked for it, so somebody else has to approve it."))
            #expect(!mine.contains("action=\"\(approval.url)\""))
            let refused = try await sam.post(approval)
            #expect(refused.status == 403 && refused.text.contains("a second person has to"))
            let vic = TestBrowser(console)
            try await vic.signIn("vic@alpha.example")
            #expect(try await vic.post(approval).status == 403)
            #expect(!(try await vic.get(page)).text.contains("<form method=\"post\" action=\"/t/"))
            let ann = TestBrowser(console)
            try await ann.signIn("ann@alpha.example")
            #expect(try await ann.get(page).text.contains("action=\"\(approval.url)\""))
            #expect(try await ann.post(approval).location == page.url)
            let after = try await sam.get(page).text
            #expect(after.contains("Asked by sam@alpha.example") && after.contains("Approved by ann@alpha.example"))
            #expect(after.contains("It waits for its turn"))
            let late = try await ann.post(approval)
            #expect(late.status == 409 && late.text.contains("It is queued by now."))
            #expect(try await commerceRequests(in: test) == 1)
        }
    }

    @Test func `when the limit is gone the page says that nobody has to approve it, and whoever asked hands it in`()
        async throws
    {
        try await withCommerceSam { sam, desk, _, test in
            let admin = CommerceActor.person(PersonID(rawValue: Samples.id(5)), .admin, address: nil)
            try await desk.commerce().setLimit(2990, currency: "EUR", app: desk.alphaApp, by: admin)
            let page = try CommercePages.site(try await sam.post(CommercePages.requests, CommercePages.fields()))
            guard case .commerceRequest(_, let id) = page else {
                Issue.record("no page of a request")
                return
            }
            let early = try await sam.post(.commerceSubmission("alpha", id))
            #expect(early.status == 403 && early.text.contains("still asks for a second person"))
            try await desk.commerce().setLimit(nil, currency: "EUR", app: desk.alphaApp, by: admin)
            let shown = try await sam.get(page).text
            #expect(shown.contains("nobody has to approve it any more") && shown.contains("Hand in and send"))
            #expect(!shown.contains("You asked for it, so somebody else has to approve it."))
            #expect(try await sam.post(.commerceSubmission("alpha", id)).location == page.url)
            #expect(try await sam.get(page).text.contains("It waits for its turn"))
            #expect(try await commerceRequests(in: test) == 1)
        }
    }

    @Test func `a draft is kept, handed in, and taken back`() async throws {
        try await withCommerceSam { sam, _, _, _ in
            let made = try await sam.post(CommercePages.requests, CommercePages.fields() + [("draft", "yes")])
            let page = try CommercePages.site(made)
            guard case .commerceRequest(_, let id) = page else {
                Issue.record("no page of a request")
                return
            }
            #expect(try await sam.get(page).text.contains("This is a draft. Nothing is sent"))
            #expect(try await sam.post(.commerceSubmission("alpha", id)).location == page.url)
            #expect(try await sam.get(page).text.contains("It waits for its turn"))
            #expect(try await sam.post(.commerceSubmission("alpha", id)).status == 409)
            #expect(try await sam.post(.commerceWithdrawal("alpha", id)).location == page.url)
            let after = try await sam.get(page).text
            #expect(after.contains("Apple knows nothing of it.") && after.contains("Taken back by sam@alpha.example"))
            #expect(!after.contains("Take it back"))
            #expect(try await sam.post(.commerceWithdrawal("alpha", id)).status == 409)
        }
    }

    @Test func `a draft that has become odd is handed in only after a second look`() async throws {
        try await withCommerceSam { sam, desk, _, _ in
            let made = try CommercePages.site(
                try await sam.post(CommercePages.requests, CommercePages.fields() + [("draft", "yes")]))
            guard case .commerceRequest(_, let id) = made else {
                Issue.record("no page of a request")
                return
            }
            // Meanwhile the customer asks Apple.
            var sample = SampleCase()
            sample.transactionID = CommercePages.purchase.transactionID
            sample.state = "open"
            try await desk.add(sample, to: desk.alphaApp)
            let refused = try await sam.post(.commerceSubmission("alpha", id))
            #expect(refused.status == 422)
            let tick = try #require(Markup(refused.text).tags.first { $0.attributes["name"] == "seen" })
            let text = try #require(tick.attributes["value"])
            #expect(text.contains("The customer has asked Apple"))
            #expect(try await sam.post(.commerceSubmission("alpha", id), [("seen", text)]).status == 303)
        }
    }

    // MARK: Who sees what

    @Test func `a viewer sees the requests and can do nothing`() async throws {
        try await withCommerceSam(role: .viewer) { sam, desk, console, test in
            var sample = SampleCase()
            sample.transactionID = CommercePages.purchase.transactionID
            try await desk.add(sample, to: desk.alphaApp)
            let request = try await desk.commerce().ask(
                CommercePages.purchase.refund(), app: desk.alphaApp, by: .token(UUID()), idempotencyKey: "k",
                acceptsWarnings: true
            ).request
            for place in [
                CommercePages.requests, .commerceRequest("alpha", request.id),
                .commerceRequestState("alpha", request.id),
                .refundCase("alpha", sample.id),
            ] {
                let answer = try await sam.get(place)
                #expect(answer.status == 200 && answer.text.contains("2000000900000701"), "\(place.url)")
                let posts = Markup(answer.text).tags.filter { $0.attributes["method"] == "post" }
                #expect(posts.allSatisfy { $0.attributes["action"] == "/sign-out" }, "\(place.url)")
                #expect(!answer.text.contains("/commerce-requests/new"), "\(place.url)")
            }
            #expect(try await sam.get(CommercePages.new()).status == 403)
            for place in [
                CommercePages.requests, .purchaseLookUp("alpha"), .commercePreview("alpha"),
                .commerceSubmission("alpha", request.id), .commerceApproval("alpha", request.id),
                .commerceWithdrawal("alpha", request.id),
            ] { #expect(try await sam.post(place, CommercePages.fields()).status == 403, "\(place.url)") }
            #expect(try await commerceRequests(in: test) == 1)
        }
    }

    @Test func `BL-062: another tenant's request, purchase and app are like what never was`() async throws {
        try await withConsole { desk, console, test in
            let theirs = try await desk.addRequest(to: desk.betaApp)
            let sam = TestBrowser(console)
            try await sam.signIn()
            for (mine, nobodys) in zip(Self.places(theirs.id), Self.places(UUID())) {
                let (a, b) = (try await sam.get(mine), try await sam.get(nobodys))
                #expect(a.status == b.status && a.text == b.text, "\(mine.url)")
            }
            for (mine, nobodys) in zip(Self.acts(theirs.id), Self.acts(UUID())) {
                let (a, b) = (try await sam.post(mine), try await sam.post(nobodys))
                #expect(a.status == 404 && a.status == b.status && a.text == b.text, "\(mine.url)")
            }
            func text(app: String, _ site: Site) async throws -> String {
                try await sam.post(site, CommercePages.fields(["app": app])).text.replacing(app, with: "APP")
            }
            for site in [Site.commercePreview("alpha"), CommercePages.requests, .purchaseLookUp("alpha")] {
                let (a, b) = (
                    try await text(app: "com.example.beta", site), try await text(app: "com.example.nope", site)
                )
                #expect(a == b, "\(site.url)")
            }
            // The same transaction of one's own app is not held here, whoever else has it.
            let own = try await sam.get(CommercePages.new()).text
            #expect(own.contains("This purchase is not held here"))
            #expect(!(try await sam.get(CommercePages.requests)).text.contains("2000000900000701"))
            #expect(try await commerceRequests(in: test) == 1)
        }
    }

    private static func places(_ id: UUID) -> [Site] {
        [.commerceRequest("alpha", id), .commerceRequestState("alpha", id)]
    }

    private static func acts(_ id: UUID) -> [Site] {
        [.commerceSubmission("alpha", id), .commerceApproval("alpha", id), .commerceWithdrawal("alpha", id)]
    }

    @Test func `a case and its requests lead to each other`() async throws {
        try await withCommerceSam { sam, desk, _, _ in
            var sample = SampleCase()
            sample.transactionID = CommercePages.purchase.transactionID
            sample.outcome = "declined"
            try await desk.add(sample, to: desk.alphaApp)
            let before = try await sam.get(.refundCase("alpha", sample.id)).text
            #expect(
                before.contains("Our requests to Apple")
                    && before.contains("href=\"\(HTML(text: CommercePages.new().url).string)\""))
            let made = try CommercePages.site(try await sam.post(CommercePages.requests, CommercePages.fields()))
            #expect(try await sam.get(.refundCase("alpha", sample.id)).text.contains("href=\"\(made.url)\""))
            #expect(
                try await sam.get(made).text.contains("href=\"\(Site.refundCase("alpha", sample.id).url)\""))
            var plain = SampleCase()
            plain.transactionID = "2000000900000709"
            try await desk.add(plain, to: desk.alphaApp)
            #expect(!(try await sam.get(.refundCase("alpha", plain.id)).text.contains("Our requests to Apple")))
        }
    }

    @Test func `the list is narrowed by each of its filters, page by page`() async throws {
        try await withCommerceSam([]) { sam, desk, _, _ in
            for n in 0..<60 {
                var purchase = SamplePurchase()
                purchase.transactionID = "20000009000008\(n < 10 ? "0" : "")\(n)"
                purchase.isSandbox = n == 7
                try await desk.addRequest(of: purchase, to: n == 8 ? desk.alphaLite : desk.alphaApp, key: "k\(n)")
                desk.clock.advance(by: .seconds(1))
            }
            func transactions(_ change: (inout CommerceListQuery) -> Void) async throws -> (Set<String>, String) {
                var query = CommerceListQuery()
                change(&query)
                let text = try await sam.get(.commerceRequests("alpha", query)).text
                return (Set(text.matches(of: /20000009000008\d\d/).map { String($0.0) }), text)
            }
            #expect(try await transactions { $0.environment = "Sandbox" }.0 == ["2000000900000807"])
            #expect(try await transactions { $0.app = "com.example.alpha.lite" }.0 == ["2000000900000808"])
            #expect(try await transactions { $0.transaction = "2000000900000809" }.0 == ["2000000900000809"])
            #expect(try await transactions { $0.kind = .cancel }.0 == [])
            #expect(try await transactions { $0.state = .refunded }.1.contains("No request fits these filters"))
            let (first, page) = try await transactions { $0.state = .queued }
            #expect(first.count == 50 && first.contains("2000000900000859"))
            let older = try #require(
                Markup(page).tags.first { $0.attributes["rel"] == "next" }?.attributes["href"])
            let rest = try await sam.get(older.replacing("&amp;", with: "&")).text
            #expect(Set(rest.matches(of: /20000009000008\d\d/).map { String($0.0) }).union(first).count == 60)
        }
    }

    @Test func `a queue that stands is told in red, with the way to what Apple said`() async throws {
        try await withCommerceSam { sam, desk, _, test in
            let made = try CommercePages.site(try await sam.post(CommercePages.requests, CommercePages.fields()))
            _ = try await test.asSuperuser(
                """
                insert into refunds.commerce_access (tenant_id, app_id, environment, addendum, stopped_at, changed_at)
                values (\(desk.alpha.id.rawValue), \(desk.alphaApp.id.rawValue), 'Production', 'refused',
                  \(SampleDesk.signed), \(SampleDesk.signed))
                """)
            let link = "href=\"\(HTML(text: CommerceLinks.access("alpha", desk.alphaApp).url).string)\""
            let list = try await sam.get(CommercePages.requests).text
            #expect(list.contains("The queue of Alpha (Production) stands since 2026-06-15 12:00 UTC."))
            #expect(list.contains("notice tone-bad") && list.contains(link))
            let page = try await sam.get(made).text
            #expect(page.contains("It waits, because the queue stands") && page.contains(link))
        }
    }

    // MARK: The page that changes by itself

    @Test(arguments: CommerceRequestState.allCases)
    func `every state is told in a sentence, and what changes by itself is fetched by itself`(
        state: CommerceRequestState
    ) {
        let page = CommerceRequestSamples.page(state)
        func parts(_ html: HTML) -> Set<String> {
            Set(Markup(html.string).tags.compactMap { $0.attributes["data-live"] })
        }
        #expect(parts(page.fragment) == parts(page.html))
        #expect(parts(page.html).isSuperset(of: ["verdict", "actions", "items", "timeline", "answer", "facts"]))
        let waits: Set<CommerceRequestState> = [.awaitingApproval, .queued, .sending, .accepted, .pendingAtApple]
        #expect(page.html.string.contains("data-awaits") == waits.contains(state))
        #expect(page.html.string.contains("class=\"verdict-text\">"))
        #expect(Markup(page.html.string).troubles == [])
    }

    @Test func `accepted is no refund yet, and access ends with Apple's notification alone`() {
        let page = CommerceRequestSamples.page(.accepted).html.string
        #expect(page.contains("Apple took it. It is no refund yet."))
        #expect(page.contains("Access ends only with Apple&#39;s REFUND notification, from the revocationDate in it."))
    }

    @Test func `a refusal shows Apple's code and words, what they mean, and what to do`() {
        let page = CommerceRequestSamples.page(.failed).html.string
        for text in ["4030021", "AlreadyRefundedError", "Already refunded.", "This purchase was refunded before."] {
            #expect(page.replacing("<wbr>", with: "").contains(text), "\(text)")
        }
        #expect(page.contains("This cannot be done"))
        let doubted = CommerceRequestSamples.page(.queued, reason: .doubted).html.string
        #expect(doubted.contains("{&quot;odd&quot;:true}"))
    }
}
