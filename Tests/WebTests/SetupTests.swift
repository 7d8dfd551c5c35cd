import Crypto
import FoundationEssentials
import Journal
import Postgres
import Refunds
import Simulator
import Support
import Testing
import Time

@testable import Tenants
@testable import Web

@Suite struct `The setup page` {
    private static let app = "com.example.alpha"
    private static let page = Site.setup("alpha", bundleID: app, done: nil)
    private static func part(_ part: SetupPart) -> Site { .setupPart("alpha", bundleID: app, part) }

    /// Sam as an admin: the sample's Sam supports.
    private func withAdmin(_ body: (TestBrowser, SampleDesk) async throws -> Void) async throws {
        try await withConsole { desk, console, _ in
            try await desk.makeSam(.admin)
            let sam = TestBrowser(console)
            try await sam.signIn()
            try await body(sam, desk)
        }
    }

    private func models() -> [SetupModel] { [SetupSamples.begun, SetupSamples.troubled, SetupSamples.ready] }

    // MARK: The page itself

    @Test func `what the script fetches are the parts of the page that change by themselves, all of them`() {
        for model in models() {
            let page = SetupSamples.page(model)
            func parts(_ html: HTML) -> Set<String> {
                Set(Markup(html.string).tags.compactMap { $0.attributes["data-live"] })
            }
            #expect(parts(page.fragment) == parts(page.html))
            #expect(parts(page.html).isSuperset(of: ["readiness", "probe", "test", "step-key"]))
        }
    }

    @Test func `it is asked again only while something is awaited`() {
        #expect(!SetupSamples.page(SetupSamples.begun).html.string.contains("data-awaits"))
        #expect(SetupSamples.page(SetupSamples.troubled).html.string.contains("data-awaits"))
    }

    @Test func `what is left stays in sight until nothing is`() {
        let begun = SetupSamples.page(SetupSamples.begun).readiness.string
        #expect(begun.contains("What is left") && begun.contains("href=\"#key\"") && begun.contains("5 left"))
        let ready = SetupSamples.page(SetupSamples.ready).readiness.string
        #expect(ready.contains("Nothing is left") && !ready.contains("href=\"#key\""))
    }

    @Test func `it says plainly what consent is, and that nobody is paged`() {
        let page = SetupSamples.page(SetupSamples.begun).html.string
        #expect(page.contains("nobody is answered"))
        #expect(
            page.contains("This says that the customer agreed.") && page.contains("Not that your team has an interest"))
        #expect(page.contains("Nobody is called yet"))
    }

    @Test func `a rehearsal reads Rehearsal, and its side cannot be changed`() throws {
        var model = SetupSamples.begun
        model.app = SetupSamples.app { $0.rehearsal = RehearsalSide(root: [1], apiURL: "http://127.0.0.1:9090") }
        model.environments = [SetupEnvironment(id: .production, name: "Rehearsal")]
        let page = SetupSamples.page(model).html.string
        #expect(page.contains("Rehearsal</span>") && !page.contains("name=\"environments\""))
        #expect(!page.contains("Send a Production test") && page.contains("calls <code>http://127.0.0.1:9090</code>"))
    }

    @Test func `a rehearsal's page sends nobody to App Store Connect`() throws {
        for var model in models() {
            model.app = SetupSamples.app { $0.rehearsal = RehearsalSide(root: [1], apiURL: "http://127.0.0.1:9090") }
            model.environments = [SetupEnvironment(id: .production, name: "Rehearsal")]
            let page = SetupSamples.page(model).html.string
            #expect(!page.contains("App Store Connect") && page.contains("/control/apps/"))
        }
    }

    @Test func `what a newer try did not tell stands beside what is known, and takes nothing away`() {
        var model = SetupSamples.begun
        model.keys = SetupSamples.keys
        let at = Samples.signed
        model.environments[0].probe = SetupProbe(
            at: at, result: .accepted, words: ProbeWords(summary: "Apple accepts it."), keyID: nil)
        model.environments[0].trial = KeyTrial(at: at, result: .accepted, source: .probe)
        model.environments[0].trouble = SetupProbe(
            at: at + .minutes(1), result: .limited, words: ProbeWords(summary: "Apple asks for a pause."), keyID: nil)
        let page = SetupSamples.page(model).html.string
        #expect(page.contains("Accepted</span>") && page.contains("Apple accepts it."))
        #expect(page.contains("what is said above still stands") && page.contains("Apple asks for a pause."))
        #expect(!page.contains("Too many calls"))
    }

    @Test func `a mistyped Apple ID is named where the test is awaited, and corrected there by those who may`() {
        var model = SetupSamples.begun
        model.refused = SetupModel.Refused(
            at: Samples.signed,
            words: RefusedWords(summary: "Its Apple ID is 6450000001.", advice: "Correct it.", appleID: 6_450_000_001))
        let page = SetupSamples.page(model).html.string
        #expect(page.contains("Its Apple ID is 6450000001.") && page.contains("Set the Apple ID to 6450000001"))
        #expect(page.contains("name=\"appleID\" value=\"6450000001\"") || page.contains("value=\"6450000001\""))
        model.isAppleIDProven = true
        #expect(!SetupSamples.page(model).html.string.contains("Set the Apple ID to"))
    }

    @Test func `an Apple ID is corrected until a Production notification has named it`() async throws {
        try await withAdmin { (sam, desk) async throws in
            func set(_ id: String) async throws -> TestBrowser.Answer {
                try await sam.post(Self.part(.appleID), [("appleID", id)])
            }
            #expect(try await set("6450000077").location?.hasSuffix("done=apple-id#url") == true)
            let corrected = try await set("6450000078")
            #expect(corrected.location?.hasSuffix("done=apple-id#url") == true)
            #expect(try await sam.get(Self.page).text.contains("6450000078"))
            #expect(try await set("no").status == 422)
            let other = try await sam.post(
                .setupPart("alpha", bundleID: "com.example.alpha.lite", .appleID), [("appleID", "6450000078")])
            #expect(other.status == 422 && other.text.contains("com.example.alpha has the Apple ID 6450000078"))
            try await desk.add(SampleCase(), to: desk.alphaApp)
            let refused = try await set("6450000079")
            #expect(refused.status == 422 && refused.text.contains("own word"))
            #expect(try await sam.get(Self.page).text.contains("6450000078, as Apple"))
        }
    }

    // MARK: Who may

    @Test func `those who may not change apps see a summary: no address, no form, and theirs are refused`() async throws
    {
        try await withConsole { _, console, _ in
            let sam = TestBrowser(console)
            try await sam.signIn()
            let page = try await sam.get(Self.page)
            #expect(page.status == 200 && page.text.contains("Owners and admins of your tenant change it"))
            #expect(!page.text.contains("/n/") && !page.text.contains("/setup/key"))
            for part in SetupPart.allCases { #expect(try await sam.post(Self.part(part)).status == 403, "\(part)") }
            #expect(try await sam.get(.newApp("alpha")).status == 403)
            #expect(try await sam.post(.newApp("alpha"), [("bundleID", "com.example.new")]).status == 403)
        }
    }

    @Test func `BL-062: another tenant's app, and one that never was, are nowhere, to the byte`() async throws {
        try await withAdmin { (sam, _) async throws in
            let nothing = try await sam.get("/no/such/page")
            let foreign: [(String, String)] = [
                ("beta", "com.example.beta"), ("alpha", "com.example.beta"), ("alpha", "no.such"),
            ]
            for (slug, bundleID) in foreign {
                for site in [Site.setup(slug, bundleID: bundleID, done: nil), .setupState(slug, bundleID: bundleID)] {
                    let answer = try await sam.get(site)
                    #expect(answer.status == 404 && answer.text == nothing.text, "\(site.url)")
                }
                for part in SetupPart.allCases {
                    let answer = try await sam.post(.setupPart(slug, bundleID: bundleID, part))
                    #expect(answer.status == 404 && answer.text == nothing.text, "\(slug) \(bundleID) \(part)")
                }
            }
        }
    }

    @Test func `BL-071: a foreign page changes nothing`() async throws {
        try await withAdmin { (sam, _) async throws in
            for part in SetupPart.allCases {
                let answer = try await sam.post(Self.part(part).url, [], headers: [("Origin", "https://evil.example")])
                #expect(answer.status == 403, "\(part)")
            }
        }
    }

    // MARK: Apps

    @Test func `a tenant without an app is led to add one, and from there to its setup page`() async throws {
        try await withConsole { desk, console, _ in
            try await desk.makeSam(.owner)
            try await desk.removeApps()
            let sam = TestBrowser(console)
            try await sam.signIn()
            #expect(try await sam.get(.overview("alpha")).text.contains("href=\"/t/alpha/apps/new\""))
            let added = try await sam.post(
                .newApp("alpha"), [("form", "one"), ("bundleID", "com.example.New"), ("environments", "sandbox")])
            #expect(added.location == "/t/alpha/apps/com.example.New/setup")
            let page = try await sam.get(added.location ?? "")
            #expect(page.text.contains("value=\"https://refunds.example/n/"))
            #expect(!page.text.contains("Send a Production test") && page.text.contains("Send a Sandbox test") == false)
        }
    }

    @Test func `several apps come from a list, and a bad line harms no other`() async throws {
        try await withAdmin { (sam, desk) async throws in
            let answer = try await sam.post(
                .newApp("alpha"),
                [
                    ("form", "list"),
                    ("list", "com.example.one, 6450000077, One\nnot a bundle\ncom.example.alpha\ncom.example.two"),
                ])
            #expect(answer.status == 200 && answer.text.contains("2 apps were added. 2 lines were not taken"))
            #expect(answer.text.contains("Line 2") && answer.text.contains("Line 3"))
            // What failed stays to be put right, and what was added is not sent again.
            #expect(answer.text.contains(">\nnot a bundle\ncom.example.alpha</textarea>"))
            #expect(answer.text.contains("The tenant already has an app com.example.alpha."))
            let apps = try await desk.transaction(for: desk.alphaApp) { tx in
                try await TenantStore.apps(of: desk.alpha.id, in: tx)
            }
            #expect(Set(apps.map(\.bundleID)).isSuperset(of: ["com.example.one", "com.example.two"]))
            #expect(apps.first { $0.bundleID == "com.example.one" }?.appleID == 6_450_000_077)
        }
    }

    @Test(arguments: [
        (["form": "one", "bundleID": "no bundle"], "cannot be a bundle ID"),
        (["form": "one", "bundleID": "com.example.alpha", "environments": "both"], "already has an app"),
        (["form": "one", "bundleID": "com.example.x", "appleID": "12a"], "digits alone"),
        (
            ["form": "one", "bundleID": "com.example.x", "appleID": "99999999999999999999999"],
            "has 23 digits, and 18 at most can be right"
        ),
        (
            ["form": "one", "bundleID": String(repeating: "a", count: 156)],
            "it has 156 characters, and App Store Connect takes 155 at most"
        ),
        (["form": "one", "bundleID": "com.example.x"], "choice of environments must be one of both, sandbox"),
        (
            ["form": "one", "bundleID": "com.example.x", "environments": "Mars"],
            "choice of environments must be one of both, sandbox"
        ),
        (["form": "rubbish", "list": "com.example.x"], "must be one of one, list, rehearsal"),
        (["form": "", "list": "com.example.x"], "must be one of one, list, rehearsal"),
        (["form": "list", "list": ""], "The list"),
        (
            ["form": "rehearsal", "bundleID": "com.example.x", "apiURL": "http://127.0.0.1:9"],
            "root certificate is missing"
        ),
    ])
    func `what cannot be an app is refused with the reason, and nothing typed is lost`(
        fields: [String: String], reason: String
    ) async throws {
        try await withAdmin { (sam, _) async throws in
            let answer = try await sam.post(.newApp("alpha"), fields.map { ($0.key, $0.value) })
            #expect(answer.status == 422 && answer.text.contains(reason), "\(answer.text)")
            if let bundleID = fields["bundleID"], fields["form"] != "list" {
                #expect(answer.text.contains("value=\"\(bundleID)\""))
            }
        }
    }

    // MARK: Keys

    @Test func `BL-002: a pasted key is saved, known by its fingerprint, and never shown again`() async throws {
        try await withAdmin { (sam, _) async throws in
            let key = try NewSigningKey.make()
            let mangled = key.p8.replacing("\n", with: "\\n")
            let answer = try await sam.upload(
                Self.part(.key),
                [
                    ("file", "", ""), ("pasted", nil, mangled), ("keyID", nil, key.keyID),
                    ("issuerID", nil, key.issuerID),
                    ("serves", nil, "all"),
                ])
            #expect(answer.location == "/t/alpha/apps/com.example.alpha/setup?done=key#key", "\(answer.text)")
            let page = try await sam.get(answer.location.map { String($0.prefix { $0 != "#" }) } ?? "")
            #expect(page.text.contains(key.publicKey.fingerprint) && page.text.contains("Key \(key.keyID) is saved."))
            for line in key.p8.split(separator: "\n") where !line.hasPrefix("-----") {
                #expect(!page.text.contains(line))
            }
        }
    }

    @Test func `which key signs, which is kept and until when stands with each key`() throws {
        func story(_ id: UUID, _ keyID: String, _ state: SigningKeyState, app: AppID? = nil) -> KeyStory {
            KeyStory(
                info: SigningKeyInfo(
                    tenant: Samples.tenant, id: SigningKeyID(rawValue: id), keyID: keyID,
                    issuerID: Samples.key.issuerID, app: app, fingerprint: "aa", createdAt: Samples.signed,
                    state: state, retiresAt: state == .retiring ? Samples.signed + .days(7) : nil),
                opens: true, standings: [], revocation: RevocationAdvice(isSafe: false, why: "No."))
        }
        var model = SetupSamples.begun
        let (new, old) = (
            story(Samples.id(71), "NEWNEWNEW1", .active), story(Samples.id(72), "OLDOLDOLD1", .retiring)
        )
        model.keys = [new, old]
        for place in model.environments.indices { model.environments[place].signer = new.info.id }
        var page = SetupSamples.page(model).html.string
        #expect(page.contains("in Production and Sandbox") && page.contains("Kept for grace"))
        #expect(page.contains("no: NEWNEWNEW1 does. Kept until \(TimeText(Samples.signed + .days(7)).short)"))
        model.environments[0].signer = old.info.id
        page = SetupSamples.page(model).html.string
        #expect(page.contains("Signs in Sandbox") && page.contains("Signs meanwhile"))
        #expect(page.contains("in Production, until Apple accepts NEWNEWNEW1 there for this app"))
        #expect(!page.contains("In use"))
        // An older key of the whole tenant beside one of this app alone.
        model.keys = [
            story(Samples.id(71), "NEWNEWNEW1", .active, app: Samples.alpha.id),
            story(Samples.id(73), "WIDEWIDE01", .active),
        ]
        for place in model.environments.indices { model.environments[place].signer = new.info.id }
        #expect(SetupSamples.page(model).html.string.contains("not for this app: NEWNEWNEW1 is this app"))
    }

    @Test func `what a reply proved stands beside the try, and the newer of both is the state`() {
        var model = SetupSamples.begun
        model.keys = SetupSamples.keys
        model.environments[0].call = KeyCall(at: Samples.signed, isAccepted: true)
        model.environments[0].trial = KeyTrial(at: Samples.signed, result: .accepted, source: .call)
        let page = SetupSamples.page(model).html.string
        #expect(page.contains("Apple took a reply of this app") && page.contains("Accepted</span>"))
        #expect(page.matches(of: /Not tried yet\./).count == 1, "of Sandbox alone")
        #expect(page.contains("Try again"))
    }

    @Test func `what was not delivered is tried again by those who may change the app`() async throws {
        try await withAdmin { (sam, desk) async throws in
            let answer = try await sam.post(
                Self.part(.receiver), [("hasOther", "yes"), ("relayURL", "https://hooks.example/x")])
            #expect(answer.status == 303)
            let nothing = try await sam.post(Self.part(.redelivery))
            #expect(nothing.status == 409 && nothing.text.contains("There is nothing to try again."))
            try await desk.database.execute(
                .house,
                """
                insert into refunds.relay_deliveries
                  (tenant_id, app_id, notification_uuid, state, attempts, created_at, next_attempt_at, give_up_at)
                values (\(desk.alpha.id.rawValue), \(desk.alphaApp.id.rawValue), \(Samples.id(9)), 'given-up', 9,
                  \(desk.clock.now), \(desk.clock.now), \(desk.clock.now))
                """)
            #expect(try await sam.get(Self.page).text.contains("Try all again that were not delivered"))
            let again = try await sam.post(Self.part(.redelivery))
            #expect(again.location == "/t/alpha/apps/com.example.alpha/setup?done=redelivery#url")
            let log = try await desk.database.rows(
                .house,
                "select action from tenants.audit where tenant_id = \(desk.alpha.id.rawValue) order by seq desc limit 1"
            )
            #expect(try log[0]("action") == "relay.retried")
            #expect(!(try await sam.get(Self.page).text.contains("given up</span>")))
            try await desk.makeSam(.support)
            #expect(try await sam.post(Self.part(.redelivery)).status == 403)
        }
    }

    @Test func `the key ID is read from the file's name`() async throws {
        try await withAdmin { (sam, _) async throws in
            let key = try NewSigningKey.make()
            let answer = try await sam.upload(
                Self.part(.key),
                [
                    ("file", "SubscriptionKey_\(key.keyID).p8", key.p8), ("keyID", nil, ""),
                    ("issuerID", nil, key.issuerID), ("serves", nil, "app"),
                ])
            #expect(answer.status == 303, "\(answer.text)")
            #expect(try await sam.get(Self.page).text.contains(key.keyID))
        }
    }

    @Test func `a key that is not taken says why, keeps what was typed, and shows nothing of the file`() async throws {
        try await withAdmin { (sam, _) async throws in
            let issuer = "57246542-96fe-1a63-e053-0824d011072a"
            let answer = try await sam.upload(
                Self.part(.key),
                [
                    ("file", nil, ""), ("pasted", nil, "c2VjcmV0LWxvb2tpbmctdGV4dA=="), ("keyID", nil, "ABCDEFGH12"),
                    ("issuerID", nil, issuer), ("serves", nil, "all"),
                ])
            #expect(answer.status == 422 && answer.text.contains("This key was not taken."))
            #expect(answer.text.contains("value=\"ABCDEFGH12\"") && answer.text.contains("value=\"\(issuer)\""))
            #expect(!answer.text.contains("c2VjcmV0"))
            let none = try await sam.upload(Self.part(.key), [("file", "", ""), ("pasted", nil, "")])
            #expect(none.status == 422 && none.text.contains("No key was sent."))
        }
    }

    @Test func `a text pasted beside a chosen file is not dropped unseen, nor is a second file`() async throws {
        try await withAdmin { (sam, _) async throws in
            let (one, two) = (try NewSigningKey.make(), try NewSigningKey.make())
            let rest = [("issuerID", nil, one.issuerID), ("serves", nil, "all")] as [(String, String?, String)]
            let file = ("file", Optional("SubscriptionKey_\(one.keyID).p8"), one.p8)
            let both = try await sam.upload(Self.part(.key), [file, ("pasted", nil, two.p8)] + rest)
            #expect(both.status == 422 && both.text.contains("A file was chosen and a text was pasted."))
            #expect(both.text.contains("No key was taken: 2 were sent."))
            let files = try await sam.upload(
                Self.part(.key), [file, ("file", "SubscriptionKey_\(two.keyID).p8", two.p8)] + rest)
            #expect(files.status == 422 && files.text.contains("One file at a time"))
            for key in [one, two] { #expect(try await !sam.get(Self.page).text.contains(key.publicKey.fingerprint)) }
            // Blanks in the other field are nothing.
            let alone = try await sam.upload(Self.part(.key), [file, ("pasted", nil, " \r\n")] + rest)
            #expect(alone.status == 303)
        }
    }

    @Test func `one private key under several Key IDs is told`() throws {
        func story(_ n: Int, _ keyID: String, _ state: SigningKeyState, _ fingerprint: String) -> KeyStory {
            KeyStory(
                info: SigningKeyInfo(
                    tenant: Samples.tenant, id: SigningKeyID(rawValue: Samples.id(n)), keyID: keyID,
                    issuerID: Samples.key.issuerID, app: nil, fingerprint: fingerprint, createdAt: Samples.signed,
                    state: state),
                opens: true, standings: [], revocation: RevocationAdvice(isSafe: false, why: "No."))
        }
        var model = SetupSamples.begun
        model.keys = [
            story(71, "NEWNEWNEW1", .active, "aa:bb"), story(72, "OLDOLDOLD1", .retiring, "aa:bb"),
            story(73, "OTHEROTHER", .active, "cc:dd"), story(74, "GONEGONE11", .retired, "cc:dd"),
        ]
        let page = SetupSamples.page(model).html.string
        #expect(page.contains("One private key is kept under 2 Key IDs: NEWNEWNEW1 and OLDOLDOLD1."))
        #expect(page.matches(of: /One private key is kept/).count == 1, "what was wiped signs nothing")
    }

    // MARK: Settings

    @Test func `everybody's consent needs a wording, a place, a day and a declaration`() async throws {
        try await withAdmin { (sam, _) async throws in
            let whole = [
                ("consent", "all-from"), ("wording", "We may tell Apple…"), ("shownWhere", "Terms, section 4"),
                ("since", "2026-01-31"), ("declared", "yes"),
            ]
            for missing in ["wording", "shownWhere", "since", "declared"] {
                let answer = try await sam.post(Self.part(.consent), whole.filter { $0.0 != missing })
                #expect(answer.status == 422 && answer.text.contains("Nothing was changed."), "\(missing)")
            }
            #expect(try await sam.post(Self.part(.consent), whole).status == 303)
            let page = try await sam.get(Self.page)
            #expect(page.text.contains("Everybody who bought since 2026-01-31 00:00 UTC agreed"))
            #expect(page.text.contains("by sam@alpha.example"))
        }
    }

    @Test func `another receiver is named by its host alone`() async throws {
        try await withAdmin { (sam, _) async throws in
            #expect(try await sam.post(Self.part(.receiver), [("hasOther", "yes")]).status == 422)
            let given = try await sam.post(
                Self.part(.receiver), [("hasOther", "yes"), ("relayURL", "https://hooks.example/apple?token=s3cret")])
            #expect(given.status == 303)
            let page = try await sam.get(Self.page)
            #expect(page.text.contains("hooks.example") && !page.text.contains("s3cret"))
            #expect(page.text.contains("Switch off its own refund answers"))
            #expect(try await sam.post(Self.part(.receiver), [("hasOther", "no")]).status == 303)
            #expect(try await !sam.get(Self.page).text.contains("Passed on to"))
        }
    }

    @Test(
        arguments: [
            (SetupPart.consent, [("consent", "rubbish")]), (.consent, []),
            (.details, [("name", "Alpha"), ("environments", "Mars")]),
            (.evidence, [("unreported", "rubbish"), ("sample", "no"), ("way", "push")]),
            (.evidence, [("unreported", "delivered"), ("sample", "rubbish"), ("way", "push")]),
            (.evidence, [("unreported", "delivered"), ("sample", "no"), ("way", "rubbish")]),
            (.evidence, [("unreported", "delivered"), ("sample", "no")]),
            (.product, [("productID", "pro"), ("productSample", "rubbish")]), (.product, [("productID", "pro")]),
            (.receiver, [("hasOther", "rubbish"), ("relayURL", "https://hooks.example/x")]),
        ] as [(SetupPart, [(String, String)])])
    func `a choice that is not offered, or not made, changes nothing`(
        part: SetupPart, fields: [(String, String)]
    ) async throws {
        try await withAdmin { (sam, desk) async throws in
            let entries: SQL =
                "select count(*) as n from tenants.audit where action in ('app.changed', 'product.changed')"
            let answer = try await sam.post(Self.part(part), fields)
            #expect(answer.status == 422 && answer.text.contains("must be one of"), "\(answer.text)")
            let row = try await desk.database.rows(.house, entries).first
            #expect(try row?("n") == 0 as Int64)
        }
    }

    @Test func `a key is not taken for every app unless that was chosen`() async throws {
        try await withAdmin { (sam, _) async throws in
            let key = try NewSigningKey.make()
            for serves in ["rubbish", ""] {
                let answer = try await sam.upload(
                    Self.part(.key),
                    [
                        ("file", "SubscriptionKey_\(key.keyID).p8", key.p8), ("keyID", nil, ""),
                        ("issuerID", nil, key.issuerID), ("serves", nil, serves),
                    ])
                #expect(answer.status == 422 && answer.text.contains("Choose what it serves"), "\(answer.text)")
            }
            #expect(try await !sam.get(Self.page).text.contains(key.publicKey.fingerprint))
        }
    }

    @Test func `one product may say of its free sample what the app does not`() async throws {
        try await withAdmin { (sam, _) async throws in
            #expect(
                try await sam.post(Self.part(.product), [("productID", "pro.yearly"), ("productSample", "yes")]).status
                    == 303)
            #expect(try await sam.get(Self.page).text.contains("pro.yearly</span>: free sample"))
            #expect(
                try await sam.post(Self.part(.product), [("productID", "pro.yearly"), ("productSample", "app")]).status
                    == 303)
            #expect(try await !sam.get(Self.page).text.contains("pro.yearly"))
            #expect(try await sam.post(Self.part(.product), [("productID", "no spaces here")]).status == 422)
        }
    }

    @Test func `a token is shown once, in the answer to its own form`() async throws {
        try await withAdmin { (sam, _) async throws in
            #expect(
                try await sam.post(
                    Self.part(.evidence), [("unreported", "delivered"), ("sample", "no"), ("way", "push")]
                ).status == 303)
            let made = try await sam.post(Self.part(.token))
            let token = try #require(made.text.firstMatch(of: /rd_[A-Za-z0-9_-]{43}/)).0
            #expect(made.text.contains("token=&#39;\(token)&#39;"))
            #expect(try await !sam.get(Self.page).text.contains(token))
        }
    }
}
