import Simulator
import Support
import Testing

/// What a support agent asks Apple for, from the look-up to Apple's decision; each is told on the page as it happens.
@Suite(.serialized, WithSupportAgent()) struct `Requests to Apple in a browser` {
    @Test func `one add-on of three is refunded, and the others stay`() async throws {
        let agent = try SupportAgent.here()
        let bought = try agent.sell()
        try await agent.signIn("sam@alpha.example")
        try await agent.lookUp(bought, kind: "refund")
        // What a choice makes needless is out of sight.
        #expect(try await agent.browser.text("main").contains("Amount in USD") == false)
        try await agent.take(1)
        try await agent.preview()
        for text in ["2.99 USD", "Base plan, Archive", "United States (USA): amounts are without tax"] {
            try await agent.sees(text)
        }
        try await agent.send()
        try await agent.sees("It is no refund yet.")
        try await agent.sees("Access ends only with Apple's REFUND notification")
        try agent.decide(bought, as: .refund)
        // No reload: the page changes by itself.
        try await agent.sees("Apple refunded it.")
        try await agent.sees("refunded 2.99 USD")
        try await agent.sees("Access ended")
        #expect(agent.refunds(of: bought) == ["audio": 2990])
        #expect(try await agent.browser.complaints() == [])
    }

    @Test func `nothing sticks out and nothing is faint on any page, light and dark, wide and narrow`() async throws {
        let agent = try SupportAgent.here()
        let bought = try agent.sell(storefront: "DEU")
        try await agent.signIn("sam@alpha.example")
        try await agent.open(SupportAgent.requests + "/new")
        try await agent.look("look-up")
        try await agent.lookUp(bought, kind: "revoke")
        try await agent.look("revoke")
        try await agent.lookUp(bought, kind: "refund")
        try await agent.browser.click("form[action$='/preview'] button.button-main")
        try await agent.sees("Nothing was sent.")
        try await agent.take(1, type: "CUSTOM", amount: "2.50")
        try await agent.look("refund")
        try await agent.preview()
        try await agent.look("preview")
        try await agent.send()
        try await agent.sees("It is no refund yet.")
        try await agent.look("accepted")
        try agent.decide(bought, as: .refund)
        try await agent.sees("Apple refunded it.")
        try await agent.look("refunded")
        try await agent.lookUp(bought, kind: "cancel")
        try await agent.look("cancel")
        try await agent.open(SupportAgent.requests)
        try await agent.look("list")
        try await agent.open(SupportAgent.requests + "?state=failed")
        try await agent.look("nothing")
    }

    @Test(
        arguments: [
            ("JPN", [1_500_000, 450_000, 300_000], "250", "250 JPY", 250_000),
            ("DEU", [9990, 2990, 1990], "1,25", "1.25 EUR", 1250),
        ] as [(String, [Int64], String, String, Int64)])
    func `an amount of one's own goes back in the currency of the purchase, and the access stays`(
        storefront: String, prices: [Int64], typed: String, shown: String, milliunits: Int64
    ) async throws {
        let agent = try SupportAgent.here()
        let bought = try agent.sell(storefront: storefront, prices: prices)
        try await agent.signIn("sam@alpha.example")
        try await agent.lookUp(bought, kind: "refund")
        try await agent.take(2, type: "CUSTOM", amount: typed, ends: false)
        try await agent.preview()
        try await agent.sees(shown)
        try await agent.sees("amounts include tax")
        try await agent.send()
        try await agent.sees("It is no refund yet.")
        try agent.decide(bought, as: .refund)
        try await agent.sees("refunded \(shown)")
        try await agent.sees("Access stays")
        #expect(agent.refunds(of: bought) == ["archive": milliunits])
    }

    @Test func `an amount that the currency does not have is refused at its field`() async throws {
        let agent = try SupportAgent.here()
        let bought = try agent.sell(storefront: "JPN", prices: [1_500_000, 450_000, 300_000])
        try await agent.signIn("sam@alpha.example")
        try await agent.lookUp(bought, kind: "refund")
        try await agent.take(1, type: "CUSTOM", amount: "12.50")
        try await agent.browser.click("#choice-risking-no")
        try await agent.browser.type("The customer wrote to us.", into: "#field-note")
        try await agent.browser.click("form[action$='/preview'] button.button-main")
        try await agent.sees("JPY has no decimals: write a whole number.")
        try await agent.browser.replace("#field-amount-1", by: "12")
        try await agent.browser.click("form[action$='/preview'] button.button-main")
        try await agent.sees("12 JPY")
    }

    @Test func `a subscription is revoked, after a look at all that goes with it`() async throws {
        let agent = try SupportAgent.here()
        let bought = try agent.sell()
        try await agent.signIn("sam@alpha.example")
        try await agent.lookUp(bought, kind: "revoke")
        try await agent.sees("This refunds and ends all 3 items.")
        try await agent.browser.click("#field-reason option[value=OTHER]")
        try await agent.browser.click("#choice-type-FULL")
        try await agent.preview()
        try await agent.sees("14.97 USD")
        try await agent.sees("Worth a second look")
        try await agent.send()
        try await agent.sees("It is no refund yet.")
        try agent.decide(bought, as: .refund)
        try await agent.sees("Apple refunded it.")
        try await agent.sees("Access ended")
        #expect(agent.refunds(of: bought).values.reduce(0, +) == 14_970)
    }

    @Test func `a subscription is cancelled, and no money goes back`() async throws {
        let agent = try SupportAgent.here()
        let bought = try agent.sell()
        try await agent.signIn("sam@alpha.example")
        try await agent.lookUp(bought, kind: "cancel")
        try await agent.preview(isRefund: false)
        try await agent.sees("No money is given back.")
        try await agent.send()
        try await agent.sees("Apple took the cancellation.")
        try await agent.sees("Access stays to the end of the period.")
        #expect(agent.refunds(of: bought) == [:])
    }

    @Test func `Apple declines, and the page says so`() async throws {
        let agent = try SupportAgent.here()
        let bought = try agent.sell()
        try await agent.signIn("sam@alpha.example")
        try await agent.lookUp(bought, kind: "refund")
        try await agent.take(1)
        try await agent.preview()
        try await agent.send()
        try await agent.sees("It is no refund yet.")
        try agent.decide(bought, as: .decline)
        try await agent.sees("Apple declined the refund. The customer keeps what was bought")
        #expect(agent.refunds(of: bought) == [:])
    }

    @Test func `a refund that the customer asked for first is pending at Apple, and nothing is sent again`()
        async throws
    {
        let agent = try SupportAgent.here()
        let bought = try agent.sell()
        var order = NotificationOrder(
            "CONSUMPTION_REQUEST", bundleID: SupportAgent.bundleID, transactionID: bought, reason: "OTHER")
        order.decides = false
        // Apple has it; that the desk was told is not needed for that.
        _ = try agent.apple.write(order)
        try await agent.signIn("sam@alpha.example")
        try await agent.lookUp(bought, kind: "refund")
        try await agent.take(1)
        try await agent.preview()
        try await agent.send()
        try await agent.sees("Apple already has a refund of this purchase pending")
        try await agent.sees("Nothing is sent again")
        try await agent.sees("4000181")
        let calls = agent.apple.ledger.calls.filter { $0.path.hasSuffix("/requestRefund/\(bought)") }
        #expect(calls.count == 1)
    }

    @Test func `without the addendum the queue stands, and goes on once somebody has looked`() async throws {
        let agent = try SupportAgent.here()
        var standing = agent.apple.commerce.standing(SupportAgent.bundleID, in: .production)
        standing.hasAddendum = false
        agent.apple.commerce.set(standing, of: SupportAgent.bundleID, in: .production)
        let bought = try agent.sell()
        try await agent.signIn("olga@alpha.example")
        try await agent.lookUp(bought, kind: "refund")
        try await agent.take(1)
        try await agent.preview()
        try await agent.send()
        try await agent.sees("It waits, because the queue stands")
        try await agent.sees("Nothing is lost.")
        try await agent.sees("\(agent.apple.commerce.addendum.refusal.code)")
        try await agent.open(SupportAgent.requests)
        try await agent.sees("The queue of")
        try await agent.browser.click(".notice a[href$='/advanced-commerce']")
        // The Account Holder accepts it, and somebody asks Apple whether the door is open.
        standing.hasAddendum = true
        agent.apple.commerce.set(standing, of: SupportAgent.bundleID, in: .production)
        try await agent.browser.click("form[action$='/check'] button")
        try await agent.sees("Accepted")
        try await agent.open(SupportAgent.requests + "?q=\(bought)")
        try await agent.browser.click("a.row-link")
        try await agent.sees("It is no refund yet.")
        try agent.decide(bought, as: .refund)
        try await agent.sees("Apple refunded it.")
        #expect(agent.refunds(of: bought) == ["audio": 2990])
    }

    @Test func `above a limit a second person approves`() async throws {
        let agent = try SupportAgent.here()
        try await agent.signIn("olga@alpha.example")
        try await agent.open("/t/alpha/apps/\(SupportAgent.bundleID)/advanced-commerce")
        try await agent.browser.type("CAD", into: "#field-limit-currency")
        try await agent.browser.type("2.00", into: "#field-limit-amount")
        try await agent.browser.click("#limits form.step-form button")
        try await agent.sees("2.00 CAD")
        let bought = try agent.sell(storefront: "CAN")
        try await agent.signIn("sam@alpha.example")
        try await agent.lookUp(bought, kind: "refund")
        try await agent.take(1)
        try await agent.preview()
        try await agent.sees("a second person has to approve it")
        try await agent.send()
        try await agent.sees("You asked for it, so somebody else has to approve it.")
        let page = try await agent.browser.url.replacing(agent.desk.address, with: "")
        try await agent.signIn("ann@alpha.example")
        try await agent.open(page)
        try await agent.browser.click("form[action$='/approval'] button")
        try await agent.sees("It is no refund yet.")
        try await agent.sees("Approved by ann@alpha.example")
        try agent.decide(bought, as: .refund)
        try await agent.sees("Apple refunded it.")
        #expect(agent.refunds(of: bought) == ["audio": 2990])
    }
}
