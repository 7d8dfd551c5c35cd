import Foundation
import Loop
import HTTP
import Simulator
import Support
import Testing

@Suite struct `When the process is killed` {
    @Test func `BL-064: work that was acknowledged is done after a kill, with one body`() async throws {
        try await Cluster.with { _, url in
            try await withStage(databaseURL: url) { stage in
                try await stage.command("migrate")
                let inbox = try await stage.addApp()
                for delay in [0, 5, 20] {
                    let desk = try await stage.serve()
                    let note = try stage.request()
                    #expect(try await desk.post(note, to: inbox) == 200)
                    try await Task.sleep(for: .milliseconds(delay))
                    desk.program.signal(SIGKILL)
                    #expect(await desk.program.exit() == -SIGKILL)
                    let again = try await stage.serve()
                    try await stage.eventually("the reply, \(delay) ms", within: .seconds(60)) {
                        stage.replies(to: note.transactionID).contains { $0.status == 202 }
                    }
                    let calls = stage.replies(to: note.transactionID)
                    #expect(Set(calls.map(\.body)).count == 1)
                    #expect(calls.count <= 2)
                    #expect(await again.stop() == 0)
                }
            }
        }
    }

    @Test func `kills under load and a stopped database lose nothing and answer nothing twice`() async throws {
        let outcome = try await OutsideProgram.run(
            Checkout.path("ops/soak"), ["--kills", "4", "--outage", "8", "--senders", "2"],
            environment: ProcessInfo.processInfo.environment)
        #expect(outcome.status == 0, "\(outcome.output)\(outcome.error)")
        #expect(outcome.output.contains(#""failures": []"#))
    }

    @Test func `BL-126: a stop signal lets what runs finish, and loses nothing`() async throws {
        try await withStage { stage in
            let inbox = try await stage.addApp()
            let desk = try await stage.serve()
            // Five calls to Apple are under way when the signal comes.
            stage.apple.script.add(
                [ScriptedAnswer(delay: .seconds(2), times: 5, pathContains: "consumption")], in: .production)
            let running = try (0..<5).map { _ in try stage.request() }
            for note in running { #expect(try await desk.post(note, to: inbox) == 200) }
            try await stage.eventually("five calls are under way") {
                running.allSatisfy { !stage.replies(to: $0.transactionID).isEmpty }
            }
            // Twenty posts are half sent.
            let address = try #require(SocketAddress(String(desk.address.dropFirst(7))))
            var halves: [(RawClient, SentNotification, [UInt8])] = []
            for _ in 0..<20 {
                let note = try stage.request()
                let head = Array(
                    "POST \(inbox) HTTP/1.1\r\nHost: desk\r\nContent-Length: \(note.body.count)\r\n\r\n".utf8)
                let connection = try await RawClient.connect(to: address)
                try await connection.send(head + note.body.prefix(note.body.count / 2))
                halves.append((connection, note, Array(note.body.dropFirst(note.body.count / 2))))
            }
            desk.program.signal(SIGTERM)
            var acknowledged: [SentNotification] = []
            for (connection, note, rest) in halves {
                // A closed connection is as good as an answer: Apple sends again.
                guard (try? await connection.send(rest)) != nil, let answer = try? await connection.response() else {
                    continue
                }
                #expect(answer.status == 200)
                if answer.status == 200 { acknowledged.append(note) }
            }
            #expect(await desk.program.exit() == 0)

            let again = try await stage.serve()
            for note in running + acknowledged {
                try await stage.eventually("the reply") {
                    stage.replies(to: note.transactionID).contains { $0.status == 202 }
                }
                #expect(stage.replies(to: note.transactionID).count { $0.status == 202 } == 1)
            }
            #expect(await again.stop() == 0)
        }
    }
}
