package import FoundationEssentials
package import Time

/// What is said about an incident, once, over any channel. Plain text; a channel cuts it to its own limits.
package struct Notice: Sendable, Hashable {
    package enum Event: Sendable, Hashable {
        case trigger
        /// The same again, for services that forget what is not repeated.
        case reminder
        case acknowledged(by: String)
        case resolved
        /// Somebody tries the channel.
        case test
        /// Whoever reads there is asked to say so; `url` is how.
        case confirm
    }

    package struct Fact: Sendable, Hashable {
        package let name: String
        package let value: String

        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    package var event: Event
    /// The tenant's slug; "installation" for what belongs to none.
    package var tenant: String
    package var tenantName: String
    package var incidentID: UUID
    /// Stable: "deadline-at-risk".
    package var rule: String
    /// Stable for the cause, at most 255 ASCII characters: a service folds what has the same.
    package var dedupKey: String
    package var severity: Severity
    package var title: String
    package var effect: String
    package var firstStep: String
    /// The incident's page.
    package var url: String?
    /// The page that says what to do.
    package var runbook: String?
    package var openedAt: Moment
    /// When this notice was made.
    package var at: Moment
    /// In how many rounds of looking it was found.
    package var count: Int
    /// Links to cases that it touches, at most 10.
    package var cases: [String]
    /// At most 20.
    package var facts: [Fact]
    /// 1 the first notice of the incident over this channel: mails of one incident hold together.
    package var sequence: Int
    /// In which its reader reads times: a name of the time zone database.
    package var zone = "UTC"
    /// In which it is written.
    package var language = AlertLanguage.english

    package init(
        event: Event, tenant: String, tenantName: String, incidentID: UUID, rule: String, dedupKey: String,
        severity: Severity, title: String, effect: String, firstStep: String, url: String? = nil,
        runbook: String? = nil, openedAt: Moment, at: Moment, count: Int = 1, cases: [String] = [],
        facts: [Fact] = [], sequence: Int = 1
    ) {
        self.event = event
        self.tenant = tenant
        self.tenantName = tenantName
        self.incidentID = incidentID
        self.rule = rule
        self.dedupKey = dedupKey
        self.severity = severity
        self.title = title
        self.effect = effect
        self.firstStep = firstStep
        self.url = url
        self.runbook = runbook
        self.openedAt = openedAt
        self.at = at
        self.count = count
        self.cases = cases
        self.facts = facts
        self.sequence = sequence
    }
}
