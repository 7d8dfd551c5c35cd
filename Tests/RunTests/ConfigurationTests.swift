import AppStore
import Crypto
import FoundationEssentials
import HTTP
import Journal
import Loop
import Mail
import Refunds
import Tenants
import Testing

@testable import Run

@Suite struct `Settings` {
    private let valid = ["DATABASE_URL": "postgresql://desk@127.0.0.1/desk"]
    private let key = Base64.encode([UInt8](repeating: 7, count: 32))

    private func read(_ changes: [String: String], masterKey: String? = nil) throws(ConfigurationError) -> Configuration
    {
        var taken: SecretBytes?
        if let masterKey { taken = SecretBytes(copying: Array(masterKey.utf8)) }
        return try Configuration(environment: valid.merging(changes) { $1 }, masterKey: taken)
    }

    private func troubles(_ changes: [String: String], masterKey: String? = nil) -> [SettingTrouble] {
        do {
            _ = try read(changes, masterKey: masterKey)
            return []
        } catch { return error.troubles }
    }

    @Test func `a sign-in header needs proxies that are believed`() throws {
        let name = "REFUND_DESK_SIGN_IN_HEADER"
        #expect(troubles([name: "X-Forwarded-Email"]).map(\.name) == [name])
        let proxies = ["REFUND_DESK_TRUSTED_PROXIES": "10.0.0.0/8"]
        #expect(try read(proxies.merging([name: "X-Forwarded-Email"]) { $1 }).signInHeader == "X-Forwarded-Email")
        #expect(troubles(proxies.merging([name: "no name"]) { $1 }).map(\.name) == [name])
        #expect(try read(proxies).signInHeader == nil)
    }

    @Test(
        arguments: [
            ("107374182400", 100 << 30), ("100G", 100 << 30), ("100 GiB", 100 << 30), ("100gb", 100 << 30),
            ("65536k", 64 << 20), ("2T", 2 << 40), ("1P", 1 << 50), ("67108864B", 64 << 20), ("10M", nil), ("-5G", nil),
            ("G", nil), ("100X", nil), ("1.5T", nil), ("9999999999P", nil), ("100 G G", nil), ("١٠٠G", nil),
        ] as [(String, Int64?)])
    func `the size of the database's volume is a number with a unit`(text: String, bytes: Int64?) throws {
        let name = "REFUND_DESK_DATABASE_BYTES"
        if let bytes {
            #expect(try read([name: text]).databaseBytes == bytes)
        } else {
            #expect(troubles([name: text]).map(\.name) == [name])
        }
        #expect(try read([:]).databaseBytes == nil)
    }

    @Test func `have the defaults of the contract`() throws {
        let read = try read([:])
        #expect(read.listen == SocketAddress("127.0.0.1:8080"))
        #expect(read.publicURL.text == "http://localhost:8080")
        #expect(read.revocationCheck == .soft)
        #expect(read.appStoreProduction.text == "https://api.storekit.apple.com")
        #expect(read.appStoreSandbox.text == "https://api.storekit-sandbox.apple.com")
        #expect(read.advancedCommerceProduction.text == "https://api.storekit.itunes.apple.com")
        #expect(read.advancedCommerceSandbox.text == "https://api.storekit-sandbox.itunes.apple.com")
        #expect(read.channels == ChannelBases(publicURL: "http://localhost:8080"))
        #expect(read.channels.pagerDuty == "https://events.pagerduty.com")
        #expect(read.mailServer == nil && read.mailFrom == nil)
        #expect(read.log == .info && read.stopDelay == .zero)
        #expect(read.trustRoots == nil && read.publicFolder == nil && read.metricsToken == nil)
        #expect(read.trustedProxies.isEmpty)
        #expect(read.outboundAllowPrivate == .publicOnly)
        #expect(read.keyring.ids.isEmpty)
    }

    @Test(arguments: [
        (
            "REFUND_DESK_LISTEN", ["0.0.0.0:80", "[::1]:8080", "unix:/run/desk.sock", "localhost:0"],
            ["8080", "host:1", "unix:x", "1.2.3.4:70000"]
        ),
        (
            "REFUND_DESK_PUBLIC_URL", ["https://desk.example", "http://localhost:8080/"],
            ["desk.example", "ftp://x", "https://x/path", "https://u:p@x", "https://x?q", "https://"]
        ),
        ("REFUND_DESK_REVOCATION_CHECK", ["off", "soft", "strict"], ["on", "Soft"]),
        (
            "REFUND_DESK_APP_STORE_PRODUCTION_URL",
            ["https://x.example/prefix/", "http://127.0.0.1:9/production", "http://[::1]:9"],
            ["http://x.example", "x", "https://x/ y"]
        ),
        ("REFUND_DESK_APP_STORE_SANDBOX_URL", ["http://localhost:9/sandbox"], ["http://10.0.0.1"]),
        ("REFUND_DESK_ADVANCED_COMMERCE_PRODUCTION_URL", ["https://x.example"], ["nonsense"]),
        ("REFUND_DESK_ADVANCED_COMMERCE_SANDBOX_URL", ["https://x.example"], ["nonsense"]),
        ("REFUND_DESK_PAGERDUTY_URL", ["https://x.example"], ["http://x.example"]),
        ("REFUND_DESK_SLACK_URL", ["http://127.0.0.1:9/slack"], ["http://x.example"]),
        ("REFUND_DESK_JSM_URL", ["https://x.example"], ["x"]),
        ("REFUND_DESK_OPSGENIE_URL", ["https://x.example"], ["x"]),
        ("REFUND_DESK_DISCORD_URL", ["https://x.example"], ["x"]),
        ("REFUND_DESK_TELEGRAM_URL", ["https://x.example"], ["x"]),
        ("REFUND_DESK_PUSHOVER_URL", ["https://x.example"], ["x"]),
        ("REFUND_DESK_GOOGLE_CHAT_URL", ["https://x.example"], ["x"]),
        ("REFUND_DESK_SMTP_URL", [], ["mail.example", "smtp://", "smtp://u@mail.example", "smtp://u:p@mail.example"]),
        ("REFUND_DESK_MAIL_FROM", ["desk@example.com"], ["desk", "a@b@c"]),
        ("REFUND_DESK_HEARTBEAT_URL", ["https://hc.example/x?y"], ["hc.example"]),
        ("REFUND_DESK_OUTBOUND_ALLOW_PRIVATE", ["no", "yes", "10.0.0.0/8, fd00::/8"], ["maybe", "10.0.0.1/8"]),
        ("REFUND_DESK_TRUSTED_PROXIES", ["10.0.0.0/8,::1", "unix"], ["proxy.example", "10.0.0.0/33"]),
        ("REFUND_DESK_STOP_DELAY", ["0", "10"], ["-1", "11", "1.5", "2s"]),
        ("REFUND_DESK_LOG", ["debug", "info", "warning", "error"], ["loud", "INFO"]),
    ])
    func `take good values and name the setting of a bad one`(name: String, good: [String], bad: [String]) {
        for value in good { #expect(troubles([name: value]).isEmpty, "\(name)=\(value)") }
        for value in bad { #expect(troubles([name: value]).map(\.name) == [name], "\(name)=\(value)") }
    }

    @Test func `a mail server needs the sender's address, and its user a password`() throws {
        let from = ["REFUND_DESK_MAIL_FROM": "desk@example.com"]
        let server = ["REFUND_DESK_SMTP_URL": "smtp://desk%40example.com@mail.example"]
        let password = ["REFUND_DESK_SMTP_PASSWORD": "s3cr3t"]
        let whole = from.merging(server) { $1 }.merging(password) { $1 }
        let read = try read(whole)
        #expect(read.mailServer?.security == .startTLS && read.mailServer?.port == 587)
        #expect(read.mailServer?.user == "desk@example.com" && read.mailServer?.password?.reveal() == "s3cr3t")
        #expect(read.mailFrom?.text == "desk@example.com")
        #expect(troubles(server.merging(password) { $1 }).map(\.name) == ["REFUND_DESK_MAIL_FROM"])
        #expect(troubles(server.merging(from) { $1 }).map(\.name) == ["REFUND_DESK_SMTP_URL"])
        let bad = troubles(whole.merging(["REFUND_DESK_SMTP_URL": "smtp://u:hunter2@mail.example"]) { $1 })
        #expect(bad.map(\.name) == ["REFUND_DESK_SMTP_URL"] && !bad[0].description.contains("hunter2"))
    }

    @Test func `that are unknown are an error with the nearest name`() {
        let found = troubles(["REFUND_DESK_LITSEN": "x", "REFUND_DESK_FROBNICATE_QUITE_DIFFERENTLY": "", "OTHER": "x"])
        #expect(found.map(\.name) == ["REFUND_DESK_FROBNICATE_QUITE_DIFFERENTLY", "REFUND_DESK_LITSEN"])
        #expect(found[1].text.contains("REFUND_DESK_LISTEN"))
        #expect(!found[0].text.contains("did you mean"))
    }

    @Test(arguments: [
        ("REFUND_DESK_MASTERKEY", "REFUND_DESK_MASTER_KEY"), ("REFUND_DESK_PUBLICURL", "REFUND_DESK_PUBLIC_URL"),
        ("REFUND_DESK_LOGS", "REFUND_DESK_LOG"), ("REFUND_DESK_FOO", nil), ("REFUND_DESK_TEST", nil),
        ("REFUND_DESK_PORT", nil), ("REFUND_DESK_DEBUG", nil), ("REFUND_DESK_", nil),
    ])
    func `a name is suggested only where it is close`(name: String, near: String?) {
        let text = troubles([name: "x"])[0].text
        #expect(near.map { text.hasSuffix("did you mean \($0)?") } ?? !text.contains("did you mean"), "\(text)")
    }

    @Test func `that are wrong are told all at once`() {
        let found = troubles(["REFUND_DESK_LOG": "x", "REFUND_DESK_LISTEN": "x", "DATABASE_URL": ""])
        #expect(Set(found.map(\.name)) == ["REFUND_DESK_LOG", "REFUND_DESK_LISTEN", "DATABASE_URL"])
    }

    @Test func `come from a file where NAME_FILE says so, and not from both`() throws {
        try withFile("debug \n\n") { path in
            let log = try read(["REFUND_DESK_LOG_FILE": path]).log
            #expect(log == .debug)
            #expect(
                troubles(["REFUND_DESK_LOG_FILE": path, "REFUND_DESK_LOG": "info"]).map(\.name) == ["REFUND_DESK_LOG"])
        }
        try withFile("warning\n") { path in
            let log = try read(["REFUND_DESK_LOG_FILE": path]).log
            #expect(log == .warning)
        }
        let missing = troubles(["REFUND_DESK_LOG_FILE": "/nowhere/at/all"])
        #expect(missing.map(\.name) == ["REFUND_DESK_LOG"])
        #expect(missing[0].text.contains("/nowhere/at/all"))
        // A setting whose own name ends in _FILE is not the file form of another one.
        #expect(try read(["REFUND_DESK_OUTBOUND_CA_FILE": "/etc/ca.pem"]).outboundCAFile == "/etc/ca.pem")
    }

    @Test func `the master key comes from the environment or its file and is never shown`() throws {
        #expect(try read([:], masterKey: key).keyring.ids.count == 1)
        try withFile(key + "\n") { path in
            let ids = try read(["REFUND_DESK_MASTER_KEY_FILE": path]).keyring.ids
            #expect(ids.count == 1)
            #expect(
                troubles(["REFUND_DESK_MASTER_KEY_FILE": path], masterKey: key).map(\.name) == [
                    "REFUND_DESK_MASTER_KEY"
                ])
        }
        let bad = troubles([:], masterKey: "hunter2")
        #expect(bad.map(\.name) == ["REFUND_DESK_MASTER_KEY"])
        #expect(!bad[0].description.contains("hunter2"))
    }

    @Test func `no description of a secret setting shows its value`() throws {
        let secret = "s3cr3t-value"
        let names = Setting.all.filter { $0.isSecret && $0 != .masterKey }.map(\.name)
        var changes: [String: String] = [:]
        for name in names {
            changes[name] = name.hasSuffix("URL") && name != "DATABASE_URL" ? "https://\(secret).example" : secret
        }
        let read = try read(changes)
        var text = ""
        dump(read, to: &text)
        #expect(!text.contains(secret))
        #expect(read.metricsToken?.reveal() == secret)
    }

    @Test func `the README and the program know the same settings`() {
        #expect(Set(Setting.all.map(\.name)).count == 32)
        for setting in Setting.all where setting.name != "DATABASE_URL" {
            #expect(setting.name.hasPrefix("REFUND_DESK_"))
        }
    }

    private func withFile(_ text: String, _ body: (String) throws -> Void) throws {
        let path = "/tmp/desk-setting-\(UUID().uuidString)"
        try SecretBytes(copying: Array(text.utf8)).write(toNewFile: path)
        defer { try? FileManager.default.removeItem(atPath: path) }
        try body(path)
    }
}
