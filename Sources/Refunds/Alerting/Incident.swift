import Crypto
package import FoundationEssentials
package import Tenants
package import Time

/// One cause that somebody must look at: opened once, told once, closed when the cause is gone.
package struct Incident: Sendable, Hashable, Identifiable {
    package let id: UUID
    package let tenant: TenantID
    package let rule: IncidentRule
    package let cause: String
    package let app: AppID?
    package let severity: Severity
    package let title: String
    package let effect: String
    package let firstStep: String
    /// The same in a form that other languages are made of; nil for what an older release wrote down.
    package let words: IncidentWords?
    package let cases: [UUID]
    package let caseCount: Int
    /// Milliunits by currency.
    package let money: [String: Int64]
    package let openedAt: Moment
    package let seenAt: Moment
    /// Rounds of looking in which it was found.
    package let times: Int
    /// Not found any more since then.
    package let clearSince: Moment?
    package let closedAt: Moment?
    package let reopened: Int
    package let reopenedAt: Moment?
    package let acknowledgedAt: Moment?
    package let acknowledgedBy: PersonID?
    package let snoozedUntil: Moment?

    package init(
        id: UUID, tenant: TenantID, rule: IncidentRule, cause: String, app: AppID? = nil, severity: Severity,
        title: String, effect: String, firstStep: String, words: IncidentWords? = nil, cases: [UUID] = [],
        caseCount: Int = 0,
        money: [String: Int64] = [:], openedAt: Moment, seenAt: Moment, times: Int = 1, clearSince: Moment? = nil,
        closedAt: Moment? = nil, reopened: Int = 0, reopenedAt: Moment? = nil, acknowledgedAt: Moment? = nil,
        acknowledgedBy: PersonID? = nil, snoozedUntil: Moment? = nil
    ) {
        self.id = id
        self.tenant = tenant
        self.rule = rule
        self.cause = cause
        self.app = app
        self.severity = severity
        self.title = title
        self.effect = effect
        self.firstStep = firstStep
        self.words = words
        self.cases = cases
        self.caseCount = caseCount
        self.money = money
        self.openedAt = openedAt
        self.seenAt = seenAt
        self.times = times
        self.clearSince = clearSince
        self.closedAt = closedAt
        self.reopened = reopened
        self.reopenedAt = reopenedAt
        self.acknowledgedAt = acknowledgedAt
        self.acknowledgedBy = acknowledgedBy
        self.snoozedUntil = snoozedUntil
    }

    package var isOpen: Bool { closedAt == nil }

    /// In a language, with times in a zone; in English where only that was kept.
    func said(in language: AlertLanguage, zone: String) -> SaidOfIncident {
        words?.said(in: language, zone: zone) ?? SaidOfIncident(title, effect, firstStep)
    }

    /// What was told before it is told again after it came back.
    var tellingSince: Moment { reopenedAt ?? openedAt }

    /// How long its cause must be gone before it closes: what comes back is given four times as long each time.
    var settling: Duration { min(.minutes(30), .seconds(30 << (2 * min(reopened, 5)))) }

    /// What came back sooner than this after closing is the same incident.
    static let returning = Duration.hours(1)

    /// The same for each opening of a cause: services that fold by it open a new alert after a resolved one.
    package func dedupKey(tenant slug: String) -> String {
        let isPlain = cause.utf8.allSatisfy { (0x21...0x7E).contains($0) || $0 == 0x20 } && cause.utf8.count <= 120
        let name = isPlain ? cause.replacing(" ", with: "_") : Hex.encode(Digest.sha256(Array(cause.utf8)).prefix(16))
        return "refund/\(slug)/\(rule.rawValue)/\(name)"
    }
}
