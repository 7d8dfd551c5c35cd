import Time

/// What a round of looking changes. Pure: the same findings change nothing the second time.
enum IncidentPlan {
    enum Change: Sendable, Hashable {
        case open(Finding)
        /// Its cause came back within `Incident.returning`.
        case reopen(Incident, Finding)
        /// Still so.
        case seen(Incident, Finding)
        /// Not found any more: the time until it closes begins.
        case clearing(Incident)
        case close(Incident)
    }

    /// - Parameters:
    ///   - findings: folded; of one cause at most one counts.
    ///   - looked: the rules that could be looked at. What could not be looked at stays as it is.
    ///   - open: the tenant's open incidents.
    ///   - closed: its incidents closed within `Incident.returning`.
    static func changes(
        _ findings: [Finding], looked: Set<IncidentRule>, open: [Incident], closed: [Incident], at now: Moment
    ) -> [Change] {
        var changes: [Change] = []
        var found: Set<Cause> = []
        for finding in findings where found.insert(Cause(finding)).inserted {
            if let known = open.first(where: { Cause($0) == Cause(finding) }) {
                changes.append(.seen(known, finding))
            } else if let known = closed.filter({ Cause($0) == Cause(finding) }).max(by: {
                $0.closedAt ?? now < $1.closedAt ?? now
            }) {
                changes.append(.reopen(known, finding))
            } else {
                changes.append(.open(finding))
            }
        }
        for incident in open where !found.contains(Cause(incident)) && looked.contains(incident.rule) {
            guard let since = incident.clearSince else {
                changes.append(.clearing(incident))
                continue
            }
            if now - since >= incident.settling { changes.append(.close(incident)) }
        }
        return changes
    }

    private struct Cause: Hashable {
        let rule: IncidentRule
        let cause: String

        init(_ finding: Finding) { (rule, cause) = (finding.rule, finding.cause) }
        init(_ incident: Incident) { (rule, cause) = (incident.rule, incident.cause) }
    }
}
