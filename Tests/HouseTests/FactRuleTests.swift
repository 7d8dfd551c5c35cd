import Testing

/// A rule about something that nothing measures never fires, and nobody notices that.
@Suite struct `Facts that rules look at` {
    @Test(arguments: [
        ("Sources/Refunds/Alerting/HouseFacts.swift", "struct HouseFacts", "Sources/Run/Instruments.swift"),
        ("Sources/Refunds/Alerting/HouseFacts.swift", "struct WorkFacts", "Sources/Refunds/Alerting"),
        (
            "Sources/Refunds/Alerting/AlertFacts.swift", "struct AlertFacts",
            "Sources/Refunds/Alerting/AlertFactQueries.swift"
        ),
    ])
    func `are measured`(file: String, type: String, place: String) throws {
        let text = try SourceTree.read(file).text
        let start = try #require(text.firstRange(of: "\(type):")).lowerBound
        // Members of the type itself stand four columns in.
        let body = text[start...].components(beforeLine: "}")
        let facts = body.matches(of: /\n    (?:package )?var (\w+)(?::[^{\n]+)?(?: =|\n)/).map { String($0.1) }
            // Whose facts they are.
            .filter { $0 != "host" }
        #expect(facts.count >= 3, "\(type): \(facts)")
        let code = try SourceTree.files(in: "Sources", ".swift").filter { $0.path.hasPrefix(place) && $0.path != file }
            .map(\.text).joined()
        for fact in facts {
            let isSet =
                ["facts.\(fact) =", "facts.\(fact).append(", "work.\(fact) =", "WorkFacts(\(fact):", ", \(fact): Int("]
                .contains { code.contains($0) }
            #expect(isSet, "\(type).\(fact) is set by nothing in \(place)")
        }
    }
}

extension Substring {
    /// What stands before the first line that is exactly this.
    fileprivate func components(beforeLine line: String) -> Substring {
        firstRange(of: "\n\(line)\n").map { self[..<$0.lowerBound] } ?? self
    }
}
