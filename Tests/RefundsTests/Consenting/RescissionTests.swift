import Crypto
import FoundationEssentials
import Postgres
import Support
import Tenants
import Testing
import Time

@testable import AppStore
@testable import Refunds

@Suite("Consent that Apple takes back")
struct RescissionTests {
    private static let account = "704512345678901234"

    private static func bought(_ desk: Desk, _ change: (inout J) -> Void = { _ in }) -> J {
        desk.tx {
            $0["appTransactionId"] = .text(account)
            change(&$0)
        }
    }

    /// RESCIND_CONSENT about one Apple account.
    static func rescind(
        _ desk: Desk, by signer: AppleSigner? = nil, _ change: (inout J) -> Void = { _ in }
    ) throws -> J {
        var inner: J = [
            "receiptType": "Production", "appAppleId": 6_450_000_001, "bundleId": "com.example.alpha",
            "applicationVersion": "1", "receiptCreationDate": .number(desk.now.milliseconds),
            "originalPurchaseDate": .number((desk.now - .days(100)).milliseconds), "originalApplicationVersion": "1",
            "appTransactionId": .text(account), "originalPlatform": "iOS",
        ]
        change(&inner)
        return [
            "notificationType": "RESCIND_CONSENT", "notificationUUID": .text(Random.uuid().uuidString.lowercased()),
            "version": "2.0", "signedDate": .number(desk.now.milliseconds),
            "appData": [
                "appAppleId": 6_450_000_001, "bundleId": "com.example.alpha", "environment": "Production",
                "signedAppTransactionInfo": .text(try (signer ?? desk.chain).sign(inner)),
            ],
        ]
    }

    private static func decide(_ choice: Rescission.Choice, _ desk: Desk, role: Tenants.Role = .support) async throws {
        let book = try await desk.deciding.consentBook(of: desk.alpha.app)
        let notice = try #require(book.rescissions.first)
        try await desk.deciding.decide(
            choice, about: notice.id, of: desk.alpha.app, by: PersonID(rawValue: Random.uuid()), role: role,
            address: nil)
        try await desk.work()
    }

    @Test func `BL-010 and BL-045: a parent's withdrawal stops replies, consent or not, until a person decides`()
        async throws
    {
        try await Desk.open { desk in
            try await desk.consent()
            try await desk.take(Self.rescind(desk))
            #expect(try await desk.count("refunds.cases") == 0)
            #expect(try await desk.count("tenants.audit where action = 'consent.rescinded'") == 1)
            try await desk.take(desk.note("CONSUMPTION_REQUEST", Self.bought(desk)))
            #expect(desk.apple.calls.isEmpty)
            #expect(try await desk.cases() == [.init(state: "withheld", reason: "no-consent", outcome: "pending")])
            let decision = try #require(
                try await desk.test.asSuperuser("select decision from refunds.rounds").first?("decision") as String?)
            #expect(decision.contains("withdrawn by a parent") && decision.contains("consent page"), "\(decision)")

            // Somebody else's purchases have nothing to do with it.
            let other = Self.bought(desk) {
                $0["transactionId"] = "2000000900000077"
                $0["originalTransactionId"] = "2000000900000077"
                $0["appTransactionId"] = "704599999999999999"
            }
            try await desk.take(desk.note("CONSUMPTION_REQUEST", other))
            #expect(desk.apple.calls.count == 1)

            await #expect(throws: DecidingDesk.Refused.forbidden) {
                try await Self.decide(.answerAgain, desk, role: .viewer)
            }
            try await Self.decide(.leaveStopped, desk)
            #expect(desk.apple.calls.count == 1)
            try await Self.decide(.answerAgain, desk)
            #expect(desk.apple.calls.count == 2)
            #expect(try await desk.cases().allSatisfy { $0.state == "answered" })
            #expect(try await desk.count("tenants.audit where action = 'consent.rescission-decided'") == 2)

            // Told anew, it stops anew.
            try await desk.take(Self.rescind(desk))
            try await desk.take(desk.note("CONSUMPTION_REQUEST", Self.bought(desk)))
            #expect(desk.apple.calls.count == 2)
        }
    }

    @Test func `repeats of what was sent stop too`() async throws {
        try await Desk.open { desk in
            try await desk.consent()
            desk.apple.script(ScriptedApple.retry(500))
            try await desk.take(desk.note("CONSUMPTION_REQUEST", Self.bought(desk)))
            #expect(desk.apple.calls.count == 1)
            try await desk.take(Self.rescind(desk))
            try await desk.workOn(until: desk.now + .hours(1))
            #expect(desk.apple.calls.count == 1)
            #expect(try await desk.cases().first?.state == "withheld")
        }
    }

    @Test func `answered again means as the ledger allows: without consent nothing is sent`() async throws {
        try await Desk.open { desk in
            try await desk.take(Self.rescind(desk))
            try await desk.take(desk.note("CONSUMPTION_REQUEST", Self.bought(desk)))
            try await Self.decide(.answerAgain, desk)
            #expect(desk.apple.calls.isEmpty)
            #expect(try await desk.cases().first?.state == "withheld")
        }
    }

    @Test func `who is asked about a request is asked no more, and again when replies may go on`() async throws {
        try await Desk.open { desk in
            let policy = "if use is part then ask a person, else prefer DECLINE\notherwise send facts only"
            try await desk.save(policy)
            try await desk.consent()
            try await desk.usage(.delivered, share: 40_000)
            try await desk.take(desk.note("CONSUMPTION_REQUEST", Self.bought(desk)))
            let tenant = desk.alpha.app.tenant
            let until = try #require(try await desk.deciding.held(of: tenant).first).until
            try await desk.take(Self.rescind(desk))
            #expect(try await desk.cases() == [.init(state: "withheld", reason: "no-consent", outcome: "pending")])
            #expect(try await desk.deciding.held(of: tenant).isEmpty)
            try await Self.decide(.answerAgain, desk)
            #expect(try await desk.cases().map(\.state) == ["held"] && desk.apple.calls.isEmpty)
            #expect(try await desk.deciding.held(of: tenant).map(\.until) == [until])
            try await desk.workOn(until: until + .minutes(1))
            #expect(desk.apple.calls.map { $0.body.contains("DECLINE") } == [true])
        }
    }

    @Test func `the same notice again changes nothing`() async throws {
        try await Desk.open { desk in
            let note = try Self.rescind(desk)
            try await desk.take(note)
            try await Self.decide(.answerAgain, desk)
            #expect(try await desk.post(note) == .duplicate)
            try await desk.work()
            #expect(try await desk.count("refunds.rescissions where decision = 'answer-again'") == 1)
            #expect(try await desk.count("tenants.audit where action = 'consent.rescinded'") == 1)
        }
    }

    @Test(arguments: ["receiptType", "bundleId", "appTransactionId", "appAppleId", "signature", "nothing"])
    func `a notice whose inner text contradicts it is set aside, and stops nothing`(spoiled: String) async throws {
        try await Desk.open { desk in
            let note: J
            switch spoiled {
            case "signature": note = try Self.rescind(desk, by: desk.evil)
            case "nothing":
                var bare = try Self.rescind(desk)
                bare["appData"]?["signedAppTransactionInfo"] = nil
                note = bare
            default:
                note = try Self.rescind(desk) {
                    $0[spoiled] =
                        switch spoiled {
                        case "receiptType": "Sandbox"
                        case "bundleId": "com.example.other"
                        case "appTransactionId": ""
                        default: 7
                        }
                }
            }
            try await desk.take(note)
            #expect(try await desk.count("refunds.notifications where standing = 'set-aside'") == 1)
            #expect(try await desk.count("refunds.rescissions") == 0)
        }
    }
}
