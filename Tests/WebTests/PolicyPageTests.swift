import FoundationEssentials
import Postgres
import Refunds
import Support
import Tenants
import Testing
import Time

@testable import Web

@Suite struct `The page of an app's policy` {
    private static let place = Site.policy("alpha", bundleID: "com.example.alpha", .now)

    private func withSam(_ role: Tenants.Role, _ body: (TestBrowser, SampleDesk, TestDatabase) async throws -> Void)
        async throws
    {
        try await withConsole { desk, console, test in
            try await desk.makeSam(role)
            let sam = TestBrowser(console)
            try await sam.signIn()
            try await body(sam, desk, test)
        }
    }

    private func fields(_ rules: String, _ act: String, basedOn: Int = 0) -> [(String, String)] {
        [("rules", rules), ("note", "Fraud in spring <b>"), ("basedOn", String(basedOn)), ("do", act)]
    }

    @Test func `begins with the template that decides, and counts what its rules fit`() async throws {
        try await withSam(.viewer) { sam, desk, _ in
            try await desk.add(SampleCase(), to: desk.alphaApp)
            let page = try await sam.get(Self.place).text
            #expect(page.contains("The app has no policy of its own") && page.contains("over the last 1 requests"))
            #expect(page.contains("if use is full then prefer DECLINE") && !page.contains("name=\"rules\""))
        }
    }

    @Test func `a text is tried without being saved, saved, and gone back from`() async throws {
        try await withSam(.admin) { sam, _, test in
            let tried = try await sam.post(Self.place, fields("otherwise prefer DECLINE", "check"))
            #expect(tried.status == 200 && tried.text.contains("Nothing is saved yet"))
            #expect(tried.text.contains("may go to their bank"))
            for (number, rules) in ["otherwise prefer DECLINE", "otherwise send facts only"].enumerated() {
                let saved = try await sam.post(Self.place, fields(rules, "save", basedOn: number))
                #expect(saved.location == Site.policy("alpha", bundleID: "com.example.alpha", .saved(number + 1)).url)
            }
            let back = try await sam.post(Self.place, [("do", "return"), ("version", "1"), ("basedOn", "2")])
            #expect(back.location?.hasSuffix("saved=3") == true)
            let page = try await sam.get(Self.place).text
            #expect(page.contains("Back to version 1") && page.contains("Fraud in spring &lt;b&gt;"))
            let versions: Int64 = try await test.asSuperuser(
                "select count(*) as n from tenants.audit where action = 'policy.changed'")[0]("n")
            #expect(versions == 3)
        }
    }

    @Test func `what cannot be read is said with its line, and the text stays in the editor`() async throws {
        try await withSam(.admin) { sam, _, _ in
            for act in ["check", "save"] {
                let answer = try await sam.post(Self.place, fields("if mood is <i> then\notherwise", act))
                #expect(answer.status == 422 && answer.text.contains("Line 1: &quot;mood&quot; is nothing a rule"))
                #expect(
                    answer.text.contains("Line 2: An action is") && answer.text.contains("if mood is &lt;i&gt; then"))
            }
            let page = try await sam.get(Self.place).text
            #expect(page.contains("None was saved yet"))
        }
    }

    @Test func `who was overtaken keeps the text and is told`() async throws {
        try await withSam(.admin) { sam, _, _ in
            _ = try await sam.post(Self.place, fields("otherwise send facts only", "save"))
            let late = try await sam.post(Self.place, fields("otherwise send nothing", "save"))
            #expect(late.status == 409 && late.text.contains("the policy was changed meanwhile"))
            #expect(late.text.contains("otherwise send nothing") && late.text.contains("name=\"basedOn\" value=\"1\""))
        }
    }

    @Test func `templates and older versions stand in the editor by their address`() async throws {
        try await withSam(.admin) { sam, _, _ in
            let template = Site.policy("alpha", bundleID: "com.example.alpha", .template(.strict))
            let page = try await sam.get(template).text
            #expect(page.contains("if use at least 50% then prefer DECLINE") && page.contains("Nothing is saved yet"))
            let unknown = Site.policy("alpha", bundleID: "com.example.alpha", .version(7))
            #expect(try await sam.get(unknown).status == 404)
        }
    }
}

@Suite struct `Pages of what waits for a person` {
    private static let round = Samples.id(77)
    private static let named = ("round", round.uuidString.lowercased())

    private func withHeld(
        _ role: Tenants.Role, _ body: (TestBrowser, UUID, TestDatabase) async throws -> Void
    ) async throws {
        try await withConsole { desk, console, test in
            try await desk.makeSam(role)
            var held = SampleCase()
            held.state = "held"
            held.outcome = "pending"
            held.notification = Self.round
            try await desk.add(held, to: desk.alphaApp)
            let sam = TestBrowser(console)
            try await sam.signIn()
            try await body(sam, held.id, test)
        }
    }

    @Test func `list it with what is prepared, and lead to the form`() async throws {
        try await withHeld(.support) { sam, id, _ in
            let list = try await sam.get(.held("alpha")).text
            #expect(list.contains(Site.refundCase("alpha", id).url) && list.contains("GRANT_FULL"))
            let page = try await sam.get(.refundCase("alpha", id)).text
            #expect(page.contains("This request waits for somebody") && page.contains("name=\"reason\""))
        }
    }

    @Test func `without a reason, or with what is not offered, nothing is taken and the form keeps what was typed`()
        async throws
    {
        try await withHeld(.support) { sam, id, _ in
            let forms: [([(String, String)], String)] = [
                ([("choice", "DECLINE"), ("reason", " "), ("use", "12")], "Say why"),
                ([("choice", "MAYBE"), ("reason", "So.")], "Choose what Apple is told"),
                ([("choice", "DECLINE"), ("reason", "So."), ("use", "many")], "from 0 to 100"),
                ([("choice", "DECLINE"), ("reason", "So."), ("delivery", "LOST")], "Choose from what is offered"),
            ]
            for (fields, words) in forms {
                let answer = try await sam.post(.heldAnswer("alpha", id), [Self.named] + fields)
                #expect(answer.status == 422 && answer.text.contains(words))
            }
            let answer = try await sam.post(.heldAnswer("alpha", id), [Self.named] + forms[0].0)
            #expect(answer.text.contains("value=\"12\""))
        }
    }

    @Test func `a form that was made before Apple asked again answers nothing, and keeps what was typed`() async throws
    {
        try await withHeld(.support) { sam, id, test in
            #expect(
                try await sam.get(.refundCase("alpha", id)).text.contains(#"name="round" value="\#(Self.named.1)""#))
            let newer = UUID()
            try await test.asSuperuser(
                "update refunds.rounds set state = 'superseded', hold_until = null where case_id = \(id)")
            try await test.asSuperuser(
                """
                insert into refunds.rounds (tenant_id, case_id, round_id, requested_at, deadline, state,
                  first_received_at, decision, decided_at, hold_until, ask_until)
                select tenant_id, case_id, \(newer), requested_at + interval '1 hour', deadline + interval '1 hour', 'held',
                  first_received_at + interval '1 hour', decision, decided_at, deadline, deadline
                from refunds.rounds
                where case_id = \(id)
                """)
            let typed = [("choice", "DECLINE"), ("reason", "For the first."), ("use", "12")]
            // What is wrong in it is said first; it stays an answer to the first all the same.
            let wrong = try await sam.post(.heldAnswer("alpha", id), [Self.named] + typed + [("delivery", "LOST")])
            #expect(wrong.status == 422 && wrong.text.contains(#"name="round" value="\#(Self.named.1)""#))
            let stale = try await sam.post(.heldAnswer("alpha", id), [Self.named] + typed)
            #expect(stale.status == 409 && stale.text.contains("Apple asked again meanwhile"))
            #expect(stale.text.contains("For the first.") && stale.text.contains("value=\"12\""))
            #expect(stale.text.contains(#"name="round" value="\#(newer.uuidString.lowercased())""#))
            #expect(Markup(stale.text).troubles == [])
            let nameless = try await sam.post(.heldAnswer("alpha", id), typed)
            #expect(nameless.status == 422 && nameless.text.contains("does not say which request"))
            let answers: Int64? = try await test.asSuperuser(
                "select count(*) as n from refunds.rounds where answer is not null"
            ).first?("n")
            #expect(answers == 0)
        }
    }

    @Test func `say plainly where nothing waits, and hide the form from who may only look`() async throws {
        try await withHeld(.viewer) { sam, id, test in
            let page = try await sam.get(.refundCase("alpha", id)).text
            #expect(page.contains("Your role can look") && !page.contains("name=\"reason\""))
            #expect(try await sam.post(.heldAnswer("alpha", id), [("choice", "DECLINE")]).status == 403)
            try await test.asSuperuser("delete from refunds.cases")
            #expect(try await sam.get(.held("alpha")).text.contains("Nothing waits for anybody"))
        }
    }
}
