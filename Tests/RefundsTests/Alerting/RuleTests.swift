import Crypto
import Journal
import Postgres
import Support
import Synchronization
import Tenants
import Testing
import Time

@testable import Refunds

/// A rule that nothing can raise is a promise that nobody keeps: each is made to fire by what the database holds or a
/// process measures, and to end when that is gone.
@Suite struct `Each rule` {
    /// What the process measures in this test.
    private final class Machine: Sendable {
        private let facts = Mutex(HouseFacts(host: "web-1"))
        var all: [HouseFacts] { facts.withLock { [$0] } }
        func change(_ body: (inout HouseFacts) -> Void) {
            facts.withLock { facts in
                var changed = facts
                body(&changed)
                facts = changed
            }
        }
    }

    private struct Trouble {
        var makes: (Desk, Machine) async throws -> Void
        var mends: (Desk, Machine) async throws -> Void
    }

    @Test(arguments: IncidentRule.allCases)
    func `opens an incident when it is true, once, and closes it when it is over`(rule: IncidentRule) async throws {
        try await Desk.open(withKey: rule != .keyAbsent) { desk in
            if rule != .noChannel { try await desk.addChannel { $0.severity = .warning } }
            if rule == .channelFailing { try await desk.addChannel { $0.name = "Old" } }
            try await desk.consent()
            let machine = Machine()
            let trouble = trouble(rule)
            let watch = desk.watch { machine.all }
            try await desk.look(watch)
            if rule != .noChannel, rule != .keyAbsent { #expect(try await state(rule, desk) == "none") }

            try await trouble.makes(desk, machine)
            for round in 1...3 {
                if rule == .databaseUnreachable { await watch.round() } else { try await desk.look(watch) }
                if round < 3 { desk.clock.advance(by: .seconds(16)) }
            }
            if rule == .databaseUnreachable {
                #expect(desk.pager.triggers(rule).count == 1)
            } else {
                #expect(try await state(rule, desk) == "open")
                #expect(desk.pager.triggers(rule).count == (rule == .noChannel ? 0 : 1))
            }

            try await trouble.mends(desk, machine)
            for _ in 1...(rule == .reasonDrift ? 14 : 5) {
                desk.clock.advance(by: .seconds(10))
                try await desk.look(watch)
            }
            #expect(try await state(rule, desk) == "closed")
            if rule != .noChannel {
                #expect(desk.pager.told(.resolved).filter { $0.notice.rule == rule.rawValue }.count == 1)
            }
        }
    }

    private func state(_ rule: IncidentRule, _ desk: Desk) async throws -> String {
        let rows = try await desk.test.asSuperuser(
            """
            select coalesce(string_agg(distinct case when closed_at is null then 'open' else 'closed' end, ' '), 'none') as s
            from refunds.incidents
            where rule = \(rule.rawValue) and tenant_id in (0, \(desk.alpha.app.tenant.rawValue))
            """)
        return try rows[0]("s")
    }

    // MARK: how each comes about

    private func trouble(_ rule: IncidentRule) -> Trouble {
        switch rule {
        case .repliesFailing:
            Trouble { desk, _ in
                desk.apple.always(ScriptedApple.retry(500))
                try await request(desk)
                try await desk.workOn(until: desk.now + .minutes(4))
            } mends: { desk, _ in
                desk.apple.always(nil)
                try await desk.workOn(until: desk.now + .hours(1))
            }
        case .deadlineAtRisk:
            Trouble { desk, _ in
                try await request(desk)
                desk.clock.advance(by: .hours(9))
            } mends: { desk, _ in
                try await answer(desk)
            }
        case .deadlineMissed:
            Trouble { desk, _ in
                try await request(desk)
                for table: SQL in ["refunds.rounds", "refunds.cases"] {
                    try await desk.test.asSuperuser("update \(table) set state = 'missed'")
                }
            } mends: { desk, _ in
                desk.clock.advance(by: .hours(37))
            }
        case .credentialsRefused, .clockOff:
            Trouble { desk, _ in
                try await standing(desk, clockOffset: rule == .clockOff ? .minutes(10) : nil)
                if rule == .credentialsRefused { try await request(desk) }
            } mends: { desk, _ in
                try await standing(desk, isRefused: false)
            }
        case .keyAbsent:
            Trouble { _, _ in
            } mends: { desk, _ in
                try await desk.addKey("ABCDE12345")
            }
        case .sealedUnreadable:
            Trouble { desk, _ in
                try await desk.relay(to: "https://other.example.com/apple")
                try await desk.test.asSuperuser(
                    "update tenants.secrets set sealed = set_byte(sealed, 40, 255 - get_byte(sealed, 40)) where kind = 'relay-url'"
                )
            } mends: { desk, _ in
                try await desk.relay(to: "")
            }
        case .commerceAddendumRefused:
            Trouble { desk, _ in
                try await desk.test.asSuperuser(
                    """
                    insert into refunds.commerce_access (tenant_id, app_id, environment, stopped_at, refused_status, changed_at)
                    values (\(desk.alpha.app.tenant.rawValue), \(desk.alpha.app.id.rawValue), 'Production', \(desk.now), 403,
                      \(desk.now))
                    """)
            } mends: { desk, _ in
                try await desk.test.asSuperuser("update refunds.commerce_access set stopped_at = null")
            }
        case .commerceFailing:
            Trouble { desk, _ in
                try await desk.know(desk.addOns())
                _ = try await desk.ask(desk.refund("addon.a"))
                try await desk.test.asSuperuser(
                    "update refunds.commerce_requests set state = 'failed', changed_at = \(desk.now), listed_at = \(desk.now)"
                )
            } mends: { desk, _ in
                try await desk.test.asSuperuser(
                    "update refunds.commerce_requests set changed_at = \(desk.now - .days(2))")
            }
        case .notificationsRefused:
            Trouble { desk, _ in
                let hour = Moment(milliseconds: desk.now.milliseconds / 3_600_000 * 3_600_000)
                try await desk.test.asSuperuser(
                    """
                    insert into refunds.refusal_counts (tenant_id, app_id, hour, reason, n)
                    values (\(desk.alpha.app.tenant.rawValue), \(desk.alpha.app.id.rawValue), \(hour), 'signature', 30)
                    """)
            } mends: { desk, _ in
                try await desk.test.asSuperuser("update refunds.refusal_counts set hour = hour - interval '4 hours'")
            }
        case .appleSilent:
            Trouble { desk, _ in
                try await desk.test.asSuperuser(
                    """
                    insert into refunds.silences (tenant_id, app_id, last_at, usual_gap_s, noticed_at, asked_at)
                    values (\(desk.alpha.app.tenant.rawValue), \(desk.alpha.app.id.rawValue), \(desk.now - .days(1)), 3600,
                      \(desk.now - .minutes(5)), \(desk.now - .minutes(5)))
                    """)
            } mends: { desk, _ in
                try await desk.test.asSuperuser("update refunds.silences set heard_at = \(desk.now)")
            }
        case .historyGap:
            Trouble { desk, _ in
                try await desk.test.asSuperuser(
                    """
                    insert into refunds.histories (tenant_id, app_id, environment, began_at, due_at, fetched_at, fetched_count)
                    values (\(desk.alpha.app.tenant.rawValue), \(desk.alpha.app.id.rawValue), 'Production',
                      \(desk.now - .days(1)), \(desk.now + .minutes(5)), \(desk.now), 3)
                    on conflict (tenant_id, app_id, environment) do update set fetched_at = \(desk.now), fetched_count = 3
                    """)
            } mends: { desk, _ in
                try await desk.test.asSuperuser("update refunds.histories set fetched_at = \(desk.now - .hours(2))")
            }
        case .queueOld, .workerStuck:
            Trouble { desk, _ in
                try await desk.test.asSuperuser(
                    """
                    insert into queue.jobs (tenant_id, lane, kind, subject, state, run_at, deadline, lease_until)
                    values (\(desk.alpha.app.tenant.rawValue), 0, 'drill', '{}', \(rule == .queueOld ? "ready" : "running"),
                      now() - interval '10 minutes', now(),
                      case when \(rule == .queueOld) then null else now() - interval '5 minutes' end)
                    """)
            } mends: { desk, _ in
                try await desk.test.asSuperuser("delete from queue.jobs where kind = 'drill'")
            }
        case .databaseSlow:
            Trouble { desk, _ in
                try await desk.test.asSuperuser(
                    """
                    create function public.slow() returns trigger language plpgsql as $$
                    begin
                      if new.began_at > '-infinity' and new.began_at <> old.began_at then perform pg_sleep(1.05); end if;
                      return new;
                    end $$
                    """)
                try await desk.test.asSuperuser(
                    "create trigger slow before update on refunds.watch for each row execute function public.slow()")
            } mends: { desk, _ in
                try await desk.test.asSuperuser("drop trigger slow on refunds.watch")
            }
        case .databaseUnreachable:
            Trouble { desk, _ in
                try await shut(desk, true)
            } mends: { desk, _ in
                try await shut(desk, false)
            }
        case .relayFailing:
            Trouble { desk, _ in
                try await desk.relay(to: "https://other.example.com/apple")
                try await desk.test.asSuperuser(
                    """
                    insert into refunds.relay_standings (tenant_id, app_id, failures, last_error, last_error_at)
                    values (\(desk.alpha.app.tenant.rawValue), \(desk.alpha.app.id.rawValue), 5, 'HTTP 500', \(desk.now))
                    """)
            } mends: { desk, _ in
                try await desk.test.asSuperuser("update refunds.relay_standings set failures = 0")
            }
        case .callbackFailing:
            Trouble { desk, _ in
                try await desk.askBack(at: "https://backend.example.com/evidence")
                try await desk.test.asSuperuser(
                    """
                    insert into refunds.callback_standings (tenant_id, app_id, failures, last_error, last_error_at)
                    values (\(desk.alpha.app.tenant.rawValue), \(desk.alpha.app.id.rawValue), 5, 'HTTP 500', \(desk.now))
                    """)
            } mends: { desk, _ in
                let (app, now) = (desk.alpha.app, desk.now)
                try await desk.database.transaction(app.tenant.scope) { tx in
                    try await AskStore.succeeded(app, at: now, in: tx)
                }
            }
        case .consentMissing:
            Trouble { desk, _ in
                try await addCases(desk, state: "withheld", why: "no-consent", reason: "OTHER")
            } mends: { desk, _ in
                try await desk.test.asSuperuser("delete from refunds.cases")
            }
        case .consentRescinded:
            Trouble { desk, _ in
                for environment in ["Production", "Sandbox"] {
                    try await desk.test.asSuperuser(
                        """
                        insert into refunds.rescissions
                          (tenant_id, app_id, notification_uuid, environment, app_transaction_id, signed_at, learned_at)
                        values (\(desk.alpha.app.tenant.rawValue), \(desk.alpha.app.id.rawValue), \(Random.uuid()),
                          \(environment), '70', \(desk.now), \(desk.now))
                        """)
                }
            } mends: { desk, _ in
                // What a person decided about Production; the Sandbox never opened anything.
                let book = try await desk.deciding.consentBook(of: desk.alpha.app)
                let notice = try #require(book.rescissions.first { !$0.isSandbox })
                try await desk.deciding.decide(
                    .leaveStopped, about: notice.id, of: desk.alpha.app, by: HeldCaseTests.author, role: .support,
                    address: nil)
            }
        case .reasonDrift:
            Trouble { desk, _ in
                try await addCases(desk, state: "refused", why: nil, reason: "FULFILLMENT_ISSUE")
                try await desk.test.asSuperuser("update tenants.apps set created_at = \(desk.now - .days(30))")
                // Not counted in every round.
                desk.clock.advance(by: DriftPace.every)
            } mends: { desk, _ in
                try await desk.test.asSuperuser("delete from refunds.cases")
            }
        case .channelFailing:
            Trouble { desk, _ in
                try await desk.test.asSuperuser(
                    "update refunds.channels set failures = 5, last_error = 'HTTP 500' where name = 'Old'")
            } mends: { desk, _ in
                try await desk.test.asSuperuser("update refunds.channels set failures = 0 where name = 'Old'")
            }
        case .noChannel:
            Trouble { _, _ in
            } mends: { desk, _ in
                try await desk.addChannel()
            }
        case .masterKeyMissing:
            measured {
                $0.hasMasterKey = false
            } mends: {
                $0.hasMasterKey = true
            }
        case .databaseFull:
            Trouble { desk, machine in
                let now = desk.now
                machine.change { $0.databaseFullAt = now }
            } mends: { _, machine in
                machine.change { $0.databaseFullAt = nil }
            }
        case .revocationUnreachable:
            Trouble { desk, machine in
                let since = desk.now - .minutes(31)
                machine.change { $0.revocationSilentSince = since }
            } mends: { _, machine in
                machine.change { $0.revocationSilentSince = nil }
            }
        case .diskFull:
            measured {
                $0.disks = [.init(path: "/", free: 1 << 20, size: 1 << 40)]
            } mends: {
                $0.disks = [.init(path: "/", free: 1 << 39, size: 1 << 40)]
            }
        case .certificateEnding:
            Trouble { desk, machine in
                let ends = desk.now + .days(13)
                machine.change { $0.certificateEnds = ends }
            } mends: { desk, machine in
                let ends = desk.now + .days(90)
                machine.change { $0.certificateEnds = ends }
            }
        }
    }

    private func measured(
        _ makes: @escaping (inout HouseFacts) -> Void, mends: @escaping (inout HouseFacts) -> Void
    ) -> Trouble {
        Trouble(makes: { _, machine in machine.change(makes) }, mends: { _, machine in machine.change(mends) })
    }

    private func request(_ desk: Desk) async throws {
        #expect(try await desk.post(desk.note("CONSUMPTION_REQUEST", desk.tx())) == .accepted)
        try await desk.run(try #require(try await desk.claim(.notification)))
    }

    private func answer(_ desk: Desk) async throws {
        for table: SQL in ["refunds.rounds", "refunds.cases"] {
            try await desk.test.asSuperuser("update \(table) set state = 'answered'")
        }
    }

    private func standing(_ desk: Desk, isRefused: Bool = true, clockOffset: Duration? = nil) async throws {
        let (app, now, vault) = (desk.alpha.app, desk.now, desk.vault)
        try await desk.database.transaction(app.tenant.scope) { tx in
            let key = try #require(try await vault.signingKey(of: app.tenant, for: app.id, in: tx))
            try await KeyStandings.accepted(
                key.id, for: app.id, isSandbox: false, of: app.tenant, at: isRefused ? now - .days(1) : now, in: tx)
            guard isRefused else { return }
            _ = try await KeyStandings.refused(
                key.id, for: app.id, isSandbox: false, of: app.tenant, clockOffset: clockOffset, at: now, in: tx)
        }
    }

    private func addCases(_ desk: Desk, state: String, why: String?, reason: String) async throws {
        try await desk.test.asSuperuser(
            """
            insert into refunds.cases
              (tenant_id, case_id, app_id, environment, transaction_id, original_transaction_id, product_id, state, state_reason,
               outcome, reason, listed_at)
            select \(desk.alpha.app.tenant.rawValue), gen_random_uuid(), \(desk.alpha.app.id.rawValue), 'Production', n::text,
              n::text, 'coins.100', \(state), \(why), 'pending', \(reason), \(desk.now)
            from generate_series(1, 12) n
            """)
    }

    /// Nobody gets in any more, and whoever is in is thrown out.
    private func shut(_ desk: Desk, _ isShut: Bool) async throws {
        let server = try TestServer.url()
        try await TestServer.administer(
            server, "alter database \(desk.test.name) allow_connections \(isShut ? "false" : "true")")
        if isShut {
            try await TestServer.administer(
                server, "select pg_terminate_backend(pid) from pg_stat_activity where datname = '\(desk.test.name)'")
        }
    }
}
