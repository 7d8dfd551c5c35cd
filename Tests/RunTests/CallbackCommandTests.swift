import Support
import Testing

/// `refund-desk callback …`, by the real program.
@Suite(.timeLimit(.minutes(10))) struct `An app's own server on the command line` {
    @Test func `it is named, its secret is printed once, replaced, and it is taken away`() async throws {
        try await withDesk { desk in
            _ = try await desk.answer("tenant", "add", "acme", "--name", "Acme")
            _ = try await desk.answer("app", "add", "--tenant", "acme", "--bundle-id", "com.example.app")
            func set(_ words: String..., input: String = "") async throws -> OutsideProgram.Outcome {
                try await Desk.program(
                    ["callback", "set", "--tenant", "acme", "--bundle-id", "com.example.app"] + words,
                    environment: desk.environment, input: input)
            }
            #expect(try await set().status == 2)
            #expect(try await set("--none", "--url-stdin").status == 2)
            #expect(try await set("--new-secret").error.contains("is needed"))
            for bad in ["", "ftp://backend.example/x", "http://backend.example/x", "https://10.0.0.1/x"] {
                #expect(try await set("--url-stdin", input: bad + "\n").status == 1, "\(bad)")
            }
            let first = try await set("--url-stdin", input: "https://backend.example/x?key=hush\n")
            #expect(first.status == 0 && first.output.contains("whsec_") && !first.output.contains("hush"))
            let same = try await set("--url-stdin", input: "https://backend.example/y\n")
            #expect(same.status == 0 && !same.output.contains("whsec_"))
            let second = try await set("--new-secret")
            #expect(second.status == 0 && second.output.contains("whsec_") && second.output != first.output)
            #expect(try await set("--none").output.contains("not asked any more"))
        }
    }
}
