import AppStore
import FoundationEssentials
import HTTP
import Journal
import Postgres
import Queue
import Support
import Tenants
import Testing
import Time

@testable import Refunds

/// Each time an app's server was asked stands on the case, and a process that ends in between costs no answer.
@Suite("Each time an app's server was asked")
struct AskTryTests {
    private static let knowing = #"{"deliveryStatus":"UNDELIVERED_SERVER_OUTAGE"}"#

    private func asking(
        _ script: @escaping ScriptedServer.Script, _ body: (Desk, ScriptedServer) async throws -> Void
    ) async throws {
        try await Desk.open { desk in
            let server = try ScriptedServer(script)
            try await desk.askBack(at: server.url)
            try await desk.consent()
            try await body(desk, server)
        }
    }

    private func story(_ desk: Desk) async throws -> CaseStory {
        let tenant = desk.alpha.app.tenant
        let story = try await desk.database.transaction(tenant.scope) { tx -> CaseStory? in
            guard let row = try await tx.row("select case_id from refunds.cases limit 1") else { return nil }
            return try await CaseQueries.story(of: tenant, case: row("case_id"), in: tx)
        }
        return try #require(story)
    }

    /// A worker that asks in its own way.
    private func worker(_ desk: Desk, _ ask: @escaping AskJob.Ask) -> AskJob {
        AskJob(
            database: desk.database, vault: desk.vault, seats: AskSeats(), bell: desk.bell, clock: desk.clock.clock,
            journal: .silent, counters: desk.test.counters, ask: ask)
    }

    @Test func `stands in the story, the JSON and the bundle with its time, its end and its status`() async throws {
        try await asking { _, number in
            number < 2 ? .answer(503) : .answer(200, body: Self.knowing)
        } _: { desk, _ in
            let begun = desk.now
            try await desk.take(desk.note("CONSUMPTION_REQUEST", desk.tx()))
            try await desk.workOn(until: begun + .minutes(1))
            let story = try await story(desk)
            let ask = try #require(story.asks.first)
            #expect(ask.state == .answered && ask.tries == 3)
            #expect(desk.test.counters.value("callback_questions_total", ["result": "answered"]) == 1)
            #expect(desk.test.counters.value("callbacks_total", ["result": "failed"]) == 2)
            #expect(ask.each.map(\.number) == [1, 2, 3] && ask.each.map(\.result) == [.failed, .failed, .answered])
            #expect(
                ask.each.map(\.status) == [503, 503, 200]
                    && ask.each.map(\.why) == ["answered 503", "answered 503", nil])
            #expect(ask.each[0].begunAt == begun && ask.each[1].begunAt > begun)
            #expect(ask.each.allSatisfy { $0.endedAt != nil })

            // The two that failed alike are one step of the story.
            let steps = story.timeline.compactMap { entry -> CaseStory.Ask.Stretch? in
                if case .callback(let stretch) = entry.event { stretch } else { nil }
            }
            #expect(steps.map(\.count) == [2, 1] && steps[0].last == ask.each[1])

            let json = try JSONDocument(CaseJSON.whole(story)).root
            let callback = try #require(json["requests"]?.elements?.first?["callback"])
            #expect(callback["state"]?.string == "answered" && callback["tries"]?.int == 3)
            let attempts = callback["attempts"]?.elements ?? []
            #expect(attempts.map { $0["startedAt"]?.moment } == ask.each.map(\.begunAt))
            #expect(attempts.map { $0["result"]?.string } == ["failed", "failed", "answered"])
            #expect(attempts.map { $0["status"]?.int } == [503, 503, 200])
            let told = (json["timeline"]?.elements ?? []).filter { $0["kind"]?.string == "callback" }
            #expect(told.map { $0["tries"]?.int } == [2, 1])
            let bundle = CaseBundle(story, CaseBundle.Parts(), at: desk.now)
            let file = String(decoding: bundle.bytes, as: UTF8.self)
            #expect(
                file.contains(#""callbacks":[{"notificationUUID":""#) && file.contains(#""trouble":"answered 503""#))
        }
    }

    @Test func `is not kept where nothing left this machine`() async throws {
        try await asking { _, _ in
            .answer(200)
        } _: { desk, server in
            try await desk.post(desk.note("CONSUMPTION_REQUEST", desk.tx()))
            try await desk.run(try #require(try await desk.claim(.notification)))
            try await desk.run(try #require(try await desk.claim(.reply)))
            try await worker(desk) { _ throws(HTTPClientError) in
                throw HTTPClientError(arrival: .notReceived, kind: .busy, text: "as many calls as allowed are running")
            }.run(try #require(try await desk.claim(.ask)))
            #expect(try await desk.count("refunds.ask_tries") == 0)
            desk.clock.advance(by: .seconds(2))
            try await desk.work()
            #expect(try await story(desk).asks.first?.each.map(\.number) == [1] && server.received.count == 1)
        }
    }

    // MARK: ended in between

    /// Where a process ends that asks.
    enum Step: CaseIterable {
        case claimed, begun, asked, answered, recorded

        /// How often the server hears the question in the end.
        var heard: Int { self == .asked || self == .answered ? 2 : 1 }
        /// Whether a try is left of which nobody knows the end.
        var leavesOne: Bool { self == .begun || self == .asked || self == .answered }
    }

    @Test(arguments: Step.allCases)
    func `a process that ends at any step leaves a question that is asked again, and one reply in time`(
        step: Step
    ) async throws {
        try await asking { _, number in
            step == .asked && number == 0 ? .silence : .answer(200, body: Self.knowing)
        } _: { desk, server in
            try await desk.post(desk.note("CONSUMPTION_REQUEST", desk.tx()))
            try await desk.run(try #require(try await desk.claim(.notification)))
            try await desk.run(try #require(try await desk.claim(.reply)))
            let dying = try #require(try await desk.claim(.ask))
            let (places, place) = AsyncStream<Step>.makeStream()
            let send = desk.asks.ask
            let job = worker(desk) { request throws(HTTPClientError) in
                if step == .begun { try await Self.stop(step, place) }
                let response = try await send(request)
                if step == .answered { try await Self.stop(step, place) }
                return response
            }
            let task = Task { if step != .claimed { try await job.run(dying) } }
            switch step {
            case .claimed: break
            case .begun, .answered: for await _ in places { break }
            case .asked: _ = await server.received(count: 1)
            case .recorded: try await task.value
            }
            try await desk.rescue()
            task.cancel()
            _ = try? await task.value

            desk.clock.advance(by: .seconds(2))
            try await desk.work()
            #expect(server.received.count == step.heard)
            #expect(Set(server.received.compactMap { $0.field("webhook-id") }).count == 1)
            #expect(desk.apple.calls.count == 1)
            #expect(desk.apple.calls.first?.body.contains("UNDELIVERED_SERVER_OUTAGE") == true)
            let story = try await story(desk)
            #expect(story.line.state == .answered)
            let ask = try #require(story.asks.first)
            #expect(ask.state == .answered && ask.each.map(ask.isLost) == (step.leavesOne ? [true, false] : [false]))
            let attempts = try JSONDocument(CaseJSON.whole(story)).root["requests"]?.elements?.first?["callback"]?[
                "attempts"]
            #expect(attempts?.elements?.first?["result"]?.string == (step.leavesOne ? "unknown" : "answered"))
            #expect(try await desk.count("queue.jobs where kind = 'ask'") == 0)
        }
    }

    /// The process gets no further.
    private static func stop(
        _ step: Step, _ place: AsyncStream<Step>.Continuation
    ) async throws(HTTPClientError) {
        place.yield(step)
        try? await Task.sleep(for: .seconds(3600))
        throw HTTPClientError(arrival: .unknown, kind: .cancelled, text: "the process ended")
    }

    @Test func `a process that was frozen tells what came of its try, and the case is answered once`() async throws {
        try await asking { _, _ in
            .answer(200, body: Self.knowing)
        } _: { desk, server in
            try await desk.post(desk.note("CONSUMPTION_REQUEST", desk.tx()))
            try await desk.run(try #require(try await desk.claim(.notification)))
            try await desk.run(try #require(try await desk.claim(.reply)))
            let frozen = try #require(try await desk.claim(.ask))
            let send = desk.asks.ask
            let job = worker(desk) { request throws(HTTPClientError) in
                let response = try await send(request)
                // It stands still for so long that another process takes its work over and ends it.
                do {
                    try await desk.rescue()
                    try await desk.work()
                } catch { Issue.record(error) }
                return response
            }
            await #expect(throws: ClaimLost.self) { try await job.run(frozen) }
            #expect(server.received.count == 2 && desk.apple.calls.count == 1)
            let told = try #require(try await story(desk).asks.first)
            #expect(told.each.map(\.result) == [.answered, .answered])
        }
    }
}
