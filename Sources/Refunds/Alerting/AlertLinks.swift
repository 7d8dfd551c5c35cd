package import FoundationEssentials
import Tenants
import Time

/// The addresses that a message holds, and the message itself.
package struct AlertLinks: Sendable {
    /// The page of an incident; the tenant's slug, or nil for the installation.
    let incident: @Sendable (_ slug: String?, UUID) -> String
    let refundCase: @Sendable (_ slug: String, UUID) -> String
    let alerts: @Sendable (_ slug: String?) -> String
    let runbook: @Sendable (IncidentRule) -> String
    /// The page on which whoever reads a mail says so.
    let confirmation: @Sendable (_ token: String) -> String

    package init(
        incident: @escaping @Sendable (_ slug: String?, UUID) -> String,
        refundCase: @escaping @Sendable (_ slug: String, UUID) -> String,
        alerts: @escaping @Sendable (_ slug: String?) -> String,
        runbook: @escaping @Sendable (IncidentRule) -> String,
        confirmation: @escaping @Sendable (_ token: String) -> String
    ) {
        self.incident = incident
        self.refundCase = refundCase
        self.alerts = alerts
        self.runbook = runbook
        self.confirmation = confirmation
    }

    private func slug(_ tenant: Tenant) -> String? { tenant.id == .installation ? nil : tenant.slug }

    func notice(
        _ incident: Incident, _ event: NoticePlan.Event, sequence: Int, tenant: Tenant, by person: String,
        zone: String, at now: Moment
    ) -> Notice {
        var facts = [
            Notice.Fact("Since", incident.openedAt.iso8601), Notice.Fact("Rule", incident.rule.rawValue),
        ]
        if incident.caseCount > 0 { facts.append(Notice.Fact("Refund requests", "\(incident.caseCount)")) }
        for (currency, amount) in incident.money.sorted(by: { $0.key < $1.key }).prefix(10) {
            facts.append(Notice.Fact("At risk in \(currency)", CurrencyDecimals.text(amount, currency)))
        }
        var notice = Notice(
            event: Self.event(event, by: person), tenant: tenant.slug, tenantName: tenant.name, incidentID: incident.id,
            rule: incident.rule.rawValue, dedupKey: incident.dedupKey(tenant: tenant.slug), severity: incident.severity,
            title: incident.title, effect: incident.effect, firstStep: incident.firstStep,
            url: self.incident(slug(tenant), incident.id), runbook: runbook(incident.rule), openedAt: incident.openedAt,
            at: now, count: incident.times, cases: incident.cases.map { refundCase(tenant.slug, $0) }, facts: facts,
            sequence: sequence)
        notice.zone = zone
        return notice
    }

    func confirmation(of channel: Channel, token: String, tenant: Tenant, at now: Moment) -> Notice {
        Notice(
            event: .confirm, tenant: tenant.slug, tenantName: tenant.name, incidentID: channel.id, rule: "confirm",
            dedupKey: "refund/\(tenant.slug)/confirm/\(channel.id.text)", severity: .info,
            title: "May alerts come to this address?",
            effect:
                "Somebody entered this address to be told when replies to refund requests fail. Nothing more is sent here until you say so.",
            firstStep: "Open the link within a week and press the button. If you know nothing of it, do nothing.",
            url: confirmation(token), openedAt: now, at: now)
    }

    func test(of channel: Channel, tenant: Tenant, at now: Moment) -> Notice {
        Notice(
            event: .test, tenant: tenant.slug, tenantName: tenant.name, incidentID: channel.id, rule: "test",
            dedupKey: "refund/\(tenant.slug)/test/\(channel.id.text)", severity: .info,
            title: "A test of the channel \(channel.name).", effect: "Nothing is wrong: somebody pressed Test.",
            firstStep: "Nothing has to be done.", url: alerts(slug(tenant)), openedAt: now, at: now)
    }

    private static func event(_ event: NoticePlan.Event, by person: String) -> Notice.Event {
        switch event {
        case .trigger: .trigger
        case .reminder: .reminder
        case .acknowledged: .acknowledged(by: person)
        case .resolved: .resolved
        case .test: .test
        case .confirm: .confirm
        }
    }
}
