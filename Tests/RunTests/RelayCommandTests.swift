import Support
import Testing

/// `refund-desk relay …`, by the real program.
@Suite(.timeLimit(.minutes(10))) struct `Another receiver on the command line` {
    @Test func `another receiver is named, shown without its address, and taken away`() async throws {
        try await withDesk { desk in
            _ = try await desk.answer("tenant", "add", "acme", "--name", "Acme")
            _ = try await desk.answer("app", "add", "--tenant", "acme", "--bundle-id", "com.example.app")
            let place = ["--tenant", "acme", "--bundle-id", "com.example.app"]
            func relay(_ words: String..., input: String = "") async throws -> OutsideProgram.Outcome {
                try await Desk.program(["relay"] + words + place, environment: desk.environment, input: input)
            }
            let none = try await relay("retry")
            #expect(none.status == 1 && none.error.contains("relay set"))
            #expect(try await relay("set").status == 2)
            #expect(try await relay("set", "--none", "--url-stdin").status == 2)
            for bad in ["", "ftp://hooks.example/x", "http://hooks.example/x"] {
                #expect(try await relay("set", "--url-stdin", input: bad + "\n").status == 1, "\(bad)")
            }
            let set = try await relay("set", "--url-stdin", input: "https://hooks.example/secret-path\n")
            #expect(set.status == 0, "\(set.error)")
            let shown = try await relay("show")
            #expect(shown.output.contains("nothing delivered yet") && !shown.output.contains("secret-path"))
            let retried = try await relay("retry", "--json")
            #expect(retried.output.filter { $0 != " " }.contains(#""deliveries":0"#), "\(retried.output)")
            #expect(try await relay("set", "--none").status == 0)
            #expect(try await relay("show").output.contains("Nothing is passed on"))
        }
    }
}
