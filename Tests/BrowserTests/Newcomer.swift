import AppStore
import Foundation
import HTTP
import Journal
import Simulator
import Support
import Testing

/// Somebody who has never seen the product, with a browser, a key from Apple, and an app.
struct Newcomer {
    let stage: Support.Stage
    let desk: Desk
    let browser: WebDriver
    /// As App Store Connect handed it out.
    let key: NewSigningKey

    static let bundleID = "com.example.alpha"
    private var app: RegisteredApp {
        RegisteredApp(bundleID: Self.bundleID, appAppleID: 6_450_000_001, issuerID: key.issuerID)
    }

    // MARK: Waiting for what the page shows

    func sees(_ selector: String, _ text: String) async throws {
        do {
            try await until { (try? await browser.text(selector).contains(text)) ?? false }
        } catch {
            Issue.record("\(selector) does not show \"\(text)\": \(try await browser.text(selector))")
        }
    }

    func reload() async throws { try await browser.run("location.reload()") }

    // MARK: The steps

    func addApp(_ bundleID: String = bundleID) async throws {
        try await browser.open(desk.address + "/t/alpha/apps/new")
        try await browser.type(bundleID, into: "#field-bundleID")
        try await browser.click("#one button[type=submit]")
        try await until { (try? await browser.url.hasSuffix("/apps/\(bundleID)/setup")) ?? false }
    }

    /// Gives the key as a file, or as a pasted text.
    func giveKey(
        pasted: Bool = false, text: String? = nil, keyID: String? = nil, issuerID: String? = nil
    ) async throws {
        let content = text ?? key.p8
        if pasted {
            try await browser.click("#key details:not([open]) summary")
            try await browser.type(content, into: "#field-pasted")
        } else {
            let file = stage.folder + "/SubscriptionKey_\(text == nil ? key.keyID : keyID ?? key.keyID).p8"
            try Data(content.utf8).write(to: URL(filePath: file))
            try await browser.type(file, into: "#field-file")
        }
        if pasted || keyID != nil { try await browser.replace("#field-keyID", by: keyID ?? key.keyID) }
        try await browser.replace("#field-issuerID", by: issuerID ?? key.issuerID)
        try await browser.click("#key form button[type=submit]")
    }

    func copyURLIntoAppStoreConnect() async throws {
        let shown = try await browser.value("#notification-url-0")
        let path = try #require(URL(string: shown)?.path)
        register(url: desk.address + path)
    }

    func register(url: String?) {
        var app = app
        if let url { app.notificationURLs = [.production: url, .sandbox: url] }
        stage.apple.register(app, keyID: key.keyID, publicKey: key.publicKey)
    }

    func sendTest(_ environment: String) async throws {
        try await browser.click("#url button[value=\(environment)]")
    }

    /// What Apple's version 1 looks like: a plain body.
    func postVersionOne() async throws {
        let shown = try await browser.value("#notification-url-0")
        let path = try #require(URL(string: shown)?.path)
        _ = try await stage.client.send(
            ClientRequest(
                method: .post, url: desk.address + path, headers: ["Content-Type": "application/json"],
                body: Array(#"{"notification_type":"DID_RENEW","password":"x","unified_receipt":{}}"#.utf8)))
    }

    func arrived(_ environment: String) async throws -> Bool {
        let state =
            try await browser.run(
                "const a = new XMLHttpRequest(); a.open('GET', document.querySelector('[data-source]').dataset.source, false); a.send(); return a.responseText"
            ).string ?? ""
        return state.contains("The \(environment) test notification arrived")
    }

    func openssl(_ arguments: String...) async throws -> String {
        try await OutsideProgram.run("/usr/bin/openssl", arguments, environment: [:]).output
    }
}

/// Runs a test with the real program on an empty database, a small Apple, and a browser whose person was just let in.
///
/// - Parameters:
///   - clock: for `faketime`: how far the product's clock is off.
///   - settings: environment variables of the product.
func withNewcomer(
    clock: String? = nil, settings: [String: String] = [:], _ body: (Newcomer) async throws -> Void
) async throws {
    try await withStage(settings: settings) { stage in
        try await stage.command("tenant", "add", "alpha", "--name", "Alpha Games")
        let answer = try await stage.command(
            "operator", "add", "--email", "dev@alpha.example", "--tenant", "alpha", "--role", "owner")
        let link = try #require(answer["signInURL"]?.string.flatMap { URL(string: $0)?.path })
        let desk = try await stage.serve(clock: clock)
        let browser = try await WebDriver.start()
        let result: Result<Void, any Error>
        do {
            let newcomer = Newcomer(
                stage: stage, desk: desk, browser: browser, key: try NewSigningKey.make())
            newcomer.register(url: nil)
            try await browser.resize(width: 1360, height: 900)
            try await browser.open(desk.address + link)
            try await browser.click("button[type=submit]")
            try await until { (try? await browser.url.hasSuffix("/t/alpha")) ?? false }
            // What the browser said of the page behind the link is not about ours.
            _ = try await browser.complaints()
            result = .success(try await body(newcomer))
        } catch {
            result = .failure(error)
        }
        await browser.end()
        await desk.stop()
        try result.get()
    }
}
