package import Time

/// One language that messages are written in: what it lacks, the compiler misses.
///
/// Names of rules, keys of machines and the words of other services are the same in all of them.
package protocol Wording: Sendable {
    var forms: LocalForms { get }

    /// The sentence of a rule: what is so, what follows, what to do first.
    func said(_ sentence: IncidentSentence) -> SaidOfIncident
    /// Behind the first of many: that it is not alone. Begins with what parts two sentences.
    func andMore(_ count: Int) -> String
    /// What asks a reader whether they read there.
    var confirmation: SaidOfIncident { get }
    /// What a pressed Test sends.
    func trial(channel: String) -> SaidOfIncident

    /// `Resolved: No reply goes out for …`
    func headline(_ event: Notice.Event, _ title: String) -> String
    /// What stands before a mail's title, in capitals: how bad it is, or what became of it.
    func standing(_ event: Notice.Event, _ severity: Severity) -> String
    func word(_ severity: Severity) -> String
    /// For what is over.
    var over: String { get }
    /// Since when it is so, or from when until when it was; and in how many rounds it was seen, where that is more than one.
    func history(from: Moment, to: Moment?, times: Int) -> String
    func label(_ label: NoticeLabel) -> String

    /// `1 h 58 m`, `12 m`, `40 s`.
    func span(_ duration: Duration) -> String
}

/// What stands before a detail or on a button.
package enum NoticeLabel: Sendable, Hashable, CaseIterable {
    case since, rule, requests, atRisk, firstStep, cases, oneCase, openIncident, runbook, confirm, tenant, state
}

extension Wording {
    func span(seconds: Int64) -> String { span(.seconds(seconds)) }
    func time(milliseconds: Int64) -> String { forms.time(Moment(milliseconds: milliseconds)) }

    /// A duration in the parts that are said of it.
    func parts(_ duration: Duration) -> SpanParts {
        let seconds = max(0, duration.wholeMilliseconds / 1000)
        if seconds < 60 { return .seconds(seconds) }
        let minutes = seconds / 60
        if minutes < 60 { return .minutes(minutes) }
        if minutes < 2 * 24 * 60 { return .hours(minutes / 60, minutes: minutes % 60) }
        return .days(minutes / 1440)
    }
}

enum SpanParts: Sendable, Hashable {
    case seconds(Int64)
    case minutes(Int64)
    case hours(Int64, minutes: Int64)
    /// Two or more.
    case days(Int64)
}
