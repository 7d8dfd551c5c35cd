import FoundationEssentials
import Postgres
import Refunds
import Support
import Tenants
import Testing
import Time

@testable import Web

@Suite struct `Whose purchase a case is about` {
    private static let near = "3d0e6c1e-54b4-4a5f-8d2a-93a0f0b7c111"
    private static let other = "3d0e6c1e-54b4-4a5f-8d2a-93a0f0b7c222"

    /// A case that names nobody, and somebody who bought the same at the same time.
    private func withUnnamed(
        _ role: Tenants.Role, _ body: (TestBrowser, UUID, TestDatabase) async throws -> Void
    ) async throws {
        try await withConsole { desk, console, test in
            try await desk.makeSam(role)
            var unnamed = SampleCase()
            (unnamed.customer, unnamed.state, unnamed.stateReason) = (nil, "withheld", "no-consent")
            let id = try await desk.add(unnamed, to: desk.alphaApp)
            var bought = SampleCase()
            (bought.customer, bought.transactionID) = (Self.near, "2000000900000002")
            try await desk.add(bought, to: desk.alphaApp)
            let fields = #"{"purchaseDate":\#(SampleDesk.signed.milliseconds)}"#
            try await test.asSuperuser("update refunds.transactions set fields = \(Array(fields.utf8))")
            let sam = TestBrowser(console)
            try await sam.signIn()
            try await body(sam, id, test)
        }
    }

    @Test func `a candidate is chosen with a note, shown with who chose, and taken back`() async throws {
        try await withUnnamed(.support) { sam, id, _ in
            let site = Site.caseCustomer("alpha", id)
            let offered = try await sam.get(.refundCase("alpha", id)).text
            #expect(offered.contains("Who bought it?") && offered.contains("value=\"\(Self.near)\""))
            let noteless = try await sam.post(site, [("do", "choose"), ("candidate", Self.near)])
            #expect(noteless.status == 422 && noteless.text.contains("Say why: it stays with the case."))
            #expect(noteless.text.contains("<details class=\"opening\" open>"))
            #expect(Markup(offered).troubles == [] && Markup(noteless.text).troubles == [])

            let choice = [("do", "choose"), ("candidate", Self.near), ("customerNote", "Their <b>receipt</b>.")]
            let chosen = try await sam.post(site, choice)
            #expect(chosen.status == 303 && chosen.location == Site.refundCase("alpha", id).url + "#consent")
            let page = try await sam.get(.refundCase("alpha", id)).text
            #expect(page.contains("chosen by a person") && page.contains("Their &lt;b&gt;receipt&lt;/b&gt;."))
            #expect(page.contains("sam@alpha.example chose the customer") && !page.contains("Who bought it?"))
            // What is fixed for the customer stands there as for one who is named.
            #expect(page.contains("Fix an answer for this customer") && Markup(page).troubles == [])

            let second = try await sam.post(
                site, [("do", "choose"), ("customer", Self.other), ("customerNote", "So.")])
            #expect(second.status == 409 && second.text.contains("sam@alpha.example chose a customer before you."))
            let naming = try #require(page.firstMatch(of: /name="naming" value="([0-9a-f-]{36})"/)).1
            let back = [("do", "take-back"), ("naming", String(naming))]
            #expect(try await sam.post(site, back).status == 303)
            #expect(try await sam.post(site, back).status == 409)
            let after = try await sam.get(.refundCase("alpha", id)).text
            #expect(after.contains("Who bought it?") && after.contains("taken back by sam@alpha.example"))
            #expect(Markup(after).troubles == [])
        }
    }

    @Test func `whoever may only look sees the candidates and has no form`() async throws {
        try await withUnnamed(.viewer) { sam, id, test in
            let page = try await sam.get(.refundCase("alpha", id)).text
            #expect(page.contains("Who may have bought it") && !page.contains("/customer\""))
            let choice = [("do", "choose"), ("candidate", Self.near), ("customerNote", "So.")]
            #expect(try await sam.post(.caseCustomer("alpha", id), choice).status == 403)
            let named: Int64? = try await test.asSuperuser("select count(*) as n from refunds.named_customers")
                .first?("n")
            #expect(named == 0)
        }
    }
}
