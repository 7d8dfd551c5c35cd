import Foundation
import HTTP
import Postgres
import Simulator
import Support
import Synchronization
import Testing

/// The real program passing notifications on to an app's other receiver, which hangs, fails, and comes back.
@Suite(.timeLimit(.minutes(10)))
struct `Another receiver` {
    /// What it has taken; it takes nothing while it is down.
    private final class Receiver: Sendable {
        private struct State {
            var isDown = true
            var refused = 0
            var taken: [[UInt8]] = []
        }

        private let state = Mutex(State())

        var refused: Int { state.withLock { $0.refused } }
        var taken: [[UInt8]] { state.withLock { $0.taken } }
        func comeBack() { state.withLock { $0.isDown = false } }

        func step(_ request: ScriptedServer.Received) -> ScriptedServer.Step {
            state.withLock { state in
                guard state.isDown else {
                    state.taken.append(request.body)
                    return .answer(200)
                }
                state.refused += 1
                // It takes its time before it fails.
                return .after(.seconds(2), .close)
            }
        }
    }

    @Test func `gets every original byte for byte and once, and while it is away nothing waits for it`() async throws {
        try await withDatabase { test in
            let settings = ["REFUND_DESK_OUTBOUND_ALLOW_PRIVATE": "127.0.0.0/8"]
            let place = ["--tenant", "alpha", "--bundle-id", "com.example.alpha"]
            try await withStage(settings: settings, databaseURL: test.url) { stage in
                let inbox = try await stage.addApp()
                let receiver = Receiver()
                let server = try ScriptedServer { request, _ in receiver.step(request) }
                try await stage.command(["relay", "set", "--url-stdin"] + place, input: server.url + "/hook\n")
                let desk = try await stage.serve()

                let notes = try (1...4).map { _ in try stage.request() }
                var bodies = notes.map(\.body)
                // A body that is not written as Apple writes it.
                bodies[3] = Array("{ ".utf8) + bodies[3].dropFirst() + Array("\n".utf8)
                for body in bodies { #expect(try await desk.post(body, to: inbox) == 200) }
                // Apple sends the first once more.
                #expect(try await desk.post(bodies[0], to: inbox) == 200)
                try await stage.eventually("every reply goes out") {
                    notes.allSatisfy { note in stage.replies(to: note.transactionID).map(\.status) == [202] }
                }
                try await stage.eventually("the receiver was tried") { receiver.refused > 0 }
                #expect(receiver.taken.isEmpty)
                let shown = try await stage.command(["relay", "show"] + place)
                #expect(shown["passedOn"]?.bool == true && shown["waiting"]?.int ?? 0 > 0)

                // Tried again by hand, it does not wait for the end of the pause.
                let again = try await stage.command(["relay", "retry"] + place)
                #expect(again["deliveries"]?.int == 4)
                receiver.comeBack()
                try await stage.eventually("everything has arrived", within: .seconds(60)) {
                    receiver.taken.count >= bodies.count
                }
                let last = try stage.request()
                #expect(try await desk.post(last, to: inbox) == 200)
                bodies.append(last.body)
                try await stage.eventually("the next arrives at once", within: .seconds(20)) {
                    receiver.taken.contains(last.body)
                }
                #expect(Set(receiver.taken) == Set(bodies) && receiver.taken.count == bodies.count)
                try await stage.eventually("all five are recorded as delivered") {
                    let states = try await test.asSuperuser("select state from refunds.relay_deliveries")
                    return try states.map { try $0("state") as String } == Array(repeating: "delivered", count: 5)
                }
                #expect(await desk.stop() == 0)
            }
        }
    }
}
