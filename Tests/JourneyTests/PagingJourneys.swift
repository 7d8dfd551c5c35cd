import Foundation
import Postgres
import Simulator
import Support
import Synchronization
import Testing

/// The real program and a pager that has its own bad minute: a short form of `ops/drill`.
@Suite(.timeLimit(.minutes(10)))
struct `Somebody is called` {
    /// PagerDuty as a script: what it took, after it has refused a few times.
    private final class Pager: Sendable {
        struct Event: Sendable, Hashable {
            let action: String
            let key: String
        }

        private struct State {
            var refusals = [500, 429]
            var events: [Event] = []
        }

        private let state = Mutex(State())

        func took(_ action: String) -> [Event] { state.withLock { $0.events.filter { $0.action == action } } }
        var isStillRefusing: Bool { state.withLock { !$0.refusals.isEmpty } }

        func step(_ request: ScriptedServer.Received) -> ScriptedServer.Step {
            let body = try? JSONSerialization.jsonObject(with: Data(request.body)) as? [String: Any]
            let event = Event(action: body?["event_action"] as? String ?? "", key: body?["dedup_key"] as? String ?? "")
            return state.withLock { state in
                if !state.refusals.isEmpty { return .answer(state.refusals.removeFirst()) }
                state.events.append(event)
                return .answer(202)
            }
        }
    }

    @Test func `BL-067, BL-114: within a minute, once, over a pager that refuses first, and hears when it is over`()
        async throws
    {
        try await withDatabase { test in
            let pager = Pager()
            let server = try ScriptedServer { request, _ in pager.step(request) }
            try await withStage(settings: ["REFUND_DESK_PAGERDUTY_URL": server.url], databaseURL: test.url) { stage in
                let inbox = try await stage.addApp()
                try await stage.command(
                    [
                        "channel", "add", "--tenant", "alpha", "--kind", "pagerduty", "--severity", "warning",
                        "--secret-stdin",
                    ], input: "0123456789abcdef0123456789abcdef\n")
                let desk = try await stage.serve()
                var forged = try stage.request().body
                let last = forged.count - 4
                forged[last] = forged[last] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
                let begun = ContinuousClock.now
                for _ in 0..<30 { #expect(try await desk.post(forged, to: inbox) == 400) }
                try await stage.eventually("somebody is called", within: .seconds(60)) {
                    pager.took("trigger").contains { $0.key.hasPrefix("refund/alpha/notifications-refused/") }
                }
                #expect(ContinuousClock.now - begun < .seconds(60) && !pager.isStillRefusing)

                try await test.asSuperuser("update refunds.refusal_counts set hour = hour - interval '5 hours'")
                try await stage.eventually("it is over", within: .seconds(90)) { !pager.took("resolve").isEmpty }
                let (called, over) = (pager.took("trigger"), pager.took("resolve"))
                #expect(Set(called).count == called.count, "each cause once")
                #expect(over.allSatisfy { end in called.contains { $0.key == end.key } })
                #expect(await desk.stop() == 0)
            }
        }
    }
}
