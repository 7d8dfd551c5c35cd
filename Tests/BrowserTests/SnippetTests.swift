import AppStore
import Foundation
import Support
import Testing

/// The code on the setup page, run as it stands there, with the token that was made there, against the real API.
@Suite(.serialized) struct `Code for an app's backend` {
    private static let interpreters: [(language: String, file: String, command: [String])] = [
        ("curl", "report.sh", ["bash"]), ("node", "report.js", ["node"]), ("python", "report.py", ["python3"]),
        ("php", "report.php", ["php"]),
    ]

    @Test func `every snippet works as it stands`() async throws {
        try await withNewcomer(settings: try Self.fixedAddress()) { (newcomer) async throws in
            let browser = newcomer.browser
            try await newcomer.addApp()
            try await newcomer.choosePush()
            #expect(try await browser.text("#evidence").contains("Your backend has reported nothing yet."))
            try await browser.click("#evidence form[action$='/token'] button")
            try await newcomer.sees("#evidence", "shown this once")
            let token = try await browser.value("#api-token")
            #expect(token.hasPrefix("rd_"))
            for (language, file, command) in Self.interpreters {
                let path = newcomer.stage.folder + "/" + file
                try Data(try await newcomer.snippet(language).utf8).write(to: URL(filePath: path))
                let outcome = try await OutsideProgram.run(
                    "/usr/bin/env", command + [path], environment: Self.surroundings)
                #expect(outcome.status == 0, "\(language): \(outcome.output)\(outcome.error)")
                #expect(outcome.output.contains("DELIVERED"), "\(language): \(outcome.output)\(outcome.error)")
            }
            try await newcomer.runSwift(surroundings: Self.surroundings)
            try await newcomer.openSetup()
            #expect(try await browser.text("#evidence").contains("Your backend has reported something."))
            // It was shown once.
            let page = try await browser.run("return document.documentElement.outerHTML").string ?? ""
            #expect(!page.contains(token))
        }
    }

    @Test func `trying it stores what the code would report`() async throws {
        try await withNewcomer { (newcomer) async throws in
            try await newcomer.addApp()
            try await newcomer.choosePush()
            try await newcomer.browser.click("#evidence form[action$='/trial'] button")
            try await newcomer.sees("#evidence", "It works")
            let said = try await newcomer.browser.text("#evidence")
            #expect(said.contains("deliveryStatus DELIVERED") && said.contains("consumptionPercentage 25000"))
        }
    }

    private static let surroundings = ProcessInfo.processInfo.environment.filter {
        ["PATH", "HOME", "LD_LIBRARY_PATH"].contains($0.key)
    }

    /// A port that was free a moment ago: the code on the page names the desk's public address.
    private static func fixedAddress() throws -> [String: String] {
        let port = try FreePort.find()
        return [
            "REFUND_DESK_LISTEN": "127.0.0.1:\(port)", "REFUND_DESK_PUBLIC_URL": "http://127.0.0.1:\(port)",
        ]
    }
}

extension Newcomer {
    func openSetup() async throws { try await browser.open("\(desk.address)/t/alpha/apps/\(Self.bundleID)/setup") }

    func choosePush() async throws {
        try await browser.click("#change-evidence > summary")
        try await browser.click("#choice-way-push")
        try await browser.click("#change-evidence button")
        try await sees("#evidence", "Code for your backend")
    }

    func snippet(_ language: String) async throws -> String {
        try await browser.run("return document.getElementById('snippet-\(language)').textContent").string ?? ""
    }

    /// Compiled, because top-level code of a script cannot wait where Swift only interprets.
    func runSwift(surroundings: [String: String]) async throws {
        let source = stage.folder + "/main.swift"
        try Data(try await snippet("swift").utf8).write(to: URL(filePath: source))
        let program = stage.folder + "/report"
        let compiled = try await OutsideProgram.run(
            "/usr/bin/env", ["swiftc", "-Onone", source, "-o", program], environment: surroundings)
        #expect(compiled.status == 0, "\(compiled.error)")
        let outcome = try await OutsideProgram.run(program, [], environment: surroundings)
        #expect(outcome.status == 0 && outcome.output.contains("DELIVERED"), "\(outcome.output)\(outcome.error)")
    }
}
