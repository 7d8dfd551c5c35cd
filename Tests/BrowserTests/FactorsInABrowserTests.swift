import AppStore
import Crypto
import FoundationEssentials
import HTTP
import Journal
import Loop
import Refunds
import Support
import Testing
import Time
import Web

/// Second factors as a person has them: real pages, real Chromium, an authenticator of its own.
@Suite(.serialized) struct `Second factors in a browser` {
    private struct Desk {
        let desk: SampleDesk
        let browser: WebDriver
        let address: String

        func open(_ path: String) async throws { try await browser.open(address + path) }

        func signIn() async throws {
            try await open("/sign-in")
            try await browser.type("sam@alpha.example", into: "#field-email")
            try await browser.type(SampleDesk.password, into: "#field-password")
            try await browser.click("button.button-main")
        }

        func signOut() async throws {
            try await browser.click(".account summary")
            try await browser.click("form[action='/sign-out'] button")
            try await arrive("/sign-in")
        }

        func arrive(_ path: String) async throws {
            try await until { (try? await browser.url == address + path) ?? false }
        }

        /// For people to look at, at each width and in each scheme; not part of the checkout.
        func keep(_ name: String) async throws {
            let folder = Checkout.path(".test-data/pictures")
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            for (width, isDark) in [(390, false), (390, true), (1360, false), (1360, true)] {
                try await browser.resize(width: width, height: 900)
                try await browser.prefer(dark: isDark)
                let sticking = try await browser.run(
                    "return document.documentElement.scrollWidth - document.documentElement.clientWidth")
                #expect(sticking.int == 0, "\(name) at \(width)")
                let picture = try await browser.picture()
                _ = FileManager.default.createFile(
                    atPath: "\(folder)/\(name)-\(width)-\(isDark ? "dark" : "light").png", contents: Data(picture))
            }
            try await browser.prefer(dark: false)
            try await browser.resize(width: 1360, height: 900)
        }
    }

    /// A desk under `http://localhost`, which is a name that browsers give passkeys to.
    private func withDesk(_ body: (Desk) async throws -> Void) async throws {
        try await withDatabase { test in
            let desk = try await SampleDesk.make(in: test)
            let serve = { (listen: String, routes: Router) throws -> Server in
                Server(
                    listen: try #require(SocketAddress(listen)), routes: routes, loops: test.loops, clock: .system,
                    journal: .silent, counters: Counters())
            }
            // The desk must know its own port before it is there.
            let scout = try serve("127.0.0.1:0", Router([]))
            let port = try #require(try await scout.start().port)
            await scout.stop(within: .seconds(1))
            let address = "http://localhost:\(port)"
            let console = Console(
                records: Records(database: test.database), signIn: desk.signIn,
                administration: desk.administration, checks: CheckDesk { _ in [] },
                publicAddress: try #require(PublicAddress(url: address)),
                assets: try Assets(folder: Checkout.path("public")), setup: try desk.setup(),
                commerce: try desk.commerce(), alerts: try desk.alerts(), deciding: desk.deciding(),
                evidence: try desk.evidence(),
                post: desk.post(), clock: desk.clock.clock)
            let server = try serve("127.0.0.1:\(port)", Router(console.routes))
            _ = try await server.start()
            let browser = try await WebDriver.start()
            let result: Result<Void, any Error>
            do {
                try await body(Desk(desk: desk, browser: browser, address: address))
                result = .success(())
            } catch {
                result = .failure(error)
            }
            await browser.end()
            await server.stop(within: .seconds(1))
            try result.get()
        }
    }

    @Test func `somebody adds a passkey, signs out, and signs in with it alone`() async throws {
        try await withDesk { stage in
            let browser = stage.browser
            try await browser.plugInAuthenticator()
            try await stage.signIn()
            try await stage.open("/account")
            try await browser.type("Laptop", into: "#field-passkey-name")
            try await browser.click("[data-passkey=create] button")
            try await until { (try? await browser.text(".table").contains("Laptop")) ?? false }
            try await stage.keep("account-passkey")
            // The same device has one already.
            try await browser.click("[data-passkey=create] button")
            try await until {
                (try? await browser.text("[data-passkey=create] [role=status]").contains("already")) ?? false
            }
            try await stage.signOut()
            try await stage.keep("sign-in")
            try await browser.click("[data-passkey=get] button")
            try await stage.arrive("/t/alpha")
            try await stage.open("/account")
            #expect(try await browser.text("main").contains("by passkey"))
            #expect(try await browser.complaints() == [])
        }
    }

    @Test func `somebody turns codes on, keeps the recovery codes, and signs in with a code`() async throws {
        try await withDesk { stage in
            let browser = stage.browser
            try await stage.signIn()
            try await stage.open("/account")
            try await browser.type("Telephone", into: "#field-generator-name")
            try await browser.click("form[action='/account/generators'] button")
            let uri = try await browser.text(".facts .fact:last-child .mono")
            let secret = try #require(uri.firstMatch(of: /secret=([A-Z2-7]+)/)).1
            try await stage.keep("generator")
            try await browser.type(try Self.code(secret, stage.desk), into: "#field-code")
            try await browser.click("main form button.button-main")
            try await until { (try? await browser.text("h1") == "Recovery codes") ?? false }
            #expect(try await browser.text(".code-block").split(separator: "\n").count == 10)
            try await stage.keep("recovery-codes")
            try await stage.open("/account")
            try await stage.keep("account-codes")
            try await stage.signOut()
            stage.desk.clock.advance(by: .seconds(30))
            // All of it without script.
            try await browser.allowScripts(false)
            try await stage.signIn()
            try await stage.arrive("/sign-in/second-factor")
            try await browser.type(try Self.code(secret, stage.desk), into: "#field-code")
            try await browser.click("main form button.button-main")
            try await stage.arrive("/t/alpha")
            try await browser.allowScripts(true)
            #expect(try await browser.complaints() == [])
        }
    }

    private static func code(_ secret: Substring, _ desk: SampleDesk) throws -> String {
        var (bytes, bits, held): ([UInt8], UInt32, Int) = ([], 0, 0)
        for letter in secret {
            let value = try #require(Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567").firstIndex(of: letter))
            bits = bits << 5 | UInt32(value)
            held += 5
            if held >= 8 {
                held -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(held)))
            }
        }
        let step = OneTimePassword.step(secondsSince1970: desk.clock.now.milliseconds / 1000)
        return String(decoding: OneTimePassword.code(SecretBytes(copying: bytes), step: step), as: UTF8.self)
    }
}
