import FoundationEssentials
import HTTP
import Journal
import Postgres
import Refunds
import Support
import Tenants
import Testing
import Time

@testable import Web

@Suite struct `Pages of alerts` {
    /// An incident as the watch writes it, until a test spoils one thing.
    @discardableResult
    private func addIncident(
        _ desk: SampleDesk, _ test: TestDatabase, severity: String = "error",
        title: String = "Apple refuses the key <b>."
    ) async throws -> UUID {
        let id = UUID()
        try await test.database.execute(
            desk.alpha.id.scope,
            """
            insert into refunds.incidents
              (tenant_id, incident_id, rule, cause, severity, title, effect, first_step, opened_at, seen_at)
            values (\(desk.alpha.id.rawValue), \(id), 'credentials-refused', 'Production key', \(severity), \(title),
              '3 refund requests without an answer.', 'Open the set-up page.', \(desk.clock.now), \(desk.clock.now))
            """)
        return id
    }

    private let form = [
        ("kind", "pagerduty"), ("name", "On call"), ("secret", "0123456789abcdef0123456789abcdef"),
        ("severity", "error"), ("after", "0"),
    ]

    @Test func `say that nothing is open and nobody would be told, and what to do`() async throws {
        try await withConsole { _, console, _ in
            let sam = TestBrowser(console)
            try await sam.signIn()
            let page = try await sam.get(.alerts("alpha")).text
            #expect(page.contains("Nothing is open") && page.contains("There is no channel: nobody would be told."))
            for rule in IncidentRule.allCases { #expect(page.contains(rule.rawValue)) }
        }
    }

    @Test func `show an open incident, take what is said about it, and keep who said it`() async throws {
        try await withConsole { desk, console, test in
            try await desk.makeSam(.support)
            let id = try await addIncident(desk, test)
            let sam = TestBrowser(console)
            try await sam.signIn()
            #expect(try await sam.get(.alerts("alpha")).text.contains("Apple refuses the key &lt;b&gt;."))
            #expect(try await sam.post(.incidentAct("alpha", id, .acknowledge)).status == 303)
            for _ in 1...3 {
                let noted = try await sam.post(.incidentAct("alpha", id, .note), [("note", "Key is <i>new</i>")])
                #expect(noted.status == 303)
            }
            let notes: Int64? = try await test.asSuperuser(
                "select count(*) as n from refunds.incident_events where kind = 'noted'"
            ).first?("n")
            #expect(notes == 1)
            #expect(try await sam.post(.incidentAct("alpha", id, .snooze), [("minutes", "30")]).status == 303)
            let page = try await sam.get(.incident("alpha", id)).text
            for words in [
                "Acknowledged", "sam@alpha.example: Key is &lt;i&gt;new&lt;/i&gt;", "Snoozed", "Open the set-up page.",
            ] {
                #expect(page.contains(words), "\(words)")
            }
            let empty = try await sam.post(.incidentAct("alpha", id, .note), [("note", " \u{200B}")])
            #expect(empty.status == 422 && empty.text.contains("Write what is to be known."))
        }
    }

    @Test func `a viewer sees and may do nothing, and sees no channel`() async throws {
        try await withConsole { desk, console, test in
            try await desk.makeSam(.viewer)
            let id = try await addIncident(desk, test)
            let sam = TestBrowser(console)
            try await sam.signIn()
            let page = try await sam.get(.incident("alpha", id))
            #expect(page.status == 200 && !page.text.contains("I am at it"))
            #expect(try await sam.post(.incidentAct("alpha", id, .acknowledge)).status == 403)
            #expect(try await sam.get(.channels("alpha")).status == 403)
            #expect(try await sam.post(.channels("alpha"), form).status == 403)
        }
    }

    @Test func `the head of every page says when something critical is open`() async throws {
        try await withConsole { desk, console, test in
            let sam = TestBrowser(console)
            try await sam.signIn()
            #expect(!(try await sam.get(.cases("alpha", CaseListQuery())).text).contains("Open the alert"))
            try await addIncident(desk, test, severity: "critical", title: "The database is nearly full.")
            let page = try await sam.get(.cases("alpha", CaseListQuery())).text
            #expect(page.contains("The database is nearly full.") && page.contains("Open the alert"))
        }
    }

    @Test func `a channel is added and its secret is never shown again`() async throws {
        try await withConsole { desk, console, test in
            try await desk.makeSam(.admin)
            let sam = TestBrowser(console)
            try await sam.signIn()
            let made = try await sam.post(.channels("alpha"), form)
            #expect(made.status == 303)
            let channel = try #require(try await desk.alerts().channels(of: desk.alpha.id).first)
            for place in [
                Site.channels("alpha"), .channel("alpha", channel.id), .alerts("alpha"),
                .audit("alpha", AuditListQuery()),
            ] {
                #expect(!(try await sam.get(place).text).contains("0123456789abcdef"), "\(place.url)")
            }
            let sealed = try await test.asSuperuser("select sealed from tenants.secrets where kind = 'channel'")
            let bytes: [UInt8] = try #require(try sealed.first?("sealed"))
            #expect(!String(decoding: bytes, as: UTF8.self).contains("0123456789abcdef"))

            // Without a new secret the old one stays.
            var changed = form
            changed[1] = ("name", "Nights")
            changed[2] = ("secret", "")
            #expect(try await sam.post(.channel("alpha", channel.id), changed).status == 303)
            let kept = try #require(try await desk.alerts().channels(of: desk.alpha.id).first)
            #expect(kept.name == "Nights" && kept.secret == channel.secret)

            #expect(try await sam.post(.channelTest("alpha", channel.id)).status == 303)
            // Pressed twice it is one message.
            #expect(try await sam.post(.channelTest("alpha", channel.id)).status == 303)
            let waiting = try await test.asSuperuser("select event from refunds.notices")
            #expect(try waiting.map { try $0("event") as String } == ["test"])
            #expect(try await sam.post(.channelRemoval("alpha", channel.id)).status == 303)
            let left = try await test.asSuperuser(
                "select octet_length(sealed) as size from tenants.secrets where kind = 'channel'")
            #expect(try left.allSatisfy { try $0("size") as Int32 == 0 })
            #expect(try await sam.get(.channel("alpha", channel.id)).status == 404)
        }
    }

    @Test(arguments: [
        ("kind", "pigeon", "Choose one of the kinds."), ("secret", "short", "Integration key"),
        ("name", "", "A name has 1 to 80 characters"), ("after", "2000", "From 0 to 1440 minutes."),
        ("severity", "info", ""), ("quietFrom", "22:00", "Two different times"),
        ("app", "com.example.nobody", "Choose from what is offered."),
    ])
    func `what is filled in wrongly is said at its field, and nothing is kept`(
        field: String, value: String, words: String
    ) async throws {
        try await withConsole { desk, console, _ in
            try await desk.makeSam(.admin)
            let sam = TestBrowser(console)
            try await sam.signIn()
            let fields = form.filter { $0.0 != field } + [(field, value)]
            let answer = try await sam.post(.channels("alpha"), fields)
            #expect(answer.status == 422 && answer.text.contains(words), "\(field)")
            #expect(!answer.text.contains("0123456789abcdef"))
            #expect(try await desk.alerts().channels(of: desk.alpha.id).isEmpty)
        }
    }

    @Test func `a mail address is confirmed by whoever has the link, once, and only by pressing the button`()
        async throws
    {
        try await withConsole { desk, console, test in
            let channel = try await desk.alerts().addChannel(
                .email, ChannelChange(name: "Nights", target: "on-call@example.com"), of: desk.alpha.id,
                by: .commandLine)
            let token = String(repeating: "k", count: 43)
            try await test.asSuperuser(
                """
                update refunds.channels
                set confirm_hashes = array[sha256(convert_to(\(token), 'UTF8'))], confirm_until = \(desk.clock.now + .days(1))
                where channel_id = \(channel.id)
                """)
            let link = Site.channelConfirmation(token: token)
            let stranger = TestBrowser(console)
            for _ in 1...2 {
                let page = try await stranger.get(link)
                #expect(
                    page.status == 200 && page.text.contains("on-call@example.com")
                        && page.text.contains("Yes, I read there"))
            }
            #expect(try await stranger.post(link).text.contains("Thank you"))
            #expect(try await stranger.post(link).status == 404)
            #expect(try await stranger.get(link).status == 404)
            #expect(try await stranger.get(.channelConfirmation(token: "x")).status == 404)
            #expect(try await desk.alerts().channels(of: desk.alpha.id).first?.isConfirmed == true)
        }
    }

    @Test func `of the installation are for those who run it, and for nobody else`() async throws {
        try await withConsole { desk, console, test in
            try await test.database.execute(
                TenantID.installation.scope,
                """
                insert into refunds.incidents
                  (tenant_id, incident_id, rule, cause, severity, title, effect, first_step, opened_at, seen_at)
                values (0, \(UUID()), 'disk-full', 'disk web-1 /', 'critical', 'The disk under / is nearly full.', 'Nothing is stored.',
                  'Make room.', \(desk.clock.now), \(desk.clock.now))
                """)
            let caretaker = TestBrowser(console)
            try await caretaker.signIn("ops@desk.example")
            // Its line stands over the list of tenants, and leads to the page.
            let tenants = try await caretaker.get(.tenants).text
            #expect(tenants.contains("The disk under / is nearly full.") && tenants.contains("/t/installation/alerts"))
            let page = try await caretaker.get(.alerts("installation")).text
            #expect(page.contains("The disk under / is nearly full.") && page.contains("no channel of its own"))
            #expect(page.contains("disk-full") && !page.contains("deadline-at-risk") && !page.contains("/cases"))
            let id = try #require(page.firstMatch(of: /alerts\/([0-9a-f-]{36})/)?.1)
            let incident = Site.incident("installation", try #require(UUID(uuidString: String(id))))
            #expect(try await caretaker.get(incident).text.contains("Make room."))
            #expect(try await caretaker.post(incident.url + "/acknowledge").status == 303)

            #expect(try await caretaker.post(Site.channels("installation").url, form).status == 303)
            let channels = try await caretaker.get(.channels("installation")).text
            #expect(channels.contains("On call"))
            // Nothing else of the installation is a page.
            for site: Site in [
                .overview("installation"), .audit("installation", AuditListQuery()), .people("installation"),
            ] {
                #expect(try await caretaker.get(site).status == 404, "\(site.url)")
            }

            let sam = TestBrowser(console)
            try await sam.signIn()
            for site: Site in [.alerts("installation"), .channels("installation"), incident] {
                #expect(try await sam.get(site).status == 404, "\(site.url)")
            }
            #expect(try await sam.post(Site.channels("installation").url, form).status == 404)
            #expect(try await sam.get(.alerts("alpha")).text.contains("disk under") == false)
        }
    }
}

@Suite struct `The form of a channel` {
    private func withAdmin(hasMail: Bool = true, _ body: (TestBrowser, SampleDesk) async throws -> Void) async throws {
        try await withConsole { desk, _, _ in
            try await desk.makeSam(.admin)
            let sam = TestBrowser(try console(of: desk, hasMail: hasMail))
            try await sam.signIn()
            try await body(sam, desk)
        }
    }

    @Test func `asks for the kind first, and then for what that kind is entered with`() async throws {
        try await withAdmin { sam, _ in
            let choice = try await sam.get(.channels("alpha")).text
            #expect(choice.contains("name=\"kind\"") && !choice.contains("name=\"secret\""))
            for kind in ChannelKind.allCases {
                let page = try await sam.get("/t/alpha/channels?kind=\(kind.rawValue)").text
                #expect(Markup(page).troubles == [], "\(kind)")
                for step in ChannelGuide.steps(kind) { #expect(page.contains(HTML(text: step).string), "\(kind)") }
                #expect(!ChannelGuide.steps(kind).isEmpty, "\(kind)")
                for (name, field) in [("target", kind.target), ("secret", kind.secret)] {
                    #expect(page.contains("name=\"\(name)\"") == (field != nil), "\(kind) \(name)")
                    if let field { #expect(page.contains(">\(HTML(text: field.label).string)"), "\(kind) \(name)") }
                }
            }
        }
    }

    @Test func `offers the languages of messages, and keeps the one that was chosen`() async throws {
        try await withAdmin { sam, desk in
            let page = try await sam.get("/t/alpha/channels?kind=slack").text
            for language in AlertLanguage.allCases {
                #expect(page.contains("value=\"\(language.rawValue)\"") && page.contains(language.name))
            }
            var form = [
                ("kind", "slack"), ("name", "Nachts"), ("severity", "error"),
                ("secret", "https://hooks.slack.com/services/T0/B0/abc"), ("language", "tlh"),
            ]
            #expect(try await sam.post(.channels("alpha"), form).status == 422)
            form[4].1 = "de"
            #expect(try await sam.post(.channels("alpha"), form).status == 303)
            let list = try await sam.get(.channels("alpha")).text
            #expect(list.contains("in Deutsch"))
            let link = try #require(list.firstMatch(of: /href="(\/t\/alpha\/channels\/[0-9a-f-]{36})"/)?.1)
            let one = try await sam.get(String(link)).text
            #expect(one.contains("value=\"de\" selected") || one.contains("selected value=\"de\""))
            #expect(Markup(one).troubles == [])
        }
    }

    @Test func `without a mail server no address is taken, and that is said`() async throws {
        try await withAdmin(hasMail: false) { sam, desk in
            let page = try await sam.get("/t/alpha/channels?kind=email").text
            #expect(page.contains("has no mail server") && !page.contains("name=\"target\""))
            let refused = try await sam.post(
                .channels("alpha"),
                [("kind", "email"), ("name", "Nights"), ("target", "on-call@example.com"), ("severity", "error")])
            #expect(refused.status == 422 && refused.text.contains("no mail would ever arrive"))
            #expect(try await desk.alerts().channels(of: desk.alpha.id).isEmpty)
        }
    }

    @Test(arguments: [
        ("waiting", "", "The test message is on its way.", true),
        ("sent", "ok 200", "The test message was taken.", false),
        ("failed", "answered 404: no_service", "Answered 404: no_service. It is not tried again", false),
    ])
    func `shows by itself what came of a test`(state: String, answer: String, words: String, isAwaited: Bool)
        async throws
    {
        try await withAdmin { sam, desk in
            let channel = try await desk.alerts().addChannel(
                .email, ChannelChange(name: "Nights", target: "on-call@example.com"), of: desk.alpha.id,
                by: .commandLine)
            try await desk.database.execute(.house, "update refunds.channels set confirmed_at = \(desk.clock.now)")
            #expect(try await sam.post(.channelTest("alpha", channel.id)).status == 303)
            try await desk.database.execute(
                .house, "update refunds.notices set state = \(state), answer = \(answer) where event = 'test'")
            for site in [Site.channel("alpha", channel.id), .channelState("alpha", channel.id)] {
                let page = try await sam.get(site).text
                #expect(page.contains(words) && page.contains("data-awaits") == isAwaited, "\(site.url)")
                #expect(page.contains("data-live=\"standing\"") && Markup(page).troubles == [])
            }
            desk.clock.advance(by: .minutes(3))
            let later = try await sam.get(.channel("alpha", channel.id)).text
            #expect(!later.contains("data-awaits"))
            if isAwaited { #expect(later.contains("The test message was not sent yet.")) }
        }
    }
}

@Suite struct `The last step of an app's set-up` {
    @Test func `says who is called, and that nobody is`() async throws {
        try await withConsole { desk, console, _ in
            let sam = TestBrowser(console)
            try await sam.signIn()
            let site = Site.setup("alpha", bundleID: desk.alphaApp.bundleID, done: nil)
            #expect(try await sam.get(site).text.contains("Nobody is called yet."))
            _ = try await desk.alerts().addChannel(
                .email, ChannelChange(name: "Nights", target: "on-call@example.com"), of: desk.alpha.id,
                by: .commandLine)
            let page = try await sam.get(site).text
            #expect(
                page.contains("Nights") && page.contains("Not confirmed") && !page.contains("Nobody is called yet."))
        }
    }
}

@Suite struct `Runbooks` {
    @Test func `there is one for each rule, and it is shown to whoever is signed in`() async throws {
        try await withConsole { _, console, _ in
            let sam = TestBrowser(console)
            try await sam.signIn()
            for rule in IncidentRule.allCases {
                let page = try await sam.get(.runbook(rule.rawValue))
                #expect(page.status == 200 && page.text.contains("<h1>"), "\(rule.rawValue)")
                #expect(!page.text.contains("**") && !page.text.contains("```"), "\(rule.rawValue)")
            }
            #expect(try await sam.get(.runbook("nothing")).status == 404)
        }
    }

    @Test func `their text is read block by block, and nothing in it becomes markup`() {
        let blocks = RunbookText.blocks(
            "# A\n\n**Means.** `x` <b>\ngoes on\n\n- one\n  more\n- two\n\n```sql\nselect 1;\n```\n")
        #expect(
            blocks == [
                .heading("A"), .paragraph("**Means.** `x` <b> goes on"), .list(["one more", "two"]), .code("select 1;"),
            ])
        let html = String(decoding: RunbookText.inline("**Means.** `x` <b> [words](../a.md)").bytes, as: UTF8.self)
        #expect(html.contains("<strong>Means.</strong>") && html.contains("<code>x</code>") && html.contains("words"))
        #expect(!html.contains("<b>") && !html.contains("a.md"))
    }
}
