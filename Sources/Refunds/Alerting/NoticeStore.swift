import Crypto
import FoundationEssentials
import Postgres
import Queue
import Tenants
import Time

/// The SQL of what was told.
enum NoticeStore {
    /// What was told about these incidents.
    static func told(of tenant: TenantID, incidents: [UUID], in tx: Transaction) async throws -> [UUID: [NoticePlan
        .Told]]
    {
        if incidents.isEmpty { return [:] }
        let rows = try await tx.rows(
            """
            select n.incident_id, n.channel_id, n.event, n.severity, n.state, n.made_at, n.attempts, n.sequence
            from unnest(\(incidents)) i(incident_id)
            cross join lateral (
              select incident_id, channel_id, event, severity, state, made_at, attempts, sequence
              from refunds.notices
              where tenant_id = \(tenant.rawValue) and incident_id = i.incident_id
              order by made_at desc, notice_id desc
              limit 200) n
            """)
        var told: [UUID: [NoticePlan.Told]] = [:]
        for row in rows {
            let (event, severity, state): (String, String, String) = (
                try row("event"), try row("severity"), try row("state")
            )
            guard let event = NoticePlan.Event(rawValue: event), let severity = Severity(rawValue: severity),
                let state = NoticePlan.State(rawValue: state)
            else { continue }
            let (attempts, sequence): (Int32, Int32) = (try row("attempts"), try row("sequence"))
            told[try row("incident_id"), default: []].append(
                NoticePlan.Told(
                    channel: try row("channel_id"), event: event, severity: severity, state: state,
                    madeAt: try row("made_at"), attempts: Int(attempts), sequence: Int(sequence)))
        }
        return told
    }

    /// Writes a notice and the job that sends it.
    @discardableResult
    static func add(
        _ wanted: NoticePlan.Wanted, of incident: UUID?, severity: Severity, tenant: TenantID, at now: Moment,
        in tx: Transaction
    ) async throws -> UUID {
        let id = Random.uuid()
        try await tx.execute(
            """
            insert into refunds.notices (tenant_id, notice_id, incident_id, channel_id, event, severity, sequence, state, made_at)
            values (\(tenant.rawValue), \(id), \(incident), \(wanted.channel), \(wanted.event.rawValue),
              \(severity.rawValue), \(Int32(clamping: wanted.sequence)), 'waiting', \(now))
            """)
        let subject = NotifyJob.Subject(notice: id)
        try await Enqueue.add(
            NewJob(
                tenant: tenant.rawValue, lane: Lane.alerts(tenant: tenant.rawValue),
                kind: RefundJobs.Kind.notify.rawValue,
                subject: String(decoding: try JSONEncoder().encode(subject), as: UTF8.self),
                deadline: now + .minutes(1),
                uniqueKey: id.text),
            in: tx)
        return id
    }

    /// What nobody has sent yet about an incident that is over need not be sent.
    static func dropUnsent(of incident: UUID, tenant: TenantID, at now: Moment, in tx: Transaction) async throws {
        try await tx.execute(
            """
            update refunds.notices
            set state = 'dropped', ended_at = \(now), answer = 'over before it was told'
            where tenant_id = \(tenant.rawValue) and incident_id = \(incident) and state = 'waiting' and attempts = 0
              and event in ('trigger', 'reminder', 'acknowledged')
            """)
    }

    /// A channel was mended: what it did not take about incidents that are still open is told anew.
    static func forgetFailed(over channel: UUID, of tenant: TenantID, at now: Moment, in tx: Transaction) async throws {
        try await tx.execute(
            """
            update refunds.notices n
            set state = 'dropped', ended_at = \(now)
            from refunds.incidents i
            where n.tenant_id = \(tenant.rawValue) and n.channel_id = \(channel) and n.state in ('failed', 'waiting')
              and i.tenant_id = n.tenant_id and i.incident_id = n.incident_id and i.closed_at is null
            """)
    }

    struct Stored {
        let id: UUID
        let incident: UUID?
        let channel: UUID
        let event: NoticePlan.Event
        let severity: Severity
        let sequence: Int
        let madeAt: Moment
        let attempts: Int
        let isWaiting: Bool
    }

    static func find(_ id: UUID, of tenant: TenantID, in tx: Transaction) async throws -> Stored? {
        let row = try await tx.row(
            """
            select incident_id, channel_id, event, severity, sequence, made_at, attempts, state
            from refunds.notices
            where tenant_id = \(tenant.rawValue) and notice_id = \(id)
            """)
        guard let row else { return nil }
        let (event, severity, state): (String, String, String) = (
            try row("event"), try row("severity"), try row("state")
        )
        guard let event = NoticePlan.Event(rawValue: event), let severity = Severity(rawValue: severity) else {
            return nil
        }
        let (attempts, sequence): (Int32, Int32) = (try row("attempts"), try row("sequence"))
        return Stored(
            id: id, incident: try row("incident_id"), channel: try row("channel_id"), event: event, severity: severity,
            sequence: Int(sequence), madeAt: try row("made_at"), attempts: Int(attempts), isWaiting: state == "waiting")
    }

    /// An attempt begins: from here on the service may have heard of it.
    static func begin(_ id: UUID, of tenant: TenantID, at now: Moment, in tx: Transaction) async throws {
        try await tx.execute(
            """
            update refunds.notices
            set attempts = attempts + 1, last_attempt_at = \(now)
            where tenant_id = \(tenant.rawValue) and notice_id = \(id)
            """)
    }

    static func end(
        _ id: UUID, _ state: NoticePlan.State, answer: String, of tenant: TenantID, at now: Moment, in tx: Transaction
    ) async throws {
        try await tx.execute(
            """
            update refunds.notices
            set state = \(state.rawValue), ended_at = \(state == .waiting ? nil : now),
              answer = \(Text.kept(answer, bytesMax: 500))
            where tenant_id = \(tenant.rawValue) and notice_id = \(id)
            """)
    }
}
