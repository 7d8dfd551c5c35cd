import Foundation
import Support
import Testing

/// The rehearsal of everything, in its short form: a desk, a database and a simulator of its own.
@Suite("The rehearsal of every request", .timeLimit(.minutes(10))) struct RehearseTests {
    @Test func `every body keeps Apple's rules, and none goes out without consent`() async throws {
        let finished = try await Tool.run(
            Checkout.path("ops/rehearse"), "--quick", "--json", "--built", Product.programs.lastPathComponent)
        let said = try? JSONSerialization.jsonObject(with: Data(finished.output.utf8)) as? [String: Any]
        let out = try #require(said, "\(finished)")
        #expect(finished.status == 0 && (out["troubles"] as? [String]) == [], "\(finished.output.prefix(2000))")
        #expect(out["requests"] as? Int == 576)
        let rows = try #require(out["rows"] as? [[String: Any]])
        #expect(rows.count == 48 && rows.allSatisfy { $0["asked"] as? Int == 12 && $0["no-consent"] as? Int == 6 })
    }
}
