import Journal
import Synchronization
import Time

/// What is open over all tenants, and whether people hear of it: for counters. Never by tenant or id.
struct WatchStanding: Sendable, Hashable {
    struct Open: Sendable, Hashable {
        let rule: String
        let severity: String
        let count: Int
    }

    struct Channels: Sendable, Hashable {
        let kind: String
        /// working, failing or off.
        let state: String
        let count: Int
    }

    var incidents: [Open] = []
    var noticesWaiting = 0
    var oldestNotice = Duration.zero
    var channels: [Channels] = []
    /// Requests that wait for a person.
    var held = 0

    var isCritical: Bool { incidents.contains { $0.severity == Severity.critical.rawValue } }
}

/// The gauges of one process: each tells the same of the database, as it was at the process's own newest round.
final class WatchGauges: Sendable {
    private let counters: Counters
    /// Labels that were set: what is over is set to zero, or it would stand for ever.
    private let incidents = Mutex<Set<[String: String]>>([])
    private let channels = Mutex<Set<[String: String]>>([])

    init(_ counters: Counters) { self.counters = counters }

    func set(_ standing: WatchStanding) {
        var open: [[String: String]: Int] = [:]
        for one in standing.incidents { open[["rule": one.rule, "severity": one.severity]] = one.count }
        set("incidents_open", open, over: incidents, help: "Incidents that are open, by rule and severity.")
        var kinds: [[String: String]: Int] = [:]
        for one in standing.channels { kinds[["channel": one.kind, "state": one.state]] = one.count }
        set("channels", kinds, over: channels, help: "Channels by kind and how they do: working, failing, off.")
        counters.set(
            "notices_waiting", Double(standing.noticesWaiting), help: "Messages about incidents that are on their way.")
        counters.set("cases_held", Double(standing.held), help: "Requests that wait for a person, rehearsals apart.")
        counters.set(
            "notices_oldest_seconds", Double(standing.oldestNotice.wholeMilliseconds) / 1000,
            help: "How long the oldest message that is on its way has been waiting.")
    }

    /// A round of looking was made here.
    func round(took: Duration) {
        counters.observe("watch_round_seconds", took, help: "Time of a round of looking, made by this process.")
    }

    func changed(_ rule: IncidentRule, _ change: String) {
        counters.add(
            "incidents_total", 1, ["rule": rule.rawValue, "change": change],
            help: "Incidents that were opened, came back or were closed, by rule.")
    }

    private func set(
        _ name: String, _ values: [[String: String]: Int], over known: borrowing Mutex<Set<[String: String]>>,
        help: String
    ) {
        let gone = known.withLock { known in
            let gone = known.subtracting(values.keys)
            known.formUnion(values.keys)
            return gone
        }
        for labels in gone { counters.set(name, 0, labels, help: help) }
        for (labels, count) in values { counters.set(name, Double(count), labels, help: help) }
    }
}
