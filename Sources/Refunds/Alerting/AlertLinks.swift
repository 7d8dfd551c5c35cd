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
        over channel: Channel, at now: Moment
    ) -> Notice {
        let wording = channel.language.wording(zone: channel.zone)
        let said = incident.said(in: channel.language, zone: channel.zone)
        var facts = [
            Notice.Fact(wording.label(.since), wording.forms.time(incident.openedAt)),
            Notice.Fact(wording.label(.rule), incident.rule.rawValue),
        ]
        if incident.caseCount > 0 {
            facts.append(Notice.Fact(wording.label(.requests), wording.forms.number(incident.caseCount)))
        }
        for (currency, amount) in incident.money.sorted(by: { $0.key < $1.key }).prefix(10) {
            facts.append(
                Notice.Fact("\(wording.label(.atRisk)) (\(currency))", wording.forms.amount(amount, currency)))
        }
        var notice = Notice(
            event: Self.event(event, by: person), tenant: tenant.slug, tenantName: tenant.name, incidentID: incident.id,
            rule: incident.rule.rawValue, dedupKey: incident.dedupKey(tenant: tenant.slug), severity: incident.severity,
            title: said.title, effect: said.effect, firstStep: said.firstStep,
            url: self.incident(slug(tenant), incident.id), runbook: runbook(incident.rule), openedAt: incident.openedAt,
            at: now, count: incident.times, cases: incident.cases.map { refundCase(tenant.slug, $0) }, facts: facts,
            sequence: sequence)
        notice.zone = channel.zone
        notice.language = channel.language
        return notice
    }

    func confirmation(of channel: Channel, token: String, tenant: Tenant, at now: Moment) -> Notice {
        notice(
            .confirm, said: channel.language.wording(zone: channel.zone).confirmation, of: channel, tenant: tenant,
            url: confirmation(token), at: now)
    }

    func test(of channel: Channel, tenant: Tenant, at now: Moment) -> Notice {
        notice(
            .test, said: channel.language.wording(zone: channel.zone).trial(channel: channel.name), of: channel,
            tenant: tenant, url: alerts(slug(tenant)), at: now)
    }

    /// About the channel itself.
    private func notice(
        _ event: Notice.Event, said: SaidOfIncident, of channel: Channel, tenant: Tenant, url: String, at now: Moment
    ) -> Notice {
        let name = event == .test ? "test" : "confirm"
        var notice = Notice(
            event: event, tenant: tenant.slug, tenantName: tenant.name, incidentID: channel.id, rule: name,
            dedupKey: "refund/\(tenant.slug)/\(name)/\(channel.id.text)", severity: .info, title: said.title,
            effect: said.effect, firstStep: said.firstStep, url: url, openedAt: now, at: now)
        notice.zone = channel.zone
        notice.language = channel.language
        return notice
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
