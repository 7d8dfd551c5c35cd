package import FoundationEssentials
package import Journal
package import Postgres
package import Queue
package import Tenants
package import Time

/// Why something about alerts was not done. Each says what to do.
package enum AlertError: Error, Sendable, Hashable, CustomStringConvertible {
    case noSuchIncident
    case noSuchChannel
    case tooMany(Int)
    /// Mail is asked for and no mail server is set.
    case noMail
    /// A field that was filled in wrongly.
    case field(String, String)

    package var description: String {
        switch self {
        case .noSuchIncident: "there is no such incident"
        case .noSuchChannel: "there is no such channel"
        case .tooMany(let max): "a tenant has at most \(max) channels: remove one first"
        case .noMail:
            "this installation has no mail server, so no mail would ever arrive: whoever runs it sets REFUND_DESK_SMTP_URL and REFUND_DESK_MAIL_FROM; choose another kind meanwhile"
        case .field(_, let text): text
        }
    }
}

/// What a person sets of a channel.
package struct ChannelChange: Sendable {
    package var name: String
    package var target: String?
    /// Nil: as it was.
    package var secret: Redacted<String>?
    package var severity: Severity
    package var apps: Set<AppID>
    package var after: Duration
    package var quiet: QuietHours?
    /// A name of the time zone database, in which messages say times; nil: that of the quiet hours, or as it was.
    package var zone: String?
    /// In which messages are written; nil: as it was, or English.
    package var language: AlertLanguage?

    package init(
        name: String, target: String? = nil, secret: Redacted<String>? = nil, severity: Severity = .error,
        apps: Set<AppID> = [], after: Duration = .zero, quiet: QuietHours? = nil, zone: String? = nil,
        language: AlertLanguage? = nil
    ) {
        self.name = name
        self.target = target
        self.secret = secret
        self.severity = severity
        self.apps = apps
        self.after = after
        self.quiet = quiet
        self.zone = zone
        self.language = language
    }
}

/// Where people look after incidents and channels: pages and commands.
package final class AlertDesk: Sendable {
    let database: Database
    let vault: Vault
    let bell: Bell
    let clock: WallClock
    let outbound: OutboundRules
    /// Whether a mail server is set.
    package let hasMail: Bool

    package init(
        database: Database, vault: Vault, bell: Bell, clock: WallClock, outbound: OutboundRules, hasMail: Bool
    ) {
        self.outbound = outbound
        self.hasMail = hasMail
        self.database = database
        self.vault = vault
        self.bell = bell
        self.clock = clock
    }

    // MARK: incidents

    /// Open ones, worst first; at most 200.
    package func open(of tenant: TenantID) async throws -> [Incident] {
        try await database.transaction(tenant.scope) { tx in
            try await tx.rows(
                """
                select \(IncidentStore.columns)
                from refunds.incidents i
                where i.tenant_id = \(tenant.rawValue) and i.closed_at is null
                order by array_position(array['critical', 'error', 'warning', 'info'], i.severity), i.opened_at
                limit 200
                """
            ).compactMap { try Incident(row: $0) }
        }
    }

    /// Those that ended, newest first, 50 at a time.
    package func history(of tenant: TenantID, after cursor: IncidentCursor? = nil) async throws -> (
        incidents: [Incident], next: IncidentCursor?
    ) {
        let limit = 50
        let before: SQL = cursor.map { " and (i.opened_at, i.incident_id) < (\($0.openedAt), \($0.id))" } ?? ""
        let found = try await database.transaction(tenant.scope) { tx in
            try await tx.rows(
                """
                select \(IncidentStore.columns)
                from refunds.incidents i
                where i.tenant_id = \(tenant.rawValue) and i.closed_at is not null\(before)
                order by i.opened_at desc, i.incident_id desc
                limit \(Int64(limit + 1))
                """
            ).compactMap { try Incident(row: $0) }
        }
        let page = Array(found.prefix(limit))
        let next = found.count > limit ? page.last.map { IncidentCursor(openedAt: $0.openedAt, id: $0.id) } : nil
        return (page, next)
    }

    /// Nil where the tenant has no such incident.
    package func story(_ id: UUID, of tenant: TenantID) async throws -> IncidentStory? {
        try await database.transaction(tenant.scope) { tx in
            guard let incident = try await IncidentStore.find(id, of: tenant, in: tx) else { return nil }
            let parts = try await tx.pipeline([
                """
                select at, kind, detail
                from refunds.incident_events
                where tenant_id = \(tenant.rawValue) and incident_id = \(id)
                order by event_no desc
                limit 500
                """,
                """
                select n.channel_id, c.name, c.kind, n.event, n.state, n.made_at, n.ended_at, n.attempts, n.answer
                from refunds.notices n
                join refunds.channels c on c.tenant_id = n.tenant_id and c.channel_id = n.channel_id
                where n.tenant_id = \(tenant.rawValue) and n.incident_id = \(id)
                order by n.made_at desc, n.notice_id desc
                limit 200
                """,
            ])
            let events = try parts[0].map {
                IncidentStory.Event(at: try $0("at"), kind: try $0("kind"), detail: try $0("detail"))
            }
            let tellings = try parts[1].map { row in
                let (kind, attempts): (String, Int32) = (try row("kind"), try row("attempts"))
                return IncidentStory.Telling(
                    channel: try row("channel_id"), channelName: try row("name"), kind: ChannelKind(rawValue: kind),
                    event: try row("event"), state: try row("state"), madeAt: try row("made_at"),
                    endedAt: try row("ended_at"), attempts: Int(attempts), answer: try row("answer"))
            }
            return IncidentStory(incident: incident, events: events, tellings: tellings)
        }
    }

    /// Somebody is at it: nobody else is called, and who was called is told.
    ///
    /// - Parameter name: how the others know them.
    package func acknowledge(_ id: UUID, of tenant: TenantID, by person: PersonID, name: String) async throws {
        try await change(id, of: tenant) { incident, now, tx in
            guard incident.isOpen, incident.acknowledgedAt == nil else { return }
            try await tx.execute(
                """
                update refunds.incidents
                set acknowledged_at = \(now), acknowledged_by = \(person.rawValue)
                where tenant_id = \(tenant.rawValue) and incident_id = \(id)
                """)
            try await IncidentStore.event("acknowledged", id, of: tenant, at: now, by: person, detail: name, in: tx)
        }
    }

    /// Nobody is told of it until then; a deadline, and what gets worse, is told all the same.
    ///
    /// - Parameter time: up to seven days.
    package func snooze(_ id: UUID, of tenant: TenantID, for time: Duration, by person: PersonID, name: String)
        async throws
    {
        let time = min(max(time, .minutes(1)), .days(7))
        try await change(id, of: tenant) { incident, now, tx in
            guard incident.isOpen else { return }
            try await tx.execute(
                """
                update refunds.incidents
                set snoozed_until = \(now + time)
                where tenant_id = \(tenant.rawValue) and incident_id = \(id)
                """)
            try await IncidentStore.event(
                "snoozed", id, of: tenant, at: now, by: person,
                detail: "\(name), until \((now + time).iso8601)", in: tx)
        }
    }

    /// Adds a note to an incident. One that was just written by the same person is there already.
    package func note(_ id: UUID, of tenant: TenantID, text: String, by person: PersonID, name: String) async throws {
        guard !Text.isBlank(text) else {
            throw AlertError.field("note", "write what is to be known")
        }
        guard Text.isKept(text, bytesMax: 2000) else {
            throw AlertError.field("note", "a note has at most 2,000 bytes")
        }
        guard Text.isPlain(text) else { throw AlertError.field("note", "the note \(Text.notPlain)") }
        try await change(id, of: tenant) { _, now, tx in
            let detail = "\(name): \(text)"
            guard
                try await !IncidentStore.has(
                    "noted", id, of: tenant, since: now - DecidingDesk.noteAgain, by: person, detail: detail, in: tx)
            else { return }
            try await IncidentStore.event("noted", id, of: tenant, at: now, by: person, detail: detail, in: tx)
        }
    }

    private func change(
        _ id: UUID, of tenant: TenantID, _ body: (Incident, Moment, Transaction) async throws -> Void
    ) async throws {
        let now = clock.now
        try await database.transaction(tenant.scope) { tx in
            _ = try await tx.row(AdvisoryLock.sql("alerts \(tenant.rawValue)", exclusively: true))
            guard let incident = try await IncidentStore.find(id, of: tenant, forUpdate: true, in: tx) else {
                throw AlertError.noSuchIncident
            }
            try await body(incident, now, tx)
        }
    }

    /// What the head of every page says; one look-up by index.
    package func line(of tenant: TenantID) async throws -> AlertLine {
        try await database.transaction(tenant.scope) { tx in
            let rows = try await tx.rows(
                """
                select rule, severity, title
                from refunds.incidents
                where tenant_id = \(tenant.rawValue) and closed_at is null
                  and (severity = 'critical' or rule = 'no-channel')
                order by opened_at
                limit 100
                """)
            let critical = try rows.filter { try $0("severity") == "critical" }
            if let first = critical.first { return .critical(title: try first("title"), count: critical.count) }
            return rows.isEmpty ? .calm : .nobodyIsTold
        }
    }
}
