import Foundation
import Postgres
import Support
import Testing

/// `refund-desk serve` as a process.
@Suite(.timeLimit(.minutes(4))) struct `Serving` {
    private func serve(_ desk: Desk, _ words: String...) throws -> RunningProgram {
        try RunningProgram(OutsideProgram.path("refund-desk"), ["serve"] + words, environment: desk.environment)
    }

    @Test(arguments: [SIGTERM, SIGINT])
    func `a stop signal ends it with 0`(signal: Int32) async throws {
        try await withDesk { desk in
            let serving = try serve(desk)
            try await serving.printed("\"text\":\"serving\"")
            serving.signal(signal)
            #expect(await serving.exit() == 0, "\(serving.output)")
            #expect(serving.output.contains("\"text\":\"stopped\""))
        }
    }

    @Test func `each part runs alone`() async throws {
        try await withDesk { desk in
            for part in ["gateway", "engine", "console"] {
                let serving = try serve(desk, "--only", part)
                try await serving.printed("\"parts\":\"\(part)\"")
                serving.signal(SIGTERM)
                #expect(await serving.exit() == 0, "\(serving.output)")
            }
        }
    }

    @Test func `a schema that is too old is refused with the command to run`() async throws {
        try await withDesk { desk in
            try await desk.database.asSuperuser(
                "delete from desk.schema_versions where version = (select max(version) from desk.schema_versions)")
            let finished = try await desk.run("serve")
            #expect(finished.status == 1)
            #expect(finished.error.contains("refund-desk migrate"))
        }
    }

    @Test func `roles that could see every tenant are refused`() async throws {
        try await withDesk { desk in
            try await desk.database.asSuperuser("alter table tenants.apps owner to refund_desk_tenant")
            let finished = try await desk.run("serve")
            #expect(finished.status == 1)
            #expect(finished.error.contains("refund_desk_tenant owns"))
        }
    }

    @Test func `while nobody can sign in it prints a set-up link, another at each start, and none afterwards`()
        async throws
    {
        try await withDesk { desk in
            var links: [String] = []
            for isFirst in [true, true, false] {
                if !isFirst {
                    _ = try await desk.answer("operator", "add", "--email", "ops@desk.example", "--installation")
                }
                let serving = try serve(desk)
                try await serving.printed(isFirst ? "/set-up/" : "\"text\":\"serving\"")
                serving.signal(SIGTERM)
                #expect(await serving.exit() == 0, "\(serving.output)")
                links += serving.output.matches(of: /https:\/\/desk\.example\/set-up\/[A-Za-z0-9_-]{43}/).map {
                    String($0.0)
                }
            }
            #expect(links.count == 2 && links[0] != links[1])
        }
    }

    @Test func `no line of its journal holds a secret`() async throws {
        try await withDesk { desk in
            var loud = desk
            loud.environment["REFUND_DESK_LOG"] = "debug"
            loud.environment["REFUND_DESK_METRICS_TOKEN"] = "s3cr3t-metrics"
            let key = try String(contentsOfFile: desk.folder + "/master.key", encoding: .utf8).prefix(43)
            let serving = try serve(loud)
            try await serving.printed("\"text\":\"serving\"")
            serving.signal(SIGTERM)
            #expect(await serving.exit() == 0)
            #expect(!serving.output.contains("s3cr3t") && !serving.output.contains(key))
        }
    }
}
