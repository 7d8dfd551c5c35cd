import FoundationEssentials
import HTTP
import Postgres
import Refunds
import Support
import Tenants
import Testing
import Time

@testable import Web

@Suite struct `Work on a case` {
    private func withCase(
        _ role: Tenants.Role, _ body: (TestBrowser, UUID, SampleDesk, TestDatabase) async throws -> Void
    ) async throws {
        try await withConsole { desk, console, test in
            try await desk.makeSam(role)
            let id = try await desk.add(SampleCase(), to: desk.alphaApp)
            let sam = TestBrowser(console)
            try await sam.signIn()
            try await body(sam, id, desk, test)
        }
    }

    @Test func `a note is written, stands on the page and cannot break it`() async throws {
        try await withCase(.support) { sam, id, _, _ in
            let empty = try await sam.post(.caseNote("alpha", id), [("note", " ")])
            #expect(empty.status == 422 && empty.text.contains("Write something first."))
            let text = "They <script>alert(1)</script>\nwrote \"again\"."
            let answer = try await sam.post(.caseNote("alpha", id), [("note", text)])
            #expect(answer.status == 303 && answer.location == Site.refundCase("alpha", id).url + "#notes")
            let page = try await sam.get(.refundCase("alpha", id)).text
            #expect(page.contains("They &lt;script&gt;alert(1)&lt;/script&gt;\nwrote &quot;again&quot;."))
            #expect(page.contains("Note by sam@alpha.example") && Markup(page).troubles == [])
        }
    }

    @Test func `a case is given to somebody, and the lists can be narrowed to it`() async throws {
        try await withCase(.support) { sam, id, desk, _ in
            let ada = try await desk.addPerson("ada@alpha.example", .viewer, to: desk.alpha)
            let bea = try await desk.addPerson("bo@beta.example", .support, to: desk.beta)
            let page = try await sam.get(.refundCase("alpha", id)).text
            #expect(page.contains(">ada@alpha.example<") && page.contains("sam@alpha.example (you)"))
            #expect(!page.contains("bo@beta.example"))
            for wrong in [bea.id.rawValue.uuidString, UUID().uuidString, "somebody"] {
                #expect(try await sam.post(.caseAssignment("alpha", id), [("assignee", wrong)]).status == 422)
            }
            let given = try await sam.post(
                .caseAssignment("alpha", id), [("assignee", ada.id.rawValue.uuidString.lowercased())])
            #expect(given.status == 303)
            #expect(try await sam.get("/t/alpha/cases?assigned=mine").text.contains("No case fits these filters"))
            #expect(try await sam.get("/t/alpha/cases?assigned=nobody").text.contains("No case fits these filters"))
            #expect(try await sam.get("/t/alpha/cases").text.contains("ada@alpha.example"))
            let me = try #require(
                try await desk.administration.memberNames(of: desk.alpha.id).first { $0.email == "sam@alpha.example" })
            _ = try await sam.post(
                .caseAssignment("alpha", id), [("assignee", me.id.rawValue.uuidString)])
            #expect(try await sam.get("/t/alpha/cases?assigned=mine").text.contains(Site.refundCase("alpha", id).url))
            #expect(try await sam.get("/t/alpha/cases?assigned=theirs").text.contains("was not understood"))
            _ = try await sam.post(.caseAssignment("alpha", id), [("assignee", "")])
            #expect(try await sam.get("/t/alpha/cases?assigned=nobody").text.contains(Site.refundCase("alpha", id).url))
        }
    }

    @Test func `what waits is narrowed the same way`() async throws {
        try await withCase(.support) { sam, _, desk, _ in
            var held = SampleCase()
            (held.state, held.outcome, held.transactionID) = ("held", "pending", "2000000900000002")
            let id = try await desk.add(held, to: desk.alphaApp)
            #expect(try await sam.get(.held("alpha", .nobody)).text.contains(Site.refundCase("alpha", id).url))
            let mine = try await sam.get(.held("alpha", .mine)).text
            #expect(mine.contains("Nothing that waits fits this filter") && Markup(mine).troubles == [])
        }
    }

    @Test func `the evidence is a file that is taken by a form`() async throws {
        try await withCase(.support) { sam, id, _, test in
            #expect(try await sam.get(.caseBundle("alpha", id)).status == 405)
            let file = try await sam.post(.caseBundle("alpha", id))
            #expect(file.status == 200 && file.headers["Content-Type"] == "application/x-tar")
            #expect(
                file.headers["Content-Disposition"]
                    == "attachment; filename=\"case-\(id.uuidString.lowercased()).tar\"")
            #expect(file.text.contains("SHA256SUMS") && file.text.contains("request-1-sent.json"))
            let taken: Int64? = try await test.asSuperuser(
                "select count(*) as n from tenants.audit where action = 'case.bundled'"
            ).first?("n")
            #expect(taken == 1)
        }
    }

    @Test func `whoever may only look has no form, and the texts to the customer all the same`() async throws {
        try await withCase(.viewer) { sam, id, _, _ in
            let page = try await sam.get(.refundCase("alpha", id)).text
            for form in ["/notes", "/assignment", "/bundle"] {
                #expect(!page.contains("\(Site.refundCase("alpha", id).url)\(form)\""), "\(form)")
            }
            for site in [Site.caseNote("alpha", id), .caseAssignment("alpha", id), .caseBundle("alpha", id)] {
                #expect(try await sam.post(site, [("note", "x")]).status == 403)
            }
            for language in AlertLanguage.allCases {
                #expect(page.contains("letter-\(language.rawValue)"))
                #expect(page.contains("lang=\"\(language.rawValue)\" aria-label=\"Text to the customer"))
            }
            #expect(page.contains("Apple decides about it") && Markup(page).troubles == [])
        }
    }

    @Test func `the same customer's other cases are named, and nobody else's`() async throws {
        try await withCase(.viewer) { sam, id, desk, _ in
            var (other, stranger, renewal) = (SampleCase(), SampleCase(), SampleCase())
            (other.transactionID, other.productID) = ("2000000900000002", "gems.other")
            (stranger.transactionID, stranger.customer, stranger.productID) = ("2000000900000003", "x", "gems.stranger")
            (renewal.transactionID, renewal.customer, renewal.productID) = ("2000000900000004", nil, "gems.renewal")
            renewal.originalTransactionID = "2000000900000001"
            for sample in [other, stranger, renewal] { try await desk.add(sample, to: desk.alphaApp) }
            try await desk.add(SampleCase(), to: desk.betaApp)
            let page = try await sam.get(.refundCase("alpha", id)).text
            #expect(page.contains("The same customer") && page.contains(Site.refundCase("alpha", other.id).url))
            #expect(page.contains(Site.refundCase("alpha", renewal.id).url) && page.contains("the same purchase"))
            #expect(!page.contains(Site.refundCase("alpha", stranger.id).url))
        }
    }
}
