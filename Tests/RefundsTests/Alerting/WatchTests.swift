import Crypto
import FoundationEssentials
import Journal
import Postgres
import Support
import Synchronization
import Tenants
import Testing
import Time

@testable import Refunds

@Suite struct `The watch` {
    private func refuse(_ desk: Desk) async throws {
        let app = desk.alpha.app
        let now = desk.now
        try await desk.database.transaction(app.tenant.scope) { tx in
            let key = try #require(try await desk.vault.signingKey(of: app.tenant, for: app.id, in: tx))
            try await KeyStandings.accepted(
                key.id, for: app.id, isSandbox: false, of: app.tenant, at: now - .days(1), in: tx)
            _ = try await KeyStandings.refused(
                key.id, for: app.id, isSandbox: false, of: app.tenant, clockOffset: nil, at: now, in: tx)
        }
    }

    private func repair(_ desk: Desk) async throws {
        let app = desk.alpha.app
        let now = desk.now
        try await desk.database.transaction(app.tenant.scope) { tx in
            let key = try #require(try await desk.vault.signingKey(of: app.tenant, for: app.id, in: tx))
            try await KeyStandings.accepted(
                key.id, for: app.id, isSandbox: false, of: app.tenant, at: now, in: tx)
        }
    }

    @Test func `tells of a refused key once, and by itself that it is over`() async throws {
        try await Desk.open { desk in
            try await desk.addChannel()
            try await desk.consent()
            try await refuse(desk)
            #expect(try await desk.post(desk.note("CONSUMPTION_REQUEST", desk.tx())) == .accepted)
            try await desk.run(try #require(try await desk.claim(.notification)))
            let watch = desk.watch()
            try await desk.look(watch)
            let first = try #require(desk.pager.triggers(.credentialsRefused).first)
            #expect(first.notice.title.contains("ABCDE12345") && first.notice.severity == .error)
            #expect(first.notice.effect.contains("1 refund request without an answer"))
            #expect(first.notice.cases.count == 1 && first.notice.url?.contains("/t/alpha/alerts/") == true)
            for _ in 1...3 {
                desk.clock.advance(by: .seconds(10))
                try await desk.look(watch)
            }
            #expect(desk.pager.messages.count == 1)
            let labels = ["rule": "credentials-refused", "severity": "error"]
            #expect(desk.test.counters.value("incidents_open", labels) == 1)
            #expect(desk.test.counters.value("channels", ["channel": "slack", "state": "working"]) == 1)

            try await repair(desk)
            for _ in 1...5 {
                desk.clock.advance(by: .seconds(10))
                try await desk.look(watch)
            }
            #expect(desk.pager.told(.resolved).map(\.notice.dedupKey) == [first.notice.dedupKey])
            #expect(try await desk.incidents() == ["credentials-refused error closed"])
            try await desk.look(watch)
            #expect(desk.test.counters.value("incidents_open", labels) == 0)
            for change in ["opened", "closed"] {
                let counted = ["rule": "credentials-refused", "change": change]
                #expect(desk.test.counters.value("incidents_total", counted) == 1)
            }
            desk.clock.advance(by: .minutes(2))
            try await desk.look(watch)
            #expect(desk.pager.messages.count == 2)
        }
    }

    @Test func `two processes make one round, and one page`() async throws {
        try await Desk.open { desk in
            try await desk.addChannel()
            try await refuse(desk)
            #expect(try await desk.post(desk.note("CONSUMPTION_REQUEST", desk.tx())) == .accepted)
            try await desk.run(try #require(try await desk.claim(.notification)))
            try await desk.test.asSuperuser("update refunds.watch set began_at = '-infinity'")
            let (one, other) = (desk.watch(), desk.watch())
            async let first = one.round()
            async let second = other.round()
            #expect(await [first, second].count { $0 } == 1)
            try await desk.work()
            #expect(desk.pager.triggers(.credentialsRefused).count == 1)
        }
    }

    @Test func `calls nobody about Sandbox or a rehearsal`() async throws {
        try await Desk.open { desk in
            try await desk.addChannel { $0.severity = .warning }
            let app = desk.alpha.app
            let now = desk.now
            try await desk.database.transaction(app.tenant.scope) { tx in
                let key = try #require(try await desk.vault.signingKey(of: app.tenant, for: app.id, in: tx))
                _ = try await KeyStandings.refused(
                    key.id, for: app.id, isSandbox: true, of: app.tenant, clockOffset: nil, at: now, in: tx)
            }
            try await desk.post(desk.note("CONSUMPTION_REQUEST", desk.tx { $0["environment"] = "Sandbox" }))
            try await desk.run(try #require(try await desk.claim(.notification)))
            desk.clock.advance(by: .minutes(4))
            try await desk.look(desk.watch())
            #expect(desk.pager.messages.isEmpty)
        }
    }

    @Test(arguments: [true, false])
    func `says no more that the clock is off once it is right, though another key's refusal stands`(isTaken: Bool)
        async throws
    {
        try await Desk.open { desk in
            try await desk.addChannel()
            let (app, now) = (desk.alpha.app, desk.now)
            func write(_ body: @escaping @Sendable (SigningKeyID, Transaction) async throws -> Void) async throws {
                try await desk.database.transaction(app.tenant.scope) { tx in
                    let key = try #require(try await desk.vault.signingKey(of: app.tenant, for: app.id, in: tx))
                    try await body(key.id, tx)
                }
            }
            try await write { key, tx in
                _ = try await KeyStandings.refused(
                    key, for: app.id, isSandbox: true, of: app.tenant, clockOffset: .minutes(10), at: now, in: tx)
            }
            let watch = desk.watch()
            try await desk.look(watch)
            #expect(try await desk.incidents() == ["clock-off error"])
            if isTaken {
                // Apple takes what is signed now.
                try await write { key, tx in
                    try await KeyStandings.accepted(
                        key, for: app.id, isSandbox: false, of: app.tenant, at: now + .seconds(1), in: tx)
                }
                desk.clock.advance(by: .minutes(1))
            } else {
                // The clock was ahead: what it dated lies in the future.
                desk.clock.set(now - .minutes(10))
            }
            for _ in 1...5 {
                desk.clock.advance(by: .seconds(10))
                try await desk.look(watch)
            }
            #expect(try await desk.incidents() == ["clock-off error closed"])
        }
    }

    @Test func `calls about a deadline when nothing else explains it, and louder as time runs out`() async throws {
        try await Desk.open { desk in
            try await desk.addChannel()
            try await desk.consent()
            #expect(try await desk.post(desk.note("CONSUMPTION_REQUEST", desk.tx())) == .accepted)
            try await desk.run(try #require(try await desk.claim(.notification)))
            let watch = desk.watch()
            desk.clock.advance(by: .hours(7))
            await watch.round()
            #expect(desk.pager.messages.isEmpty)
            for (hours, severity) in [(Int64(2), Severity.error), (2, .critical)] {
                desk.clock.advance(by: .hours(hours))
                try await desk.test.asSuperuser("update refunds.watch set began_at = '-infinity'")
                await watch.round()
                while let job = try await desk.claim(.notify) { try await desk.run(job) }
                #expect(desk.pager.triggers(.deadlineAtRisk).last?.notice.severity == severity)
            }
            #expect(desk.pager.triggers(.deadlineAtRisk).count == 2)
            #expect(Set(desk.pager.messages.map(\.notice.dedupKey)).count == 1)
        }
    }

    @Test func `sends by itself what the workers do not begin`() async throws {
        try await Desk.open { desk in
            try await desk.addChannel()
            try await refuse(desk)
            #expect(try await desk.post(desk.note("CONSUMPTION_REQUEST", desk.tx())) == .accepted)
            try await desk.run(try #require(try await desk.claim(.notification)))
            let watch = desk.watch()
            await watch.round()
            #expect(desk.pager.messages.isEmpty)
            desk.clock.advance(by: .seconds(21))
            try await desk.test.asSuperuser("update refunds.watch set began_at = '-infinity'")
            await watch.round()
            #expect(desk.pager.triggers(.credentialsRefused).count == 1)
            try await desk.work()
            #expect(desk.pager.triggers(.credentialsRefused).count == 1)
        }
    }

    @Test func `repeats what a service does not take, and switches off what has gone`() async throws {
        try await Desk.open { desk in
            let (alive, dead) = (try await desk.addChannel(), try await desk.addChannel { $0.name = "Old" })
            desk.pager.kill(dead.id)
            try await refuse(desk)
            #expect(try await desk.post(desk.note("CONSUMPTION_REQUEST", desk.tx())) == .accepted)
            try await desk.run(try #require(try await desk.claim(.notification)))
            let watch = desk.watch()
            try await desk.look(watch)
            let channels = try await desk.alerts.channels(of: desk.alpha.app.tenant)
            #expect(channels.first { $0.id == dead.id }?.isOff == true)
            #expect(channels.first { $0.id == alive.id }?.lastSuccessAt != nil)
            desk.clock.advance(by: .seconds(10))
            try await desk.look(watch)
            #expect(desk.pager.triggers(.channelFailing).map(\.channel) == [alive.id])
            #expect(desk.pager.messages.count { $0.channel == dead.id } == 1)

            // A new address brings it back, and what it did not hear it hears now.
            _ = try await desk.alerts.changeChannel(
                dead.id, ChannelChange(name: "Old", secret: Redacted("https://hooks.example.com/services/T0/B0/new")),
                of: desk.alpha.app.tenant, by: .commandLine)
            desk.clock.advance(by: .seconds(10))
            try await desk.look(watch)
            #expect(desk.pager.messages.count { $0.channel == dead.id } == 2)
        }
    }

    @Test func `a passing refusal is repeated until it is taken, with the same key`() async throws {
        try await Desk.open { desk in
            try await desk.addChannel()
            desk.pager.script(.again("HTTP 429", after: .seconds(30)), .again("HTTP 500", after: nil))
            try await refuse(desk)
            #expect(try await desk.post(desk.note("CONSUMPTION_REQUEST", desk.tx())) == .accepted)
            try await desk.run(try #require(try await desk.claim(.notification)))
            try await desk.look(desk.watch())
            #expect(desk.pager.messages.count == 1)
            desk.clock.advance(by: .seconds(29))
            #expect(try await desk.claim(.notify) == nil)
            for _ in 1...2 {
                desk.clock.advance(by: .minutes(1))
                while let job = try await desk.claim(.notify) { try await desk.run(job) }
            }
            #expect(desk.pager.messages.count == 3)
            #expect(Set(desk.pager.messages.map(\.notice.dedupKey)).count == 1)
            let states = try await desk.test.asSuperuser("select state from refunds.notices")
            #expect(try states.map { try $0("state") as String } == ["sent"])
        }
    }

    @Test func `somebody who acknowledges spares the others, and who was called is told`() async throws {
        try await Desk.open { desk in
            let (now, later) = (
                try await desk.addChannel(.pagerduty), try await desk.addChannel { $0.after = .minutes(10) }
            )
            try await refuse(desk)
            #expect(try await desk.post(desk.note("CONSUMPTION_REQUEST", desk.tx())) == .accepted)
            try await desk.run(try #require(try await desk.claim(.notification)))
            let watch = desk.watch()
            try await desk.look(watch)
            let tenant = desk.alpha.app.tenant
            let open = try #require(try await desk.alerts.open(of: tenant).first { $0.rule == .credentialsRefused })
            try await desk.alerts.acknowledge(open.id, of: tenant, by: PersonID(rawValue: Random.uuid()), name: "Ada")
            desk.clock.advance(by: .minutes(11))
            try await desk.look(watch)
            #expect(desk.pager.told(.acknowledged(by: "Ada")).map(\.channel) == [now.id])
            #expect(desk.pager.messages.allSatisfy { $0.channel != later.id })
            let story = try #require(try await desk.alerts.story(open.id, of: tenant))
            #expect(story.events.map(\.kind) == ["acknowledged", "opened"] && story.tellings.count == 2)
            #expect(try await desk.alerts.story(open.id, of: desk.beta.app.tenant) == nil)
        }
    }

    @Test func `without a channel that is the incident, and with one it is over`() async throws {
        try await Desk.open { desk in
            let watch = desk.watch()
            let tenant = desk.alpha.app.tenant
            try await desk.look(watch)
            #expect(try await desk.alerts.line(of: tenant) == .nobodyIsTold)
            try await desk.addChannel()
            for _ in 1...5 {
                desk.clock.advance(by: .seconds(10))
                try await desk.look(watch)
            }
            #expect(try await desk.alerts.line(of: tenant) == .calm)
        }
    }

    @Test func `where the installation has no channel, its tenants hear of its troubles`() async throws {
        try await Desk.open { desk in
            try await desk.addChannel()
            let watch = desk.watch {
                var facts = HouseFacts(host: "web-1"); facts.hasMasterKey = false; return [facts]
            }
            try await desk.look(watch)
            #expect(desk.pager.triggers(.masterKeyMissing).map(\.notice.tenant) == ["alpha"])

            try await desk.addChannel(of: .installation)
            for _ in 1...5 {
                desk.clock.advance(by: .seconds(10))
                try await desk.look(watch)
            }
            #expect(desk.pager.triggers(.masterKeyMissing).map(\.notice.tenant) == ["alpha", "installation"])
            #expect(desk.pager.told(.resolved).map(\.notice.tenant) == ["alpha"])
        }
    }

    @Test func `asks for a TEST notification when an app falls silent, and calls when that does not come`() async throws
    {
        try await Desk.open { desk in
            try await desk.addChannel()
            for hour in (0..<12).reversed() {
                desk.clock.set(desk.now + .hours(1))
                try await desk.post(
                    desk.note("REFUND_DECLINED", desk.tx { $0["transactionId"] = .text("20000009000\(hour)") }))
            }
            try await desk.test.asSuperuser(
                """
                update refunds.notifications
                set received_at = signed_at
                """)
            try await desk.work()
            let watch = desk.watch()
            desk.clock.advance(by: .minutes(85))
            try await desk.look(watch)
            #expect(desk.pager.asked.isEmpty)
            desk.clock.advance(by: .minutes(10))
            try await desk.look(watch)
            #expect(desk.pager.asked == [desk.alpha.app.id] && desk.pager.triggers(.appleSilent).isEmpty)
            desk.clock.advance(by: .seconds(125))
            try await desk.look(watch)
            #expect(desk.pager.triggers(.appleSilent).count == 1 && desk.pager.asked.count == 1)

            // The TEST comes after all: Apple is quiet, and we are not deaf.
            try await desk.post(desk.note("TEST"))
            try await desk.test.asSuperuser(
                "update refunds.notifications set received_at = signed_at where type = 'TEST'")
            for _ in 1...5 {
                desk.clock.advance(by: .seconds(10))
                try await desk.look(watch)
            }
            #expect(desk.pager.told(.resolved).count == 1 && desk.pager.asked.count == 1)
        }
    }

    private final class Flag: Sendable {
        private let value = Mutex(false)
        var isSet: Bool { value.withLock { $0 } }
        func set(_ new: Bool) { value.withLock { $0 = new } }
    }

    @Test func `a database without room is told of from memory, once, until it keeps something again`() async throws {
        try await Desk.open(withKey: false) { desk in
            try await desk.addChannel { $0.severity = .warning }
            let flag = Flag()
            let clock = desk.clock
            let watch = desk.watch {
                var facts = HouseFacts(host: "web-1")
                facts.databaseFullAt = flag.isSet ? clock.now : nil
                return [facts]
            }
            try await desk.look(watch)
            let before = desk.pager.messages.count
            try await desk.test.asSuperuser(
                """
                create function public.no_room() returns trigger language plpgsql as
                $$ begin raise exception 'could not extend file' using errcode = 'disk_full'; end $$
                """)
            try await desk.test.asSuperuser(
                "create trigger no_room before insert on queue.jobs for each row execute function public.no_room()")
            flag.set(true)
            for _ in 1...4 {
                desk.clock.advance(by: .seconds(10))
                try await desk.look(watch)
            }
            #expect(desk.pager.triggers(.databaseFull).count == 1)
            #expect(desk.pager.messages.count == before + 1)

            flag.set(false)
            try await desk.test.asSuperuser("drop trigger no_room on queue.jobs")
            for _ in 1...4 {
                desk.clock.advance(by: .seconds(10))
                try await desk.look(watch)
            }
            #expect(desk.pager.told(.resolved).filter { $0.notice.rule == "database-full" }.count == 1)
            #expect(desk.pager.triggers(.databaseFull).count == 1)
            #expect(try await desk.incidents().contains("database-full critical closed"))
        }
    }
}
