import Foundation
import Simulator
import Support
import Testing

/// The command that leads through refund requests, against the small Apple and the real program.
@Suite(.timeLimit(.minutes(5)))
struct `Rehearsing` {
    @Test func `every step passes unattended, under consent of all and under consent of each`() async throws {
        try await withStage { stage in
            let desk = try await stage.serve()
            for (bundleID, appleID, tenant, consent) in [
                ("com.example.alpha", 6_450_000_001, "alpha", "all-from=2020-01-01"),
                ("com.example.beta", 6_450_000_002, "beta", "per-customer"),
            ] as [(String, Int64, String, String)] {
                let inbox = try await stage.addApp(bundleID, appleID: appleID, tenant: tenant, consent: consent)
                let known = try #require(stage.apple.shelves.app(bundleID))
                stage.apple.register(
                    RegisteredApp(
                        bundleID: bundleID, appAppleID: appleID, issuerID: known.issuerID,
                        notificationURLs: [.sandbox: desk.address + inbox]))
                let outcome = try await OutsideProgram.run(
                    OutsideProgram.path("refund-desk"),
                    ["rehearse", "--bundle-id", bundleID, "--unattended", "--json"],
                    environment: stage.settings)
                let answer = try #require(try JSONReader.read(outcome.output).object, "\(outcome)")
                #expect(outcome.status == 0 && answer["passed"]?.bool == true, "\(outcome)")
                let steps = (answer["steps"]?.array ?? []).compactMap { $0.object?["step"]?.string }
                #expect(steps == ["ready", "granted", "declined", "prorated", "asked"])
                #expect(
                    outcome.error.contains("left to answer") || outcome.error.contains("our answer: 202"), "\(outcome)")
            }
        }
    }
}
