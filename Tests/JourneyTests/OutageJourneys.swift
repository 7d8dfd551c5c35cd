import Foundation
import HTTP
import Simulator
import Support
import Testing

/// The real program, a real PostgreSQL that goes away, and a small Apple.
@Suite struct `When the database goes away` {
    @Test func `BL-017 and BL-063: a delivery gets 503, and the same process takes it when the database is back`()
        async throws
    {
        try await Cluster.with { cluster, url in
            try await withStage(databaseURL: url) { stage in
                try await stage.command("migrate")
                let inbox = try await stage.addApp()
                let desk = try await stage.serve()
                #expect(try await desk.post(stage.request(), to: inbox) == 200)
                let process = desk.program.processID

                try await cluster.stop()
                let late = try stage.request()
                let status = try await desk.post(late, to: inbox)
                #expect((500...599).contains(status))
                #expect(try await desk.get("/health/ready").status == 503)
                #expect(try await desk.get("/health/live").status == 200)

                try await cluster.start()
                try await stage.eventually("the delivery is taken", within: .seconds(10)) {
                    try await desk.post(late, to: inbox) == 200
                }
                #expect(desk.program.isRunning && desk.program.processID == process)
                try await stage.eventually("the reply") {
                    stage.replies(to: late.transactionID).contains { $0.status == 202 }
                }
                #expect(stage.replies(to: late.transactionID).count == 1)
                #expect(await desk.stop() == 0)
            }
        }
    }
}
