package import FoundationEssentials
package import Tenants
package import Time

/// A way to reach somebody, as its tenant set it. Its secret stays in the vault.
package struct Channel: Sendable, Hashable, Identifiable {
    package let id: UUID
    package let tenant: TenantID
    package let kind: ChannelKind
    package let name: String
    /// What is not secret: a mail address, a server, a chat.
    package let target: String?
    package let secret: UUID?
    /// The least severity that is told here.
    package let severity: Severity
    /// Empty: all apps.
    package let apps: Set<AppID>
    /// Told only when nobody has acknowledged so long after the opening; zero: at once.
    package let after: Duration
    package let quiet: QuietHours?
    /// In which its reader reads times: a name of the time zone database.
    package let zone: String
    /// In which its messages are written.
    package let language: AlertLanguage
    /// When its reader said that they read there; nil for a mail address that nobody has confirmed, and for kinds that need
    /// no confirmation.
    package let confirmedAt: Moment?
    package let createdAt: Moment
    /// Switched off by itself: the service said that the address is gone.
    package let offAt: Moment?
    package let offWhy: String?
    package let lastSuccessAt: Moment?
    package let lastError: String?
    package let lastErrorAt: Moment?
    /// In a row.
    package let failures: Int

    package init(
        id: UUID, tenant: TenantID, kind: ChannelKind, name: String, target: String? = nil, secret: UUID? = nil,
        severity: Severity = .error, apps: Set<AppID> = [], after: Duration = .zero, quiet: QuietHours? = nil,
        zone: String? = nil, language: AlertLanguage = .english, confirmedAt: Moment? = nil, createdAt: Moment,
        offAt: Moment? = nil, offWhy: String? = nil,
        lastSuccessAt: Moment? = nil,
        lastError: String? = nil, lastErrorAt: Moment? = nil, failures: Int = 0
    ) {
        self.id = id
        self.tenant = tenant
        self.kind = kind
        self.name = name
        self.target = target
        self.secret = secret
        self.severity = severity
        self.apps = apps
        self.after = after
        self.quiet = quiet
        self.zone = zone ?? quiet?.zone ?? "UTC"
        self.language = language
        self.confirmedAt = confirmedAt
        self.createdAt = createdAt
        self.offAt = offAt
        self.offWhy = offWhy
        self.lastSuccessAt = lastSuccessAt
        self.lastError = lastError
        self.lastErrorAt = lastErrorAt
        self.failures = failures
    }

    package var isOff: Bool { offAt != nil }
    /// Whether anything may be sent to it but the question whether it may.
    package var isConfirmed: Bool { kind != .email || confirmedAt != nil }
    /// Whether what goes wrong is told over it.
    package var isUsed: Bool { !isOff && isConfirmed }
    /// The newest sending failed.
    package var isFailing: Bool { failures > 0 || isOff }

    func serves(_ app: AppID?) -> Bool { app.map { apps.isEmpty || apps.contains($0) } ?? true }
}

/// When a channel keeps still, each day. What is critical and what is about a deadline is told all the same.
package struct QuietHours: Sendable, Hashable {
    /// Minutes after midnight, 0…1439. A range that ends before it begins goes over midnight.
    package let from: Int
    package let to: Int
    /// A name of the time zone database.
    package let zone: String

    package init?(from: Int, to: Int, zone: String) {
        guard (0..<1440).contains(from), (0..<1440).contains(to), from != to, Zone(zone) != nil else {
            return nil
        }
        self.from = from
        self.to = to
        self.zone = zone
    }

    package func contains(_ moment: Moment) -> Bool {
        let local = (moment + (Zone(zone) ?? .utc).offset(at: moment)).seconds
        let minute = Int(((local % 86_400) + 86_400) % 86_400 / 60)
        return from < to ? (from..<to).contains(minute) : minute >= from || minute < to
    }
}
