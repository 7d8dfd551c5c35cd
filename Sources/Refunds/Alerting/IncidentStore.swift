import Crypto
import FoundationEssentials
import Postgres
import Queue
import Tenants
import Time

/// The SQL of incidents.
enum IncidentStore {
    static let columns: SQL = """
        i.incident_id, i.tenant_id, i.rule, i.cause, i.app_id, i.severity, i.title, i.effect, i.first_step, i.words, i.cases,
        i.case_count, i.money, i.opened_at, i.seen_at, i.times, i.clear_since, i.closed_at, i.reopened, i.reopened_at,
        i.acknowledged_at, i.acknowledged_by, i.snoozed_until
        """

    /// Open ones, and those that closed so short a time ago that they may come back.
    static func current(of tenant: TenantID, at now: Moment, in tx: Transaction) async throws -> (
        open: [Incident], closed: [Incident]
    ) {
        let rows = try await tx.rows(
            """
            select \(columns)
            from refunds.incidents i
            where i.tenant_id = \(tenant.rawValue)
              and (i.closed_at is null or i.closed_at > \(now - Incident.returning))
            order by i.opened_at
            limit 2000
            """)
        let all = try rows.compactMap { try Incident(row: $0) }
        return (all.filter(\.isOpen), all.filter { !$0.isOpen })
    }

    static func find(_ id: UUID, of tenant: TenantID, forUpdate: Bool = false, in tx: Transaction) async throws
        -> Incident?
    {
        let lock: SQL = forUpdate ? "for update" : ""
        return try await tx.row(
            """
            select \(columns)
            from refunds.incidents i
            where i.tenant_id = \(tenant.rawValue) and i.incident_id = \(id)
            \(lock)
            """
        ).flatMap { try Incident(row: $0) }
    }

    /// Carries out what a round of looking found.
    static func apply(_ changes: [IncidentPlan.Change], of tenant: TenantID, at now: Moment, in tx: Transaction)
        async throws
    {
        for change in changes {
            switch change {
            case .open(let finding):
                let (id, said) = (Random.uuid(), finding.said)
                try await tx.execute(
                    """
                    insert into refunds.incidents
                      (tenant_id, incident_id, rule, cause, app_id, severity, title, effect, first_step, words, cases,
                       case_count, money, opened_at, seen_at)
                    values (\(tenant.rawValue), \(id), \(finding.rule.rawValue), \(finding.cause),
                      \(finding.app?.rawValue), \(finding.severity.rawValue), \(Text.kept(said.title, bytesMax: 1000)),
                      \(Text.kept(said.effect, bytesMax: 1000)), \(Text.kept(said.firstStep, bytesMax: 1000)),
                      \(finding.words.kept), \(finding.cases), \(Int32(clamping: finding.caseCount)), \(Money.text(finding.money)), \(now), \(now))
                    """)
                try await event("opened", id, of: tenant, at: now, detail: finding.severity.rawValue, in: tx)
            case .reopen(let known, let finding):
                try await update(known.id, finding, of: tenant, at: now, in: tx)
                try await tx.execute(
                    """
                    update refunds.incidents
                    set closed_at = null, reopened = reopened + 1, reopened_at = \(now), acknowledged_at = null,
                      acknowledged_by = null, snoozed_until = null
                    where tenant_id = \(tenant.rawValue) and incident_id = \(known.id)
                    """)
                try await event("reopened", known.id, of: tenant, at: now, detail: finding.severity.rawValue, in: tx)
            case .seen(let known, let finding):
                try await update(known.id, finding, of: tenant, at: now, in: tx)
                if finding.severity != known.severity {
                    try await event(
                        finding.severity > known.severity ? "raised" : "lowered", known.id, of: tenant, at: now,
                        detail: finding.severity.rawValue, in: tx)
                }
            case .clearing(let known):
                try await tx.execute(
                    """
                    update refunds.incidents
                    set clear_since = \(now)
                    where tenant_id = \(tenant.rawValue) and incident_id = \(known.id)
                    """)
            case .close(let known):
                try await tx.execute(
                    """
                    update refunds.incidents
                    set closed_at = \(now)
                    where tenant_id = \(tenant.rawValue) and incident_id = \(known.id)
                    """)
                try await event("closed", known.id, of: tenant, at: now, in: tx)
            }
        }
    }

    /// Writes down what is over, with its beginning and its end.
    static func record(
        _ finding: Finding, id: UUID, from: Moment, to: Moment, of tenant: TenantID, in tx: Transaction
    ) async throws {
        let said = finding.said
        try await tx.execute(
            """
            insert into refunds.incidents
              (tenant_id, incident_id, rule, cause, severity, title, effect, first_step, words, opened_at, seen_at, closed_at)
            values (\(tenant.rawValue), \(id), \(finding.rule.rawValue), \(finding.cause), \(finding.severity.rawValue),
              \(said.title), \(said.effect), \(said.firstStep), \(finding.words.kept), \(from), \(to), \(to))
            on conflict do nothing
            """)
        try await event("opened", id, of: tenant, at: from, detail: finding.severity.rawValue, in: tx)
        try await event("closed", id, of: tenant, at: to, in: tx)
    }

    private static func update(_ id: UUID, _ finding: Finding, of tenant: TenantID, at now: Moment, in tx: Transaction)
        async throws
    {
        let said = finding.said
        try await tx.execute(
            """
            update refunds.incidents
            set app_id = \(finding.app?.rawValue), severity = \(finding.severity.rawValue),
              title = \(Text.kept(said.title, bytesMax: 1000)), effect = \(Text.kept(said.effect, bytesMax: 1000)),
              first_step = \(Text.kept(said.firstStep, bytesMax: 1000)), words = \(finding.words.kept), cases = \(finding.cases),
              case_count = \(Int32(clamping: finding.caseCount)), money = \(Money.text(finding.money)),
              seen_at = \(now), times = times + 1, clear_since = null
            where tenant_id = \(tenant.rawValue) and incident_id = \(id)
            """)
    }

    static func event(
        _ kind: String, _ id: UUID, of tenant: TenantID, at now: Moment, by person: PersonID? = nil,
        detail: String = "",
        in tx: Transaction
    ) async throws {
        try await tx.execute(
            """
            insert into refunds.incident_events (tenant_id, incident_id, event_no, at, kind, person_id, detail)
            select \(tenant.rawValue), \(id), coalesce(max(event_no), 0) + 1, \(now), \(kind), \(person?.rawValue),
              \(Text.kept(detail, bytesMax: 2000))
            from refunds.incident_events
            where tenant_id = \(tenant.rawValue) and incident_id = \(id)
            """)
    }

    /// Whether somebody did just this since a moment.
    static func has(
        _ kind: String, _ id: UUID, of tenant: TenantID, since: Moment, by person: PersonID, detail: String,
        in tx: Transaction
    ) async throws -> Bool {
        try await tx.row(
            """
            select event_no
            from refunds.incident_events
            where tenant_id = \(tenant.rawValue) and incident_id = \(id) and kind = \(kind)
              and person_id = \(person.rawValue) and at > \(since) and detail = \(Text.kept(detail, bytesMax: 2000))
            limit 1
            """) != nil
    }

    /// Amounts as they are stored: a few pairs, as JSON of our own.
    enum Money {
        static func text(_ money: [String: Int64]) -> String {
            let pairs = money.sorted { $0.key < $1.key }.prefix(20).map { "[\"\($0.key)\",\($0.value)]" }
            return "[\(pairs.joined(separator: ","))]"
        }

        static func read(_ text: String) -> [String: Int64] {
            guard let pairs = try? JSONDecoder().decode([Pair].self, from: Data(text.utf8)) else { return [:] }
            return Dictionary(pairs.map { ($0.currency, $0.amount) }) { $1 }
        }

        private struct Pair: Decodable {
            let currency: String
            let amount: Int64

            init(from decoder: any Decoder) throws {
                var values = try decoder.unkeyedContainer()
                currency = try values.decode(String.self)
                amount = try values.decode(Int64.self)
            }
        }
    }
}

extension IncidentWords {
    private static let bytesMax = 8000

    /// JSON; nil where strangers' words in it are too long to be kept twice.
    fileprivate var kept: String? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        guard let bytes = try? encoder.encode(self), bytes.count <= Self.bytesMax else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Nil for a sentence that this release does not know.
    fileprivate init?(kept text: String) {
        guard let words = try? JSONDecoder().decode(Self.self, from: Data(text.utf8)) else { return nil }
        self = words
    }
}

extension Incident {
    /// Nil for a rule that this release does not know.
    init?(row: Row) throws {
        let rule: String = try row("rule")
        let severity: String = try row("severity")
        guard let rule = IncidentRule(rawValue: rule), let severity = Severity(rawValue: severity) else { return nil }
        let app: Int64? = try row("app_id")
        let count: Int32 = try row("case_count")
        let times: Int64 = try row("times")
        let reopened: Int32 = try row("reopened")
        let person: UUID? = try row("acknowledged_by")
        let words: String? = try row("words")
        self.init(
            id: try row("incident_id"), tenant: TenantID(rawValue: try row("tenant_id")), rule: rule,
            cause: try row("cause"), app: app.map(AppID.init), severity: severity, title: try row("title"),
            effect: try row("effect"), firstStep: try row("first_step"),
            words: words.flatMap(IncidentWords.init(kept:)), cases: try row("cases"), caseCount: Int(count),
            money: IncidentStore.Money.read(try row("money")), openedAt: try row("opened_at"),
            seenAt: try row("seen_at"),
            times: Int(times), clearSince: try row("clear_since"), closedAt: try row("closed_at"),
            reopened: Int(reopened),
            reopenedAt: try row("reopened_at"), acknowledgedAt: try row("acknowledged_at"),
            acknowledgedBy: person.map(PersonID.init), snoozedUntil: try row("snoozed_until"))
    }
}
