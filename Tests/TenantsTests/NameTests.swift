import Postgres
import Support
import Testing
import Time

@testable import Tenants

@Suite struct `Names` {
    @Test(arguments: [
        "Ada", "Zoë Müller", "Acme Games, Inc.", "株式会社アクメ", "שירה", "علي", "葛\u{E0100}城", "Team ❤️", "A'B-C_1 (x)",
    ])
    func `every script is taken as it stands`(text: String) throws { #expect(try Name(text).text == text) }

    @Test(arguments: [
        "Ada\u{202E}gpj", "\u{2066}Ada", "A\u{200B}da", "A\u{200D}da", "A\u{FEFF}da", "A\u{AD}da", "A\u{2028}da",
        "A\u{2029}da", "A\nda", "A\tda", "A\0da", "A\u{7F}da", "A\u{85}da", "A\u{61C}da", "A\u{3164}da", "A\u{2800}da",
        "A\u{E0041}da", "Ada\u{200F}", "\u{FFFE}Ada", "\n",
    ])
    func `what cannot be seen, breaks a line or turns the writing is refused by its number`(text: String) {
        let trouble = #expect(throws: Name.Trouble.self) { try Name(text) }
        guard case .unseen(let scalar) = trouble else {
            Issue.record("\(String(describing: trouble))")
            return
        }
        #expect(text.unicodeScalars.contains(scalar))
        #expect(trouble?.description.contains("U+") == true)
    }

    @Test func `blanks at the ends are left out, and so much is a name at most`() throws {
        #expect(try Name("  Ada Byron \u{A0}").text == "Ada Byron")
        #expect(throws: Name.Trouble.empty) { try Name(" \u{3000} ") }
        #expect(throws: Name.Trouble.long(charactersMax: 100)) { try Name(String(repeating: "a", count: 101)) }
        #expect(try Name(String(repeating: "é", count: 200), charactersMax: Name.longMax).text.count == 200)
        #expect(throws: Name.Trouble.long(charactersMax: 100)) {
            try Name("a" + String(repeating: "\u{301}", count: 400))
        }
    }

    private static let turned = "Acme\u{202E}semaG"

    @Test func `tenants, apps and tokens have no other`() async throws {
        try await withTwoTenants { home in
            let unseen = Name.Trouble.unseen("\u{202E}")
            let now = Samples.now
            await #expect(throws: TenantStoreError.badName(unseen)) {
                try await home.database.database.transaction(.house) { tx in
                    try await TenantStore.add(slug: "acme", name: Self.turned, at: now, by: .commandLine, in: tx)
                }
            }
            await #expect(throws: TenantStoreError.badName(unseen)) {
                try await home.database.database.transaction(.house) { tx in
                    try await TenantStore.rename(home.a.slug, to: Self.turned, at: now, by: .commandLine, in: tx)
                }
            }
            await #expect(throws: TenantStoreError.badName(unseen)) {
                try await home.with(home.a) { tx in
                    var new = NewApp(bundleID: "com.example.named")
                    new.name = Self.turned
                    return try await TenantStore.addApp(new, to: home.a.id, at: now, by: .commandLine, in: tx)
                }
            }
            let vault = try home.vault
            let error = await #expect(throws: AppChangeError.self) {
                try await home.with(home.a) { tx in
                    var changes = AppChanges()
                    changes.name = Self.turned
                    return try await TenantStore.change(
                        home.appA, changes, with: vault, outbound: OutboundRules { _ in nil }, by: .commandLine,
                        at: now, in: tx)
                }
            }
            #expect(error?.member == "name" && error?.text.contains("U+202E") == true)
            let tokens = APITokens(database: home.database.database, clock: ManualClock(now).clock)
            await #expect(throws: TokenError.badName(unseen)) {
                try await home.with(home.a) { tx in
                    try await tokens.add(
                        to: home.a.id, app: nil, scopes: [.cases], name: Self.turned, by: .commandLine, in: tx)
                }
            }
        }
    }

    @Test func `people and devices have no other`() throws {
        #expect(throws: SignInError.badName(.unseen("\u{202E}"))) { try SignIn.name(Self.turned) }
        #expect(throws: SignInError.badName(.unseen("\u{200B}"))) { try SignIn.optionalName("A\u{200B}") }
        #expect(try SignIn.optionalName("  ") == nil)
    }
}
