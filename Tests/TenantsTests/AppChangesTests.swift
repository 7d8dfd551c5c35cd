import Journal
import Postgres
import Support
import Testing
import Time

@testable import Tenants

@Suite struct `Settings of an app` {
    private func change(
        _ home: TwoTenants, refusing refused: [String] = [], _ set: (inout AppChanges) -> Void
    ) async throws -> App {
        var changes = AppChanges()
        set(&changes)
        let (settled, vault) = (changes, try home.vault)
        return try await home.with(home.a) { tx in
            try await TenantStore.change(
                home.appA, settled, with: vault,
                outbound: OutboundRules { refused.contains($0) ? "leads nowhere" : nil }, by: .commandLine,
                address: "192.0.2.7",
                at: Samples.now, in: tx)
        }
    }

    @Test func `what is changed is kept and audited with before and after, and no secret among it`() async throws {
        try await withTwoTenants { home in
            let app = try await change(home) {
                $0.name = "Coins"
                $0.environments = [.sandbox]
                $0.consent = .allFrom(
                    Samples.now, wording: "I agree to it.", shownWhere: "checkout", declaredBy: "Ada")
                $0.evidence = .callback
                $0.callbackURL = "https://backend.example/evidence?key=hush-hush"
                $0.relayURL = "https://backend.example/apple?key=hush-hush"
            }
            #expect(app.name == "Coins" && app.environments == [.sandbox] && app.evidence == .callback)
            #expect(app.consent == .allFrom(Samples.now, wording: "I agree to it."))
            #expect(app.consentDeclaration?.declaredBy == "Ada" && app.hasOtherReceiver == true)
            #expect(try await home.vault.relayURL(of: app)?.reveal() == "https://backend.example/apple?key=hush-hush")
            let lines = try await home.with(home.a) { tx in try await Audit.entries(of: home.a.id, limit: 1, in: tx) }
            let line = try #require(lines.first)
            let detail = String(decoding: line.detail, as: UTF8.self)
            #expect(line.action == "app.changed" && line.address == "192.0.2.7")
            #expect(detail.contains(#""name.after":"Coins","name.before":"com.example.app""#))
            #expect(!detail.contains("hush") && !detail.contains("I agree") && !detail.contains("Ada"))
        }
    }

    @Test(arguments: [
        ("backend.example", "relayURL"), ("ftp://backend.example/", "relayURL"),
        ("https://backend.example/\(String(repeating: "a", count: 2048))", "relayURL"),
        ("https://user:word@backend.example/", "relayURL"), ("https:///path", "relayURL"),
        ("https://backend.example:99999/", "relayURL"), ("https://backend.example/#part", "relayURL"),
        ("https://backend.example/a b", "relayURL"),
    ])
    func `an address that cannot be right is refused by name`(url: String, member: String) async throws {
        try await withTwoTenants { home in
            let error = await #expect(throws: AppChangeError.self) { try await change(home) { $0.relayURL = url } }
            #expect(error?.member == member)
        }
    }

    @Test func `an address that would not be called is refused when it is given`() async throws {
        try await withTwoTenants { (home) async throws in
            let url = "http://10.1.2.3/"
            for set: @Sendable (inout AppChanges) -> Void in [{ $0.relayURL = url }, { $0.callbackURL = url }] {
                let error = await #expect(throws: AppChangeError.self) {
                    try await change(home, refusing: [url], set)
                }
                #expect(error?.text == "leads nowhere")
            }
            #expect(try await change(home) { $0.relayURL = url }.isRelayed)
        }
    }

    @Test(arguments: [
        ("0001-01-01", false), ("2008-07-09", false), ("2008-07-10", true), ("2026-06-15", true),
        ("2026-06-16", false), ("2999-01-01", false),
    ])
    func `consent of all begins when the App Store was open and at most today`(day: String, isTaken: Bool) async throws
    {
        let now = try #require(Moment(date: "2026-06-15")) + .hours(12)
        let from = try #require(Moment(date: day))
        #expect((try? ConsentSetting.checkedStart(from, at: now)) == (isTaken ? from : nil))
    }

    @Test func `an app is made with the same bounds`() async throws {
        try await withTwoTenants { home in
            for from in [Moment(milliseconds: 0), Samples.now + .days(1)] {
                let error = await #expect(throws: AppChangeError.self) {
                    try await home.with(home.a) { tx in
                        var new = NewApp(bundleID: "com.example.bounds")
                        new.consent = .allFrom(from, wording: "I agree.")
                        return try await TenantStore.addApp(
                            new, to: home.a.id, at: Samples.now, by: .commandLine, in: tx)
                    }
                }
                #expect(error?.member == "consentFrom")
            }
        }
    }

    @Test func `each member that is wrong is named`() async throws {
        try await withTwoTenants { home in
            let wrong: [(String, @Sendable (inout AppChanges) -> Void)] = [
                ("name", { $0.name = "" }), ("appleID", { $0.appleID = -1 }),
                ("environments", { $0.environments = [] }),
                ("callbackURL", { $0.evidence = .callback }),
                (
                    "consentWording",
                    { $0.consent = .allFrom(Samples.now, wording: " ", shownWhere: "a", declaredBy: "b") }
                ),
                (
                    "consentShownWhere",
                    { $0.consent = .allFrom(Samples.now, wording: "w", shownWhere: "", declaredBy: "b") }
                ),
                (
                    "consentDeclaredBy",
                    { $0.consent = .allFrom(Samples.now, wording: "w", shownWhere: "a", declaredBy: "") }
                ),
            ]
            for (member, set) in wrong {
                let error = await #expect(throws: AppChangeError.self) { try await change(home, set) }
                #expect(error?.member == member)
            }
            _ = try await change(home) { $0.appleID = 6_450_000_001 }
            let error = await #expect(throws: AppChangeError.self) { try await change(home) { $0.appleID = 7 } }
            #expect(error?.member == "appleID")
        }
    }

    @Test func `apps are added from a list, each line by itself`() async throws {
        try await withTwoTenants { home in
            let rows = try await AppList.add(
                """
                # bundle ID, Apple ID, name
                com.example.one, 6450000011, One, and more

                com.example.app
                com.example.two, 64500000O12
                com.example.one
                com.example.three
                """, to: home.a.id, with: home.vault, by: .commandLine, in: home.database.database)
            #expect(rows.map(\.line) == [2, 4, 5, 6, 7])
            #expect(rows.map { (try? $0.result.get()) != nil } == [true, false, false, false, true])
            #expect(try rows[0].result.get().name == "One, and more")
            let apps = try await home.with(home.a) { tx in try await TenantStore.apps(of: home.a.id, in: tx) }
            #expect(apps.map(\.bundleID) == ["com.example.app", "com.example.one", "com.example.three"])
        }
    }

    @Test func `a product says something of its own until it is taken back`() async throws {
        try await withTwoTenants { home in
            for sample: Bool? in [true, false, nil] {
                let all = try await home.with(home.a) { tx in
                    try await ProductStore.set(
                        ProductSetting(productID: "coins.100", sampleContent: sample), of: home.appA,
                        by: .commandLine, at: Samples.now, in: tx)
                    return try await ProductStore.all(of: home.appA, in: tx)
                }
                #expect(all.map(\.sampleContent) == (sample == nil ? [] : [sample]))
            }
        }
    }
}
