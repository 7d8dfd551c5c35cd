import FoundationEssentials
import Postgres
import Refunds
import Support
import Tenants
import Testing
import Time

@testable import HTTP
@testable import Web

/// What is typed and sent to the console is checked at its door, and whoever sent it is told what to do.
@Suite struct `At the console's door` {
    private func withOwner(_ body: (TestBrowser, SampleDesk, Console) async throws -> Void) async throws {
        try await withConsole { desk, console, _ in
            try await desk.makeSam(.owner)
            let sam = TestBrowser(console)
            try await sam.signIn()
            try await body(sam, desk, console)
        }
    }

    private static func part(_ part: SetupPart) -> Site { .setupPart("alpha", bundleID: "com.example.alpha", part) }

    // MARK: forms that cannot be read

    @Test(arguments: [
        ("text/plain", "a=b", 415), ("application/json", "{}", 415), ("", "a=b", 415),
        ("application/x-www-form-urlencoded", "name=%ZZ", 400), ("application/x-www-form-urlencoded", "name=%FF", 400),
        ("multipart/form-data", "x", 400), ("multipart/form-data; boundary=b", "no parts", 400),
        ("multipart/form-data; boundary=b", "--b\r\nContent-Disposition: form-data; name=\"x\"\r\n\r\nx", 400),
    ])
    func `a form that is none or is damaged is answered by a page that says so`(type: String, body: String, status: Int)
        async throws
    {
        try await withOwner { sam, _, _ in
            let signedIn = try await sam.ask(
                .post, Self.part(.details).url,
                headers: [("Origin", TestBrowser.address), ("Content-Type", type)].filter { !$0.1.isEmpty }, body: body)
            #expect(signedIn.status == status)
            #expect(signedIn.text.contains("This cannot be read") && signedIn.text.contains("Nothing was changed"))
            #expect(signedIn.text.contains("action=\"/sign-out\"") && Markup(signedIn.text).troubles == [])
        }
    }

    @Test func `at the sign-in as well`() async throws {
        try await withConsole { _, console, _ in
            let answer = try await TestBrowser(console).ask(
                .post, "/sign-in", headers: [("Content-Type", "text/plain")], body: "email=x")
            #expect(answer.status == 415 && answer.headers["Content-Type"]?.hasPrefix("text/html") == true)
            #expect(answer.text.contains("This cannot be read") && Markup(answer.text).troubles == [])
        }
    }

    @Test func `a form with too many parts is too large, and says so`() async throws {
        try await withOwner { sam, _, _ in
            let answer = try await sam.upload(Self.part(.details), (0..<40).map { ("part\($0)", nil, "x") })
            #expect(answer.status == 413 && answer.text.contains("Too large"))
        }
    }

    @Test func `what no handler sees is answered by a page too, and machines by a line as before`() async throws {
        try await withConsole { _, console, _ in
            var router = Router(console.routes)
            console.answerRefusals(in: &router)
            for (status, words) in [
                (Status.contentTooLarge, "Too large"), (.uriTooLong, "Too large"), (.badRequest, "This cannot be read"),
                (.requestTimeout, "Back in a moment"), (.internalServerError, "Our mistake"),
            ] {
                let response = router.refused(status, "the reason", "/t/alpha/apps/new")
                guard case .bytes(let bytes) = response.body else {
                    Issue.record("not bytes")
                    return
                }
                let text = String(decoding: bytes, as: UTF8.self)
                #expect(response.status == status && text.contains(words), "\(status)")
                #expect(response.headers["Content-Security-Policy"] != nil && Markup(text).troubles == [])
            }
            for path in ["/health/live", "/metrics", nil] {
                let response = router.refused(.contentTooLarge, "the body is too large", path)
                #expect(response.headers["Content-Type"]?.hasPrefix("text/plain") == true, "\(path ?? "")")
            }
        }
    }

    // MARK: addresses that would be called

    @Test(
        arguments: [
            ("http://hooks.example/apple", "must begin with https://"), ("http://8.8.8.8/", "must begin with https://"),
            ("https://10.1.2.3/", "private network"), ("https://[fd12::1]/", "private network"),
            ("https://127.0.0.1:8080/", "private network"), ("https://localhost/", "private network"),
            ("https://2130706433/", "private network"), ("https://169.254.169.254/latest", "never called"),
            ("https://[fe80::1]/", "never called"), ("https://0.0.0.0/", "never called"),
            ("https://refunds.example/n/abc", "of this installation"),
            ("https://REFUNDS.example:443/x/..//%6E/abc?q", "of this installation"),
            ("https://user:word@hooks.example/", "user or a password"), ("https://hooks.example/#x", "behind #"),
            ("hooks.example", "must begin with https://"), ("https://hooks.example/a b", "space"),
            ("https://hooks.example/\(String(repeating: "a", count: 2048))", "an address has 2048 at most"),
        ])
    func `a URL that would not be called is refused when it is given`(url: String, reason: String) async throws {
        try await withOwner { sam, _, _ in
            for (part, fields) in [
                (SetupPart.receiver, [("hasOther", "yes"), ("relayURL", url)]),
                (
                    .evidence,
                    [("unreported", "delivered"), ("sample", "no"), ("way", "callback"), ("callbackURL", url)]
                ),
            ] {
                let answer = try await sam.post(Self.part(part), fields)
                #expect(answer.status == 422 && answer.text.contains("Nothing was changed."), "\(part)")
                #expect(answer.text.contains(reason), "\(part)")
            }
        }
    }

    @Test(arguments: ["https://hooks.example/n/x", "https://refunds.example/hooks", "https://refunds.example:8443/n/x"])
    func `another host, another path and another port are nobody's loop`(url: String) async throws {
        try await withOwner { (sam, _, _) async throws in
            #expect(
                try await sam.post(Self.part(.receiver), [("hasOther", "yes"), ("relayURL", url)]).status == 303)
        }
    }

    // MARK: names, e-mail addresses, days

    @Test func `a name that turns the writing is refused wherever one is given`() async throws {
        try await withOwner { sam, desk, console in
            let name = "Acme\u{202E}semaG"
            let ops = TestBrowser(console)
            try await ops.signIn("ops@desk.example")
            let answers = [
                try await sam.post(.accountName, [("name", name)]),
                try await sam.post(.generators, [("name", name)]),
                try await sam.post(.tokens("alpha"), [("name", name), ("scope", "cases"), ("life", "90")]),
                try await sam.post(Self.part(.details), [("name", name), ("environments", "both")]),
                try await sam.post(
                    .newApp("alpha"),
                    [
                        ("form", "one"), ("bundleID", "com.example.named"), ("name", name), ("environments", "both"),
                    ]),
                try await ops.post(.tenants, [("slug", "acme"), ("name", name)]),
                try await ops.post(.tenantName(ofTenant: "alpha"), [("name", name)]),
            ]
            for (index, answer) in answers.enumerated() {
                #expect(answer.status == 422 && answer.text.contains("U+202E"), "\(index): \(answer.status)")
            }
        }
    }

    @Test(arguments: [
        ("a b@c.d", "no blank inside"), ("<script>@x.y", "efore the @ of an e-mail address"), ("a@b", "a whole domain"),
        ("", "is needed"),
    ])
    func `an e-mail address that is none is refused, and nothing of it is changed`(email: String, reason: String)
        async throws
    {
        try await withOwner { sam, desk, console in
            let ops = TestBrowser(console)
            try await ops.signIn("ops@desk.example")
            let invited = try await sam.post(.invitations("alpha"), [("email", email), ("role", "viewer")])
            #expect(invited.status == 422 && invited.text.contains(reason))
            let first = try await ops.post(.firstOwner(ofTenant: "beta"), [("email", email)])
            #expect(first.status == 409 && first.text.contains(reason))
            #expect(try await desk.administration.people(of: desk.alpha.id).invitations.isEmpty)
        }
    }

    @Test func `blanks around an e-mail address make no difference at the sign-in`() async throws {
        try await withConsole { (_, console, _) async throws in
            #expect(try await TestBrowser(console).signIn(" Sam@alpha.example\t").status == 303)
            #expect(try await TestBrowser(console).signIn("sam @alpha.example").status == 403)
        }
    }

    @Test(arguments: ["0001-01-01", "2008-07-09", "2026-06-16"])
    func `everybody's consent begins between the App Store's first day and today`(day: String) async throws {
        try await withOwner { sam, _, _ in
            let answer = try await sam.post(
                Self.part(.consent),
                [
                    ("consent", "all-from"), ("wording", "We may tell Apple…"), ("shownWhere", "Terms, 4"),
                    ("since", day), ("declared", "yes"),
                ])
            #expect(answer.status == 422 && answer.text.contains("The first day lies"))
        }
    }

    @Test func `a bundle ID that is missing is said to be missing`() async throws {
        try await withOwner { sam, _, _ in
            let answer = try await sam.post(.newApp("alpha"), [("form", "one"), ("bundleID", "")])
            #expect(answer.status == 422 && answer.text.contains("The bundle ID is missing"))
        }
    }

    // MARK: links and lists

    @Test(arguments: ["/sign-in/link/", "/invitations/", "/set-up/"])
    func `a link that never was is not said to be used up`(path: String) async throws {
        try await withConsole { _, console, _ in
            let answer = try await TestBrowser(console).get(path + String(repeating: "A", count: 43))
            #expect(answer.status == 404 && answer.text.contains("It is unknown, was used"))
        }
    }

    @Test(arguments: [
        "cases?page=-1", "cases?app=com.example.nobody", "cases?app=no%20bundle", "cases?state=rubbish",
        "cases?state=", "cases?reason=rubbish", "cases?outcome=x&app=", "cases?state=open&state=held", "cases?app=%00",
        "cases?q=%FF", "notifications?page=2", "notifications?app=com.example.beta", "quarantine?app=com.example.beta",
        "quarantine?sort=up", "audit?action=rubbish", "audit?who=nobody", "audit?from=2026-06-02&to=2026-06-01",
        "audit?page=-1", "register?month=2026-13", "register?app=com.example.beta", "register?environment=Mars",
        "register?after=x", "register?sort=up", "register?month=2026-01&month=2026-02", "register?page=0",
        "register?state=&month=rubbish", "commerce-requests?state=rubbish", "commerce-requests?kind=x&app=",
        "commerce-requests?app=com.example.beta", "commerce-requests?environment=Mars", "commerce-requests?after=x",
        "commerce-requests?page=2", "commerce-requests/new?environment=Mars", "commerce-requests/new?kind=x",
        "alerts?state=open", "alerts/history?before=x", "alerts/history?after=x", "channels?kind=pigeon",
        "channels?sort=up",
    ])
    func `what a list's address holds and nobody understands is named, and the list is shown without it`(list: String)
        async throws
    {
        try await withOwner { sam, _, _ in
            let answer = try await sam.get("/t/alpha/" + list)
            if list == "cases?state=" {
                #expect(answer.location == "/t/alpha/cases")
                return
            }
            #expect(answer.status == 200 && answer.text.contains("A part of the address was not understood"))
            #expect(answer.text.contains("the list is shown as without it") && Markup(answer.text).troubles == [])
        }
    }

    @Test(arguments: [
        "cases.csv?page=2", "cases.csv?app=com.example.beta", "cases.csv?form=pdf", "audit.csv?action=rubbish",
        "audit.csv?form=pdf", "register.csv?month=2026-13", "register.csv?table=rubbish", "register.csv?form=pdf",
        "register.csv?app=com.example.beta", "register.csv?environment=Mars", "register.csv?sort=up",
    ])
    func `a file that was asked for in a way nobody understands is not given`(file: String) async throws {
        try await withOwner { sam, _, _ in
            let answer = try await sam.get("/t/alpha/" + file)
            #expect(answer.status == 400 && answer.text.contains("a part of the address was not understood"))
        }
    }
}
