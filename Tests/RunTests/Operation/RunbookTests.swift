import Foundation
import Refunds
import Support
import Testing

@Suite struct `Runbooks` {
    /// The stable names of incidents; a page may name any of them years later.
    static let names = IncidentRule.allCases.map(\.rawValue)

    @Test(arguments: names) func `says what it means, what to do first, how it ends and what to leave alone`(
        name: String
    ) throws {
        let text = try checkoutText("ops/runbooks/\(name).md")
        #expect(text.hasPrefix("# \(name): "))
        for part in ["Means.", "Effect.", "First.", "To find out more.", "Ends.", "Do not"] {
            #expect(text.contains("**\(part)**"), "\(name) has no \(part)")
        }
        #expect(text.split(separator: "\n").count < 60, "\(name) is too long to be read at night")
        #expect(try checkoutText("ops/runbooks/README.md").contains("[\(name)](\(name).md)"))
    }

    @Test func `each of their queries runs, reads only, and has an end`() async throws {
        try await withDatabase { database in
            var count = 0
            for file in try checkoutFiles(in: "ops/runbooks") {
                for match in try checkoutText(file).matches(of: /(?s)```sql\n(.*?)```/) {
                    let query = String(match.1)
                    let finished = try await Tool.run(
                        "psql", database.url, "-XAtq", "-v", "ON_ERROR_STOP=1", "-c",
                        "set default_transaction_read_only = on", "-c", query)
                    #expect(finished.status == 0, "\(file): \(finished.error)")
                    #expect(query.contains("\nlimit "), "\(file): \(query)")
                    count += 1
                }
            }
            #expect(count > 15)
        }
    }
}
