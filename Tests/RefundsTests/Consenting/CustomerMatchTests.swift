import FoundationEssentials
import Postgres
import Support
import Tenants
import Testing
import Time

@testable import Refunds

@Suite("Whose purchase it is")
struct CustomerMatchTests {
    private static let customer = "3d0e6c1e-54b4-4a5f-8d2a-93a0f0b7c111"
    private static let other = "3d0e6c1e-54b4-4a5f-8d2a-93a0f0b7c222"

    private static func unnamed(_ desk: Desk, _ change: (inout J) -> Void = { _ in }) -> J {
        desk.tx {
            $0["appAccountToken"] = nil
            change(&$0)
        }
    }

    /// A purchase that was seen before, in a notification of its own.
    private static func saw(_ desk: Desk, _ change: (inout J) -> Void) async throws {
        try await desk.take(
            desk.note(
                "ONE_TIME_CHARGE",
                desk.tx {
                    $0["transactionId"] = "2000000900000050"
                    $0["originalTransactionId"] = "2000000900000050"
                    change(&$0)
                }))
    }

    @Test func `BL-023: without a token, consent of another transaction's customer counts, by purchase and by account`()
        async throws
    {
        for kin in ["originalTransactionId", "appTransactionId"] {
            try await Desk.open { desk in
                try await desk.consent()
                try await Self.saw(desk) { $0[kin] = "2000000900000001" }
                try await desk.take(
                    desk.note("CONSUMPTION_REQUEST", Self.unnamed(desk) { $0[kin] = "2000000900000001" }))
                #expect(desk.apple.calls.count == 1, "\(kin)")
                let text: String = try #require(
                    try await desk.test.asSuperuser("select decision from refunds.rounds").first?("decision"))
                #expect(text.contains(#""name":"customer""#) && text.contains(Self.customer), "\(text)")
            }
        }
    }

    @Test func `two customers of one kind are no answer, and nobody is chosen alone`() async throws {
        try await Desk.open { desk in
            try await desk.consent()
            try await Self.saw(desk) { $0["appTransactionId"] = "70" }
            try await Self.saw(desk) {
                $0["transactionId"] = "2000000900000051"
                $0["originalTransactionId"] = "2000000900000051"
                $0["appTransactionId"] = "70"
                $0["appAccountToken"] = .text(Self.other)
            }
            try await desk.take(
                desk.note("CONSUMPTION_REQUEST", Self.unnamed(desk) { $0["appTransactionId"] = "70" }))
            #expect(desk.apple.calls.isEmpty)
            #expect(try await desk.cases().first?.reason == "no-consent")

            // A person sees who it may be.
            let id: UUID = try #require(
                try await desk.test.asSuperuser("select case_id from refunds.cases").first?("case_id"))
            let consent = try #require(try await desk.deciding.consent(of: id, tenant: desk.alpha.app.tenant))
            #expect(consent.match == nil && Set(consent.guesses.map(\.customer)) == [Self.customer, Self.other])
            #expect(consent.entries.isEmpty)
        }
    }

    @Test func `the same purchase is nearer than the same account`() async throws {
        try await Desk.open { desk in
            try await desk.consent()
            try await Self.saw(desk) { $0["originalTransactionId"] = "2000000900000001" }
            try await Self.saw(desk) {
                $0["transactionId"] = "2000000900000051"
                $0["originalTransactionId"] = "2000000900000051"
                $0["appTransactionId"] = "70"
                $0["appAccountToken"] = .text(Self.other)
            }
            try await desk.take(
                desk.note("CONSUMPTION_REQUEST", Self.unnamed(desk) { $0["appTransactionId"] = "70" }))
            #expect(desk.apple.calls.count == 1)
        }
    }

    @Test func `a withdrawal of the matched customer stops, and consent from before is looked at again`() async throws {
        try await Desk.open { desk in
            try await Self.saw(desk) { $0["appTransactionId"] = "70" }
            try await desk.take(
                desk.note("CONSUMPTION_REQUEST", Self.unnamed(desk) { $0["appTransactionId"] = "70" }))
            #expect(desk.apple.calls.isEmpty)
            // Given before the request was signed, and reported only now.
            try await desk.consent(at: desk.now - .hours(5))
            try await desk.work()
            #expect(desk.apple.calls.count == 1)
            try await desk.consent(false, at: desk.now)
            try await desk.take(
                desk.note("CONSUMPTION_REQUEST", Self.unnamed(desk) { $0["appTransactionId"] = "70" }))
            #expect(desk.apple.calls.count == 1)
        }
    }
}
