import AppStore
import FoundationEssentials
import HTTP
import Journal
import Support

/// One Chromium, driven over the WebDriver protocol (W3C) by its chromedriver.
///
/// It runs without its sandbox: tests run as root as well, and it sees our own pages only.
final class WebDriver: Sendable {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private let driver: RunningProgram
    private let http: HTTPClient
    private let address: String
    private let session: String

    private init(driver: RunningProgram, http: HTTPClient, address: String, session: String) {
        self.driver = driver
        self.http = http
        self.address = address
        self.session = session
    }

    /// It takes a free port for IPv6 and ends where the same one is in use for IPv4.
    private static func program() async throws -> RunningProgram {
        for _ in 0..<4 {
            let driver = try RunningProgram("chromedriver", ["--port=0"])
            do {
                try await driver.printed("started successfully on port ")
                return driver
            } catch {
                await driver.end()
                guard driver.output.contains("Address already in use") else { throw error }
            }
        }
        throw Failure(description: "chromedriver finds no free port")
    }

    static func start() async throws -> WebDriver {
        let driver = try await program()
        let digits = driver.output.components(separatedBy: "started successfully on port ")[1].prefix(while: \.isNumber)
        let http = HTTPClient(name: "webdriver", options: .init(), journal: .silent, counters: Counters())
        let address = "http://127.0.0.1:\(digits)"
        let wanted = #"""
            {"capabilities":{"alwaysMatch":{"goog:loggingPrefs":{"browser":"ALL"},"goog:chromeOptions":{"args":
            ["--headless=new","--no-sandbox","--disable-gpu","--disable-dev-shm-usage","--hide-scrollbars","--window-size=1360,900"]}}}}
            """#
        do {
            let value = try await send(http, .post, "\(address)/session", wanted)
            guard let session = value["sessionId"]?.string else { throw Failure(description: "no session") }
            return WebDriver(driver: driver, http: http, address: address, session: session)
        } catch {
            await driver.end()
            throw error
        }
    }

    func end() async {
        _ = try? await ask(.delete, "", nil)
        await http.shutdown()
        await driver.end()
    }

    // MARK: What a person does

    func open(_ url: String) async throws { try await ask(.post, "/url", #"{"url":\#(JSONText.quoted(url))}"#) }

    func type(_ text: String, into selector: String) async throws {
        let id = try await find(selector)
        try await ask(.post, "/element/\(id)/value", #"{"text":\#(JSONText.quoted(text))}"#)
    }

    /// Clicks on what is there, or comes: a page may be on its way, and a script may be putting a newer part in place.
    func click(_ selector: String) async throws {
        try await until(.seconds(120), "something to click on at \(selector)") {
            do {
                try await ask(.post, "/element/\(try await find(selector))/click", "{}")
                return true
            } catch  where ["no such element", "stale element"].contains(where: "\(error)".contains) {
                return false
            }
        }
    }

    /// Puts a text in place of what a field holds.
    func replace(_ selector: String, by text: String) async throws {
        let id = try await find(selector)
        try await ask(.post, "/element/\(id)/clear", "{}")
        try await ask(.post, "/element/\(id)/value", #"{"text":\#(JSONText.quoted(text))}"#)
    }

    /// Presses a key, wherever the focus is.
    func press(_ key: Key) async throws {
        let actions =
            #"{"actions":[{"type":"key","id":"keys","actions":[{"type":"keyDown","value":"\#(key.rawValue)"},{"type":"keyUp","value":"\#(key.rawValue)"}]}]}"#
        try await ask(.post, "/actions", actions)
    }

    enum Key: String {
        case tab = "\\uE004"
        case enter = "\\uE007"
        case escape = "\\uE00C"
        case slash = "/"
    }

    /// A device that keeps passkeys, whose owner says yes and is verified.
    func plugInAuthenticator() async throws {
        try await ask(
            .post, "/webauthn/authenticator",
            #"{"protocol":"ctap2","transport":"internal","hasResidentKey":true,"hasUserVerification":true,"isUserConsenting":true,"isUserVerified":true}"#
        )
    }

    // MARK: What a person sees

    var url: String {
        get async throws { try await ask(.get, "/url", nil).string ?? "" }
    }

    /// The value of a script's `return`.
    @discardableResult
    func run(_ script: String) async throws -> JSONValue {
        try await ask(.post, "/execute/sync", #"{"script":\#(JSONText.quoted(script)),"args":[]}"#)
    }

    func value(_ selector: String) async throws -> String {
        try await run("return document.querySelector(\(JSONText.quoted(selector)))?.value ?? ''").string ?? ""
    }

    func text(_ selector: String) async throws -> String {
        try await run("return document.querySelector(\(JSONText.quoted(selector)))?.innerText ?? ''").string ?? ""
    }

    /// What the browser complained about since it was asked last.
    func complaints() async throws -> [String] {
        let entries = try await ask(.post, "/se/log", #"{"type":"browser"}"#).elements ?? []
        return entries.compactMap { $0["message"]?.string }
    }

    /// A PNG file.
    func picture() async throws -> [UInt8] {
        Data(base64Encoded: try await ask(.get, "/screenshot", nil).string ?? "").map { [UInt8]($0) } ?? []
    }

    /// A PNG file of one element.
    func picture(of selector: String) async throws -> [UInt8] {
        let text = try await ask(.get, "/element/\(try await find(selector))/screenshot", nil).string ?? ""
        return Data(base64Encoded: text).map { [UInt8]($0) } ?? []
    }

    // MARK: How the browser is set

    func resize(width: Int, height: Int) async throws {
        try await developer(
            "Emulation.setDeviceMetricsOverride",
            #"{"width":\#(width),"height":\#(height),"deviceScaleFactor":1,"mobile":false}"#)
    }

    func prefer(dark: Bool) async throws {
        try await developer(
            "Emulation.setEmulatedMedia",
            #"{"features":[{"name":"prefers-color-scheme","value":"\#(dark ? "dark" : "light")"}]}"#)
    }

    func allowScripts(_ isAllowed: Bool) async throws {
        try await developer("Emulation.setScriptExecutionDisabled", #"{"value":\#(!isAllowed)}"#)
    }

    func forgetCookies() async throws { try await ask(.delete, "/cookie", nil) }

    // MARK: Inside

    private func developer(_ command: String, _ parameters: String) async throws {
        try await ask(.post, "/goog/cdp/execute", #"{"cmd":"\#(command)","params":\#(parameters)}"#)
    }

    private func find(_ selector: String) async throws -> String {
        let found = try await ask(
            .post, "/element", #"{"using":"css selector","value":\#(JSONText.quoted(selector))}"#)
        guard let id = found.members.first?.value.string else { throw Failure(description: "no \(selector)") }
        return id
    }

    @discardableResult
    private func ask(_ method: HTTP.Method, _ path: String, _ body: String?) async throws -> JSONValue {
        try await Self.send(http, method, "\(address)/session/\(session)\(path)", body)
    }

    private static func send(
        _ http: HTTPClient, _ method: HTTP.Method, _ url: String, _ body: String?
    ) async throws -> JSONValue {
        let answer = try await http.send(
            ClientRequest(
                method: method, url: url, headers: ["Content-Type": "application/json"],
                body: body.map { Array($0.utf8) }, responseBytesMax: 16 << 20, totalTimeout: .seconds(60)))
        let root = try JSONDocument(answer.body).root
        guard answer.status == 200, let value = root["value"] else {
            throw Failure(description: "\(url): \(root["value"]?["message"]?.string ?? "\(answer.status)")")
        }
        return value
    }
}
