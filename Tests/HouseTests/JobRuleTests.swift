import Testing

@Suite struct `Rules of jobs` {
    @Test func `every kind of job has a handler and a test that does it twice`() throws {
        let jobs = try SourceTree.read("Sources/Refunds/RefundJobs.swift").text
        let start = try #require(jobs.firstRange(of: "enum Kind:")).lowerBound
        let declared = jobs[start...].prefix(while: { $0 != "}" })
        let kinds = declared.matches(of: /\n\s+case (\w+)/).map { String($0.1) }
        #expect(kinds.count >= 4)
        let tests = try SourceTree.read("Tests/RefundsTests/TwiceTests.swift").text
        #expect(tests.contains("@Test(arguments: RefundJobs.Kind.allCases)"))
        for kind in kinds {
            #expect(jobs.contains("case .\(kind):"), "no handler for \(kind)")
            #expect(tests.contains("case .\(kind):"), "\(kind) is done twice in no test")
        }
    }

    @Test func `workers are given the handlers of that list and no others`() throws {
        var workers = 0
        for file in try SourceTree.files(in: "Sources", ".swift") where file.text.contains("Workers(") {
            for (number, line) in file.lines.enumerated() where codeOnly(line).contains("Workers(") {
                workers += 1
                let call = file.lines[number..<min(number + 4, file.lines.count)].joined()
                #expect(call.contains("handlers: RefundJobs.handlers("), "\(file.path):\(number + 1)")
            }
        }
        #expect(workers > 0)
    }
}
