import Foundation
import Postgres
import Support
import Testing

/// `refund-desk serve` as a process.
@Suite struct `Serving` {
    private func serve(_ desk: Desk, _ words: String...) throws -> BuiltProgram {
        try BuiltProgram("refund-desk", ["serve"] + words, environment: desk.environment)
    }

    @Test(arguments: [SIGTERM, SIGINT])
    func `a stop signal ends it with 0`(signal: Int32) async throws {
        try await withDesk { desk in
            let serving = try serve(desk)
            #expect(await serving.line(containing: "\"text\":\"serving\"") != nil, "\(serving.lines)")
            serving.send(signal)
            let finished = await serving.finish()
            #expect(finished.status == 0, "\(finished.errors)")
            #expect(finished.errors.contains("\"text\":\"stopped\""))
        }
    }

    @Test func `each part runs alone`() async throws {
        try await withDesk { desk in
            for part in ["gateway", "engine", "console"] {
                let serving = try serve(desk, "--only", part)
                #expect(await serving.line(containing: "\"parts\":\"\(part)\"") != nil, "\(serving.lines)")
                serving.send(SIGTERM)
                #expect(await serving.finish().status == 0)
            }
        }
    }

    @Test func `a schema that is too old is refused with the command to run`() async throws {
        try await withDesk { desk in
            try await desk.database.asSuperuser("delete from desk.schema_versions where version = 4")
            let finished = await (try serve(desk)).finish()
            #expect(finished.status == 1)
            #expect(finished.errors.contains("refund-desk migrate"))
        }
    }

    @Test func `roles that could see every tenant are refused`() async throws {
        try await withDesk { desk in
            try await desk.database.asSuperuser("alter table tenants.apps owner to refund_desk_tenant")
            let finished = await (try serve(desk)).finish()
            #expect(finished.status == 1)
            #expect(finished.errors.contains("refund_desk_tenant owns"))
        }
    }

    @Test func `no line of its journal holds a secret`() async throws {
        try await withDesk { desk in
            var loud = desk
            loud.environment["REFUND_DESK_LOG"] = "debug"
            loud.environment["REFUND_DESK_METRICS_TOKEN"] = "s3cr3t-metrics"
            let key = try String(contentsOfFile: desk.folder + "/master.key", encoding: .utf8).prefix(43)
            let serving = try serve(loud)
            #expect(await serving.line(containing: "\"text\":\"serving\"") != nil)
            serving.send(SIGTERM)
            let finished = await serving.finish()
            #expect(!finished.errors.contains("s3cr3t") && !finished.errors.contains(key))
        }
    }
}
