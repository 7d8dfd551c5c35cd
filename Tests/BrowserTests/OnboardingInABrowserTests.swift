import AppStore
import Crypto
import Foundation
import Journal
import Simulator
import Support
import Testing

/// From an empty database to the first notification, as somebody does it who has never seen the product; and the
/// ways in which it goes wrong.
///
/// The product is the real program with its workers; a small Apple in this process stands for the other side.
@Suite(.serialized) struct `Onboarding in a browser` {
    @Test func `from an empty database to the first TEST received, without leaving the page, in under five minutes`()
        async throws
    {
        try await withNewcomer { (newcomer) async throws in
            let browser = newcomer.browser
            let begun = ContinuousClock.now
            #expect(try await browser.text("h2") == "No app yet")
            try await newcomer.addApp()
            try await newcomer.giveKey()
            try await newcomer.sees("#probe", "Accepted")
            #expect(try await browser.text("#probe").contains("Refused") == false)
            try await newcomer.copyURLIntoAppStoreConnect()
            try await newcomer.sendTest("Sandbox")
            // No reload: the page changes by itself.
            try await newcomer.sees("#url", "Received")
            #expect(try await browser.url.hasSuffix("/setup?done=test#url"))
            try await newcomer.sendTest("Production")
            try await newcomer.sees("#url", "The Production test notification arrived")
            #expect(ContinuousClock.now - begun < .seconds(300))
            let complaints = try await browser.complaints()
            #expect(complaints == [])
            // The Apple ID was not typed: the first verified Production notification told it.
            try await newcomer.reload()
            #expect(try await browser.text("#app").contains("6450000001"))
        }
    }

    @Test func `every step works without script`() async throws {
        try await withNewcomer { (newcomer) async throws in
            try await newcomer.browser.allowScripts(false)
            try await newcomer.addApp()
            try await newcomer.giveKey(pasted: true)
            try await newcomer.browser.allowScripts(true)
            #expect(try await newcomer.browser.text("#key").contains(newcomer.key.publicKey.fingerprint))
            try await newcomer.browser.allowScripts(false)
            try await newcomer.copyURLIntoAppStoreConnect()
            try await newcomer.sendTest("Sandbox")
            try await newcomer.browser.allowScripts(true)
            try await until { (try? await newcomer.arrived("Sandbox")) ?? false }
            try await newcomer.reload()
            #expect(try await newcomer.browser.text("#url").contains("Received"))
        }
    }

    @Test func `the key is never shown again, in any form`() async throws {
        try await withNewcomer { (newcomer) async throws in
            try await newcomer.addApp()
            try await newcomer.giveKey(pasted: true)
            let page = try await newcomer.browser.run("return document.documentElement.outerHTML").string ?? ""
            for line in newcomer.key.p8.split(separator: "\n") where !line.hasPrefix("-----") {
                #expect(!page.contains(line))
            }
            #expect(page.contains(newcomer.key.publicKey.fingerprint))
        }
    }

    // MARK: Ten ways in which it goes wrong

    @Test func `BL-003: a key of the wrong kind is named as what it is`() async throws {
        try await withNewcomer { (newcomer) async throws in
            try await newcomer.addApp()
            let rsa = try await newcomer.openssl("genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048")
            try await newcomer.giveKey(text: rsa)
            try await newcomer.sees("#key", "RSA")
            #expect(try await newcomer.browser.text("#key").contains("This key was not taken."))
        }
    }

    @Test func `BL-003: a wrong key ID ends in the short list that is left, with the key ID on it`() async throws {
        try await withNewcomer { (newcomer) async throws in
            try await newcomer.addApp()
            try await newcomer.giveKey(keyID: "WRONGKEY01")
            try await newcomer.sees("#probe", "Refused")
            #expect(try await newcomer.browser.text("#probe").contains("key ID"))
        }
    }

    @Test func `BL-003: a wrong issuer ends in the short list that is left, with the issuer on it`() async throws {
        try await withNewcomer { (newcomer) async throws in
            try await newcomer.addApp()
            try await newcomer.giveKey(issuerID: "11111111-2222-4333-8444-555555555555")
            try await newcomer.sees("#probe", "Refused")
            #expect(try await newcomer.browser.text("#probe").contains("issuer"))
        }
    }

    @Test func `BL-003: a wrong bundle ID is named where another app works under the same key`() async throws {
        try await withNewcomer { (newcomer) async throws in
            try await newcomer.addApp()
            try await newcomer.giveKey()
            try await newcomer.sees("#probe", "Accepted")
            try await newcomer.addApp("com.example.Alpha")
            try await newcomer.browser.click("#probe form button")
            try await newcomer.sees("#probe", "Refused")
            let said = try await newcomer.browser.text("#probe")
            #expect(said.contains("bundle ID") && said.contains("com.example.alpha"))
        }
    }

    @Test func `BL-018: a clock that is off is named with its offset`() async throws {
        try await withNewcomer(clock: "+10m") { (newcomer) async throws in
            try await newcomer.addApp()
            try await newcomer.giveKey()
            try await newcomer.sees("#probe", "Refused")
            let said = try await newcomer.browser.text("#probe")
            #expect(said.contains("clock") && said.contains(/\b(59\d|60\d) s|10 min/))
        }
    }

    @Test func `without a URL in App Store Connect the test says so`() async throws {
        try await withNewcomer { (newcomer) async throws in
            try await newcomer.addApp()
            try await newcomer.giveKey()
            try await newcomer.sendTest("Sandbox")
            try await newcomer.sees("#url", "Not sent")
            #expect(try await newcomer.browser.text("#url").contains("no URL"))
        }
    }

    @Test func `version 1 is recognised and explained`() async throws {
        try await withNewcomer { (newcomer) async throws in
            try await newcomer.addApp()
            try await newcomer.giveKey()
            try await newcomer.postVersionOne()
            try await newcomer.reload()
            let said = try await newcomer.browser.text("#url")
            #expect(said.contains("Version 1 notifications arrive here") && said.contains("choose Version 2"))
        }
    }

    @Test func `a URL that Apple cannot reach ends in Apple's own result, in words`() async throws {
        try await withNewcomer { (newcomer) async throws in
            try await newcomer.addApp()
            try await newcomer.giveKey()
            newcomer.register(url: "http://127.0.0.1:9/n/nobody")
            try await newcomer.sendTest("Sandbox")
            try await newcomer.sees("#url", "Did not arrive")
            #expect(try await newcomer.browser.text("#url").contains("no connection could be made"))
        }
    }

    @Test func `pasted rubbish is refused as what it is`() async throws {
        try await withNewcomer { (newcomer) async throws in
            try await newcomer.addApp()
            try await newcomer.giveKey(text: "I do not have the file any more, sorry")
            try await newcomer.sees("#key", "This key was not taken.")
        }
    }

    @Test func `BL-003: a key of another team ends in the short list that is left`() async throws {
        try await withNewcomer { (newcomer) async throws in
            try await newcomer.addApp()
            let other = try NewSigningKey.make()
            newcomer.stage.apple.keys.put(other.publicKey, keyID: other.keyID, issuerID: other.issuerID)
            try await newcomer.giveKey(text: other.p8, keyID: other.keyID, issuerID: other.issuerID)
            try await newcomer.sees("#probe", "Refused")
            #expect(try await newcomer.browser.text("#probe").contains("team"))
        }
    }
}
