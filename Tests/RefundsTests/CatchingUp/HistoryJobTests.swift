import FoundationEssentials
import Postgres
import Queue
import Support
import Tenants
import Testing
import Time

@testable import AppStore
@testable import Refunds

@Suite("Reading Apple's notification history")
struct HistoryJobTests {
    @Test func `what was not delivered is fetched and answered in its time, and what arrived is counted`() async throws
    {
        try await Desk.open { desk in
            try await desk.consent(at: desk.now - .days(2))
            let arrived = try desk.request(1, signedAt: desk.now)
            try await desk.take(arrived)
            try desk.list(arrived, signedAt: desk.now, isDelivered: true)
            let missed = desk.now - .minutes(90)
            for n in 2...4 { try desk.list(try desk.request(n, signedAt: missed), signedAt: missed) }
            desk.clock.advance(by: .minutes(1))
            try await desk.beginHistory()
            try await desk.work()

            #expect(desk.apple.calls.count == 4, "each request is answered")
            #expect(try await desk.count("refunds.cases where state = 'answered'") == 4)
            #expect(try await desk.count("refunds.facts where source = 'history'") == 3)
            #expect(desk.history.calls.map(\.isFailures) == [true, false], "what failed comes first")
            let standing = try await desk.historyStanding()
            #expect(standing.words == "Apple sent 4, we hold 4 (3 fetched)")
            #expect(standing.sweptAt == desk.now && standing.trouble == nil && standing.fetchedLately == 3)

            let rows = try await desk.test.asSuperuser(
                "select notification_uuid from refunds.notifications where source = 'history' limit 1")
            let id: UUID = try rows[0]("notification_uuid")
            let story = try await Records(database: desk.database).notification(of: desk.alpha.app.tenant, id: id)
            #expect(story?.sendAttempts.map(\.result) == ["UNSUCCESSFUL_HTTP_RESPONSE_CODE"])
            #expect(story?.sendAttempts.first?.at == missed)

            // Windows overlap: the same are listed again, and counted once.
            try await desk.sweep()
            #expect(desk.history.calls.count == 4)
            #expect(try await desk.historyStanding().words == standing.words)
            #expect(desk.apple.calls.count == 4)
        }
    }

    @Test func `BL-107: a notification is the same by whichever way it comes, and none is answered outside its window`()
        async throws
    {
        try await Desk.open { desk in
            try await desk.consent(at: desk.now - .days(2))
            let (old, now) = (desk.now - .hours(13), desk.now)
            let late = try desk.request(3, signedAt: old)
            for n in 1...2 {
                let note = try desk.request(n, signedAt: now)
                try await desk.take(note)
                try desk.list(note, signedAt: now, isDelivered: n == 1)
            }
            try desk.list(late, signedAt: old)
            try await desk.beginHistory()
            try await desk.test.asSuperuser("update refunds.histories set began_at = \(now - .days(2))")
            desk.clock.advance(by: .minutes(1))
            for _ in 1...2 { try await desk.sweep() }
            #expect(desk.apple.calls.count == 2)
            #expect(
                try await desk.cases().last == .init(state: "missed", reason: "fetched-too-late", outcome: "pending"))
            #expect(try await desk.count("refunds.notifications") == 3)
            #expect(try await desk.count("refunds.notifications where source = 'history'") == 1)
            #expect(try await desk.historyStanding().words == "Apple sent 3, we hold 3 (1 fetched)")
            // Apple's own retry of what was fetched.
            #expect(try await desk.post(late) == .duplicate)
            try await desk.work()
            #expect(desk.apple.calls.count == 2)
            #expect(try await desk.count("refunds.rounds") == 3)
        }
    }

    @Test func `a process that dies between two pages is followed by another one at the same page`() async throws {
        try await Desk.open { desk in
            let signed = desk.now - .minutes(5)
            for n in 1...3 { try desk.list(try desk.request(n, signedAt: signed), signedAt: signed) }
            desk.history.pages(of: 1)
            try await desk.beginHistory()
            try await desk.run(try #require(try await desk.claim(.history)))
            #expect(try await desk.count("refunds.notifications") == 1)
            // It dies with Apple's answer in its hands: somebody else has the job by then.
            let second = try #require(try await desk.claim(.history))
            desk.history.interrupt { try await desk.rescue() }
            await #expect(throws: ClaimLost.self) { try await desk.run(second) }
            #expect(try await desk.count("refunds.notifications") == 1, "nothing of that page counts")
            try await desk.work()
            #expect(try await desk.count("refunds.notifications") == 3)
            #expect(desk.history.calls.map(\.page) == [nil, "1", "1", "2"])
            #expect(Set(desk.history.calls.map(\.body)).count == 1, "the body is the same on every page")
            #expect(try await desk.historyStanding().fetched == 3)
        }
    }

    @Test func `of two that read the same page at once one counts`() async throws {
        try await Desk.open { desk in
            let signed = desk.now - .minutes(5)
            try desk.list(try desk.request(1, signedAt: signed), signedAt: signed)
            try await desk.beginHistory()
            // A key that was never tried is tried by one call alone.
            try await desk.test.asSuperuser(
                """
                insert into tenants.key_standings (tenant_id, signing_key_id, environment, accepted_at)
                select tenant_id, signing_key_id, 'Production', now() from tenants.signing_keys
                """)
            try await desk.test.asSuperuser(
                """
                insert into tenants.key_proofs (tenant_id, signing_key_id, app_id, environment, accepted_at)
                select tenant_id, signing_key_id, app_id, 'Production', now() from tenants.signing_keys
                """)
            let first = try #require(try await desk.claim(.history))
            let subject = first.subject
            _ = try await desk.database.transaction(desk.alpha.app.tenant.scope) { tx in
                try await Enqueue.add(
                    NewJob(
                        tenant: first.tenant, lane: first.lane, kind: first.kind, subject: subject,
                        deadline: first.deadline), in: tx)
            }
            desk.history.interrupt {
                let other = try await desk.claim(.history)
                try await desk.run(try #require(other))
            }
            try await desk.run(first)
            try await desk.work()
            #expect(desk.history.calls.count == 2)
            #expect(try await desk.historyStanding().words == "Apple sent 1, we hold 1 (1 fetched)")
            #expect(try await desk.count("queue.jobs where kind = 'history'") == 1)
        }
    }

    @Test(arguments: ["the same token", "the same page under another token", "a circle"])
    func `BL-109: pages that lead back end the walk, and what is behind them is said to be unknown`(
        kind: String
    ) async throws {
        try await Desk.open { desk in
            try await desk.take(desk.note("TEST"))
            let records = try (1...2).map { n in
                NotificationRecord(
                    signedPayload: try desk.chain.sign(try desk.request(n, signedAt: desk.now)), attempts: [])
            }
            let (a, b) = ([records[0]], [records[1]])
            switch kind {
            case "the same token":
                desk.history.script(
                    ScriptedHistory.page(a, next: "T"), ScriptedHistory.page(b, next: nil, isCutOff: true))
            case "the same page under another token":
                desk.history.script(ScriptedHistory.page(a, next: "T"), ScriptedHistory.page(a, next: "U"))
            default:
                desk.history.script(
                    ScriptedHistory.page(a, next: "T"), ScriptedHistory.page(b, next: "U"),
                    ScriptedHistory.page([], next: "T"))
            }
            desk.clock.advance(by: .minutes(1))
            try await desk.beginHistory()
            try await desk.work()
            let failing = desk.history.calls.filter(\.isFailures).count
            #expect(failing == (kind == "a circle" ? 3 : 2))
            #expect(desk.history.calls.count == failing + 1, "everything is read all the same")
            #expect(
                try await desk.count("refunds.notifications where source = 'history'")
                    == (kind.hasPrefix("the same page") ? 1 : 2))
            let standing = try await desk.historyStanding()
            #expect(standing.trouble?.contains("leads back to a page") == true && standing.sweptAt == nil)
            #expect(try await desk.count("refunds.histories where failures_to is null and all_to is not null") == 1)
            // The next sweep begins where the last good one ended, and all is well.
            try await desk.sweep()
            #expect(try await desk.historyStanding().trouble == nil)
            #expect(try await desk.historyStanding().sweptAt == desk.now)
        }
    }

    @Test func `BL-109: pages without an end are read so far and no further`() async throws {
        try await Desk.open { desk in
            desk.history.limits.pagesMax = 3
            try await desk.beginHistory()
            // A new token each time, and nothing on the page.
            for n in 0..<200 { desk.history.script(ScriptedHistory.page([], next: "\(n)")) }
            try await desk.work()
            let first = desk.history.calls.count
            #expect(first > 3 && first <= 8 * 3)
            #expect(try await desk.historyStanding().trouble?.contains("does not end") == true)
            #expect(try await desk.count("queue.jobs where kind = 'history' and state = 'waiting'") == 1)
            // The window is as small as it can be by now.
            try await desk.sweep()
            #expect(desk.history.calls.count == first + 3)
        }
    }

    @Test func `BL-109: an expired token is followed by one fresh start, and no second one`() async throws {
        try await Desk.open { desk in
            let signed = desk.now - .minutes(5)
            for n in 1...2 { try desk.list(try desk.request(n, signedAt: signed), signedAt: signed) }
            desk.history.pages(of: 1)
            try await desk.beginHistory()
            try await desk.run(try #require(try await desk.claim(.history)))
            desk.history.script(ScriptedHistory.expired())
            try await desk.work()
            #expect(desk.history.calls.map(\.page) == [nil, "1", nil, "1"])
            #expect(try await desk.count("refunds.notifications") == 2)
            #expect(try await desk.historyStanding().trouble == nil)

            desk.history.script(ScriptedHistory.expired(), ScriptedHistory.expired())
            try await desk.sweep()
            #expect(desk.history.calls.count == 6)
            #expect(try await desk.historyStanding().trouble?.contains("4000017") == true)
        }
    }

    @Test func `a 429 rests the lane for as long as Apple says`() async throws {
        try await Desk.open { desk in
            try await desk.beginHistory()
            let until = desk.now + .minutes(3)
            desk.history.script(.failed(.rateLimited(ScriptedApple.answered(429, code: 4_290_000), until: until)))
            try await desk.work()
            #expect(desk.history.calls.count == 1)
            #expect(
                try await desk.count("queue.jobs where kind = 'history' and state = 'waiting' and run_at = \(until)")
                    == 1)
            #expect(try await desk.count("queue.lanes where free_at > clock_timestamp() + interval '2 minutes'") == 1)
            try await desk.workOn(until: until)
            #expect(desk.history.calls.count == 2)
            #expect(try await desk.historyStanding().trouble == nil)
        }
    }

    @Test func `a 401 pauses the key, and the page is asked for again when it may be tried`() async throws {
        try await Desk.open { desk in
            try await desk.beginHistory()
            desk.history.script(.failed(ScriptedApple.unauthenticated), .failed(ScriptedApple.unauthenticated))
            try await desk.work()
            #expect(desk.history.calls.count == 1)
            #expect(try await desk.historyStanding().trouble?.hasPrefix("401") == true)
            #expect(try await desk.count("tenants.key_standings where refused_since is not null") == 1)
            try await desk.workOn(until: desk.now + .minutes(2))
            #expect(desk.history.calls.count == 1)
            try await desk.workOn(until: desk.now + .minutes(4))
            #expect(desk.history.calls.count >= 3)
            #expect(try await desk.historyStanding().trouble == nil)
            #expect(try await desk.count("tenants.key_standings where refused_since is not null") == 0)
        }
    }

    @Test(arguments: [ScriptedApple.retry(500), ScriptedApple.reset, ScriptedApple.noConnection])
    func `Apple's trouble passes, and the same page is asked for`(failure: CallResult) async throws {
        try await Desk.open { desk in
            let signed = desk.now - .minutes(5)
            for n in 1...2 { try desk.list(try desk.request(n, signedAt: signed), signedAt: signed) }
            desk.history.pages(of: 1)
            try await desk.beginHistory()
            try await desk.run(try #require(try await desk.claim(.history)))
            desk.history.script(.failed(failure))
            try await desk.work()
            #expect(try await desk.historyStanding().trouble != nil)
            try await desk.workOn(until: desk.now + .seconds(10))
            #expect(desk.history.calls.map(\.page) == [nil, "1", "1"])
            #expect(try await desk.historyStanding().trouble == nil)
            #expect(try await desk.historyStanding().held == 2)
        }
    }

    @Test func `what is not to be believed is set aside once, and hides nothing beside it`() async throws {
        try await Desk.open { desk in
            let signed = desk.now - .minutes(5)
            try desk.list(try desk.request(1, signedAt: signed), signedAt: signed, by: desk.evil)
            try desk.list(
                try desk.request(2, signedAt: signed) {
                    $0["data"]?["bundleId"] = "com.example.other"
                }, signedAt: signed)
            try desk.list(
                try desk.request(3, signedAt: signed) { $0["data"]?["environment"] = "Sandbox" }, signedAt: signed)
            desk.history.list("no.signed.text", signedAt: signed, isDelivered: false)
            try desk.list(try desk.request(4, signedAt: signed), signedAt: signed)
            try await desk.beginHistory()
            for _ in 1...2 { try await desk.sweep() }
            let standing = try await desk.historyStanding()
            #expect(standing.words == "Apple sent 5, we hold 1 (1 fetched); 4 not to be believed")
            #expect(try await desk.count("refunds.refusals") == 4)
            #expect(try await desk.count("refunds.notifications") == 1)
        }
    }

    @Test func `before Apple delivered anything here, what it delivered elsewhere is not looked at`() async throws {
        try await Desk.open { desk in
            try await desk.consent(at: desk.now - .days(2))
            let signed = desk.now - .hours(1)
            try desk.list(try desk.request(1, signedAt: signed), signedAt: signed, isDelivered: true)
            try desk.list(try desk.request(2, signedAt: signed), signedAt: signed)
            try await desk.beginHistory()
            try await desk.work()
            #expect(desk.history.calls.map(\.isFailures) == [true])
            #expect(desk.apple.calls.map(\.transactionID) == ["2000000900001002"])
            let start = desk.now
            try await desk.take(desk.note("TEST"))
            try await desk.sweep()
            #expect(desk.history.calls.last?.isFailures == false)
            #expect(desk.history.calls.last?.body.hasPrefix(#"{"startDate":\#(start.milliseconds),"#) == true)
            #expect(desk.apple.calls.count == 1)
        }
    }

    @Test func `a TEST that had to be fetched proves no address`() async throws {
        try await Desk.open { desk in
            let (app, now, id) = (desk.alpha.app, desk.now, UUID())
            try await desk.database.transaction(app.tenant.scope) { tx in
                try await TestNotificationStore.add(id, of: app, isSandbox: false, by: nil, at: now, in: tx)
            }
            try desk.list(desk.note("TEST"), signedAt: now)
            desk.clock.advance(by: .minutes(1))
            try await desk.beginHistory()
            try await desk.work()
            #expect(
                try await desk.count("refunds.notifications where type = 'TEST' and standing = 'nothing-to-do'") == 1)
            #expect(try await desk.count("tenants.test_notifications where state = 'asked'") == 1)
            let standings = try await Records(database: desk.database).appStandings(of: app.tenant, at: desk.now)
            #expect(standings.first?.lastNotification.production == nil)
        }
    }

    @Test func `every app with a key is read, by one chain of jobs, which a start brings forward`() async throws {
        try await Desk.open { desk in
            func keep(_ atOnce: Bool = false) async throws -> Int {
                let now = desk.now
                return try await desk.database.transaction(.house) { tx in
                    try await HistoryRound.keep(atOnce: atOnce, at: now, in: tx)
                }
            }
            #expect(try await keep() == 4)
            #expect(try await keep() == 0)
            try await desk.work()
            #expect(Set(desk.history.calls.map(\.environment)) == [.production, .sandbox])
            #expect(try await desk.count("queue.jobs where kind = 'history' and state = 'waiting'") == 4)
            let first = desk.history.calls.count
            desk.clock.advance(by: .seconds(10))
            #expect(try await keep(true) == 4)
            desk.clock.advance(by: .seconds(1))
            try await desk.work()
            #expect(desk.history.calls.count == first * 2)
            // A lost job begins again; an app that was removed does not.
            try await desk.test.asSuperuser("delete from queue.jobs")
            try await desk.test.asSuperuser(
                "update tenants.apps set removed_at = now() where app_id = \(desk.beta.app.id.rawValue)")
            #expect(try await keep() == 2)
        }
        try await Desk.open(withKey: false) { desk in
            let now = desk.now
            let added = try await desk.database.transaction(.house) { tx in
                try await HistoryRound.keep(atOnce: true, at: now, in: tx)
            }
            #expect(added == 0)
        }
    }

    @Test func `doctor tells how many Apple sent, how many are here, and what is in the way`() async throws {
        try await Desk.open { desk in
            let signed = desk.now - .minutes(5)
            try desk.list(try desk.request(1, signedAt: signed), signedAt: signed)
            try await desk.beginHistory()
            try await desk.work()
            func check() async throws -> Check? {
                let (app, now) = (desk.alpha.app, desk.now)
                return try await desk.database.transaction(app.tenant.scope) { tx in
                    try await TenantChecks.of(
                        Tenant(id: app.tenant, slug: "alpha", name: "alpha"), vault: desk.vault,
                        tokens: APITokens(database: desk.database, clock: desk.clock.clock), at: now, in: tx)
                }.first { $0.name == "app alpha/com.example.alpha history Production" }
            }
            let good = try #require(try await check())
            #expect(good.state == .ok && good.text.hasPrefix("Apple sent 1, we hold 1 (1 fetched) in 30 days; read"))
            desk.history.always(.failed(ScriptedApple.retry(500)))
            try await desk.sweep()
            let bad = try #require(try await check())
            #expect(bad.state == .warn && bad.text.contains("it cannot be read: 500"))
        }
    }
}
