import FoundationEssentials
import HTTP
import Postgres
import Refunds
import Support
import Tenants
import Testing
import Time

@testable import Web

/// From a purchase over the form and the preview to a request, on a real database and the real engine; nothing is sent.
@Suite struct `Asking Apple` {
    @Test func `from the look-up over the preview to the request's own page`() async throws {
        try await withCommerceSam { sam, desk, console, test in
            let empty = try await sam.get(CommercePages.requests).text
            #expect(empty.contains("Nothing was asked of Apple yet") && empty.contains("Advanced Commerce API"))
            #expect(try await sam.get(.newCommerceRequest("alpha", PurchaseQuery())).text.contains("Which purchase?"))
            let found = try await sam.post(
                .purchaseLookUp("alpha"),
                [
                    ("app", "com.example.alpha"), ("environment", "Production"),
                    ("transaction", " 2000000900000701 "),
                ])
            #expect(found.location == CommercePages.new().url)
            let kinds = try await sam.get(CommercePages.new()).text
            for kind in CommerceKind.allCases {
                #expect(
                    kinds.contains("href=\"\(HTML(text: CommercePages.new(CommercePages.purchase, kind).url).string)\"")
                )
            }
            let form = try await sam.get(CommercePages.new(CommercePages.purchase, .refund))
            #expect(form.status == 200 && Markup(form.text).troubles == [])
            #expect(form.text.contains("Amount in EUR"))
            #expect(form.text.contains("The purchase was made in Germany (DEU): amounts include tax."))
            #expect(!form.text.contains("SIMULATE_REFUND_DECLINE"))
            // Whether Apple may ask is chosen each time.
            let risking = Markup(form.text).tags.filter { $0.attributes["name"] == "risking" }
            #expect(risking.count == 2 && risking.allSatisfy { $0.attributes["checked"] == nil })
            let preview = try await sam.post(.commercePreview("alpha"), CommercePages.fields())
            #expect(preview.status == 200 && Markup(preview.text).troubles == [])
            for text in [
                "Extra &lt;voices&gt;", "3.00 EUR", "when Apple&#39;s REFUND notification arrives",
                "Base plan, addon.b",
                "amounts include tax", "Send to Apple", "goes on and renews as before",
            ] { #expect(preview.text.contains(text), "\(text)") }
            #expect(try await commerceRequests(in: test) == 0)
            let made = try await sam.post(CommercePages.requests, CommercePages.fields())
            let page = try await sam.get(try CommercePages.site(made)).text
            for text in [
                "It waits for its turn and goes out by itself. It is number 1 of 1.", "Asked by sam@alpha.example",
                "She wrote to us.", "Take it back", "Extra &lt;voices&gt;", "ends with the refund",
            ] { #expect(page.contains(text), "\(text)") }
            let list = try await sam.get(CommercePages.requests).text
            #expect(list.contains("2000000900000701") && list.contains("0 of 18000"))
            #expect(Markup(list).troubles == [])
        }
    }

    @Test func `a form that is sent again, or twice at once, is one request`() async throws {
        try await withCommerceSam { sam, desk, console, test in
            let first = try await sam.post(CommercePages.requests, CommercePages.fields())
            #expect(first.status == 303)
            for _ in 1...3 {
                #expect(try await sam.post(CommercePages.requests, CommercePages.fields()).location == first.location)
            }
            let cookies = sam.cookies
            try await withThrowingTaskGroup(of: String?.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        let other = TestBrowser(console)
                        other.cookies = cookies
                        return try await other.post(CommercePages.requests, CommercePages.fields()).location
                    }
                }
                for try await location in group { #expect(location == first.location) }
            }
            #expect(try await commerceRequests(in: test) == 1)
            // The form of before with other choices is no second request, and no other one either.
            let changed = try await sam.post(
                CommercePages.requests, CommercePages.fields(["type-1": "CUSTOM", "amount-1": "1"]))
            #expect(changed.status == 409 && changed.text.contains("This form was sent before, with other choices."))
            #expect(changed.text.contains("href=\"\(first.location ?? "")\""))
            let another = try await sam.post(CommercePages.requests, CommercePages.fields(key: Samples.id(78)))
            #expect(another.status == 409 && another.text.contains("Somebody has asked about this purchase already"))
            #expect(another.text.contains("href=\"\(first.location ?? "")\""))
            #expect(try await commerceRequests(in: test) == 1)
        }
    }

    @Test(
        arguments: [
            (["take-1": ""], "items", "Choose at least one item to refund."),
            (["reason-1": ""], "reason-1", "Choose a reason."),
            (["reason-1": "BECAUSE"], "reason-1", "Choose a reason."),
            (["type-1": ""], "type-1", "Choose how much goes back."),
            (["access-1": ""], "access-1", "Choose what becomes of the access."),
            (["risking": ""], "risking", "Choose one of the two: it is asked each time."),
            (["note": ""], "note", "Say in a sentence why"),
            (["note": String(repeating: "é", count: 1001)], "note", "at most 2000 bytes"),
            (["type-1": "CUSTOM"], "amount-1", "A refund of your own amount needs the amount."),
            (["type-1": "CUSTOM", "amount-1": "0"], "amount-1", "The amount must be more than nothing."),
            (["type-1": "CUSTOM", "amount-1": "2.505"], "amount-1", "EUR has 2 decimals"),
            (["type-1": "CUSTOM", "amount-1": "1,000"], "amount-1", "EUR has 2 decimals"),
            (["type-1": "CUSTOM", "amount-1": "-1"], "amount-1", "digits only"),
            (["type-1": "CUSTOM", "amount-1": "2147484"], "amount-1", "larger than the call can carry"),
            (["sku-1": "addon.z"], "take-1", "The purchase has no item"),
            (["reason-1": "SIMULATE_REFUND_DECLINE"], "reason-1", "Sandbox and TestFlight only"),
            (
                [
                    "take-0": "yes", "reason-0": "OTHER", "type-0": "FULL", "access-0": "ends", "take-2": "yes",
                    "reason-2": "OTHER", "type-2": "FULL", "access-2": "ends",
                ], "items", "To end all of them, revoke the subscription."
            ),
        ] as [([String: String], String, String)])
    func `BL-081: what breaks a rule is said at its field, and nothing of the form is lost`(
        changes: [String: String], field: String, words: String
    ) async throws {
        try await withCommerceSam { sam, _, _, test in
            for step in [Site.commercePreview("alpha"), CommercePages.requests] {
                let answer = try await sam.post(step, CommercePages.fields(changes))
                #expect(answer.status == 422 && Markup(answer.text).troubles == [], "\(step.url)")
                #expect(answer.text.contains(words), "\(step.url)")
            }
            #expect(try await commerceRequests(in: test) == 0)
            let purchase = CommercePurchase.sample
            let form = try #require(CommerceForm(CommercePages.query(CommercePages.fields(changes))))
            let reading = form.read(against: purchase, at: SampleDesk.signed)
            #expect(reading.troubles.contains { $0.field == field && $0.text.contains(words) }, "\(reading.troubles)")
        }
    }

    @Test func `what was typed stands there again after a mistake, key and all`() async throws {
        try await withCommerceSam { sam, _, _, _ in
            let answer = try await sam.post(
                .commercePreview("alpha"),
                CommercePages.fields(["type-1": "CUSTOM", "amount-1": "2.5x", "note": "a\r\nb & <c>", "risking": "yes"])
            )
            let tags = Markup(answer.text).tags
            func value(_ name: String) -> String? {
                tags.first { $0.attributes["name"] == name }?.attributes["value"]
            }
            #expect(value("amount-1") == "2.5x" && value("key") == Samples.id(77).text)
            #expect(answer.text.contains("a\nb &amp; &lt;c&gt;"))
            let checked = Set(tags.filter { $0.attributes["checked"] != nil }.compactMap { $0.attributes["id"] })
            #expect(
                checked == ["take-1", "choice-type-1-CUSTOM", "choice-access-1-ends", "choice-risking-yes"])
        }
    }

    @Test func `a change of mind on the preview leads back to the form as it was`() async throws {
        try await withCommerceSam { sam, _, _, _ in
            let preview = try await sam.post(.commercePreview("alpha"), CommercePages.fields()).text
            #expect(preview.contains("name=\"change\""))
            let form = try await sam.post(.commercePreview("alpha"), CommercePages.fields() + [("change", "yes")])
            #expect(form.status == 200 && form.text.contains("name=\"amount-1\""))
            #expect(form.text.contains("value=\"\(Samples.id(77).text)\""))
        }
    }

    @Test(
        arguments: [("JPY", "JPN", "250", 250_000), ("EUR", "DEU", "1,25", 1250), ("KWD", "KWT", "1.250", 1250)]
            as [(String, String, String, Int64)])
    func `BL-081: an amount is taken in the currency of the purchase`(
        currency: String, storefront: String, typed: String, milliunits: Int64
    ) async throws {
        var purchase = CommercePages.purchase
        (purchase.currency, purchase.storefront) = (currency, storefront)
        purchase.items = purchase.items.map { .init($0.sku, $0.name, price: 400_000) }
        try await withCommerceSam([purchase]) { sam, _, _, test in
            let fields = CommercePages.fields(["type-1": "CUSTOM", "amount-1": typed], of: purchase)
            let preview = try await sam.post(.commercePreview("alpha"), fields)
            #expect(preview.text.contains(MoneyText(milliunits: milliunits, currency: currency).text))
            #expect(preview.text.contains(Storefronts.text(storefront)))
            #expect(try await sam.post(CommercePages.requests, fields).status == 303)
            let row = try #require(
                try await test.asSuperuser(
                    """
                    select i.refund_amount, r.currency, convert_from(r.body, 'UTF8') as body
                    from refunds.commerce_items i join refunds.commerce_requests r using (tenant_id, request_id)
                    """
                ).first)
            let amount: Int32 = try row("refund_amount")
            let asked: String = try row("currency")
            let body: String = try row("body")
            #expect(Int64(amount) == milliunits && asked == currency)
            #expect(body.contains("\"refundAmount\":\(milliunits)"))
        }
    }

    @Test func `above the price paid it is sent only after a second look`() async throws {
        try await withCommerceSam { sam, _, _, test in
            let fields = CommercePages.fields(["type-1": "CUSTOM", "amount-1": "3.01"])
            let preview = try await sam.post(.commercePreview("alpha"), fields)
            let tick = try #require(Markup(preview.text).tags.first { $0.attributes["name"] == "seen" })
            #expect(tick.attributes["checked"] == nil)
            #expect(preview.text.contains("is more than the 3.00 EUR that were paid"))
            let refused = try await sam.post(CommercePages.requests, fields)
            #expect(refused.status == 422 && refused.text.contains("Tick what you have looked at"))
            let another = try await sam.post(CommercePages.requests, fields + [("seen", "something else")])
            #expect(another.status == 422)
            #expect(try await commerceRequests(in: test) == 0)
            let text = "3.01 EUR is more than the 3.00 EUR that were paid. Apple has not published what it does then."
            #expect(try await sam.post(CommercePages.requests, fields + [("seen", text)]).status == 303)
            // Where nothing is odd, nothing has to be looked at.
            #expect(
                !(try await sam.post(.commercePreview("alpha"), CommercePages.fields())).text.contains("name=\"seen\""))
        }
    }

    @Test func `who wants to revoke for one item sees what else would go, and the way to refund that one`()
        async throws
    {
        try await withCommerceSam { sam, _, _, _ in
            let form = try await sam.get(CommercePages.new(CommercePages.purchase, .revoke)).text
            #expect(form.contains("This refunds and ends all 3 items."))
            #expect(form.contains("Base plan, Extra &lt;voices&gt;, addon.b"))
            #expect(
                form.contains("href=\"\(HTML(text: CommercePages.new(CommercePages.purchase, .refund).url).string)\""))
            let preview = try await sam.post(.commercePreview("alpha"), CommercePages.fields(kind: .revoke)).text
            for text in ["4.99 EUR", "3.00 EUR", "2.00 EUR", "9.99 EUR", "All access ends", "name=\"seen\""] {
                #expect(preview.contains(text), "\(text)")
            }
            #expect(try await sam.post(CommercePages.requests, CommercePages.fields(kind: .revoke)).status == 422)
        }
    }

    @Test func `a cancellation gives no money back and asks for no reason but the note`() async throws {
        try await withCommerceSam { sam, _, _, _ in
            let form = try await sam.get(CommercePages.new(CommercePages.purchase, .cancel)).text
            #expect(!form.contains("name=\"risking\"") && form.contains("No money back"))
            let preview = try await sam.post(.commercePreview("alpha"), CommercePages.fields(kind: .cancel)).text
            #expect(preview.contains("No money is given back.") && preview.contains("it is not renewed"))
            let made = try await sam.post(CommercePages.requests, CommercePages.fields(kind: .cancel))
            #expect(try await sam.get(try CommercePages.site(made)).text.contains("Cancel the subscription"))
        }
    }

    @Test func `a decline can be rehearsed in Sandbox only`() async throws {
        var purchase = CommercePages.purchase
        purchase.isSandbox = true
        try await withCommerceSam([purchase]) { sam, _, _, _ in
            let page = try await sam.get(CommercePages.new(purchase, .refund)).text
            #expect(page.contains("SIMULATE_REFUND_DECLINE"))
            let fields = CommercePages.fields(["reason-1": "SIMULATE_REFUND_DECLINE"], of: purchase)
            let made = try await sam.post(CommercePages.requests, fields)
            #expect(made.status == 303)
        }
    }

    @Test func `what cannot be asked for says why, and offers no form`() async throws {
        var plain = CommercePages.purchase
        plain.transactionID = "2000000900000702"
        plain.isAdvancedCommerce = false
        var once = CommercePages.purchase
        once.transactionID = "2000000900000703"
        once.isSubscription = false
        var ended = CommercePages.purchase
        ended.transactionID = "2000000900000704"
        ended.expiresAt = SampleDesk.signed - .days(1)
        try await withCommerceSam([plain, once, ended]) { sam, _, _, _ in
            let not = try await sam.get(CommercePages.new(plain, .refund)).text
            #expect(not.contains("was not made with the Advanced Commerce API") && !not.contains("name=\"key\""))
            let single = try await sam.get(CommercePages.new(once)).text
            #expect(single.contains("This is no subscription") && single.contains("kind=refund"))
            #expect(!single.contains("kind=revoke"))
            #expect(try await sam.get(CommercePages.new(ended)).text.contains("this one has ended"))
        }
    }

    @Test(
        arguments: [
            ("2000000900000799", 409, "No signing key serves this app"),
            ("abc", 422, "A transaction ID is 1 to 20 digits"),
            ("", 422, "write the transaction"),
        ])
    func `a look-up that finds nothing says why`(transaction: String, status: Int, words: String) async throws {
        try await withCommerceSam { sam, _, _, _ in
            let answer = try await sam.post(
                .purchaseLookUp("alpha"),
                [("app", "com.example.alpha"), ("environment", "Production"), ("transaction", transaction)])
            #expect(answer.status == status && answer.text.contains(words), "\(answer.status)")
            #expect(Markup(answer.text).troubles == [])
        }
    }
}
