import FoundationEssentials
import Time

/// A notice in sentences that do not depend on the service, before any is escaped or cut.
struct NoticeWords: Sendable {
    static let casesMax = 10
    static let factsMax = 20

    let notice: Notice
    let bases: ChannelBases

    /// `Resolved: No reply goes out for …`
    var headline: String {
        switch notice.event {
        case .trigger: notice.title
        case .reminder: "Still open: \(notice.title)"
        case .acknowledged(let person): "Acknowledged by \(person): \(notice.title)"
        case .resolved: "Resolved: \(notice.title)"
        case .test: "Test: \(notice.title)"
        case .confirm: notice.title
        }
    }

    /// `[acme] CRITICAL No reply goes out for …`
    var subject: String { "[\(notice.tenant)] \(standing) \(notice.title)" }

    private var standing: String {
        switch notice.event {
        case .trigger, .reminder: notice.severity.rawValue.uppercased()
        case .acknowledged: "ACKNOWLEDGED"
        case .resolved: "RESOLVED"
        case .test: "TEST"
        case .confirm: "CONFIRM"
        }
    }

    var isOpen: Bool { notice.event != .resolved }

    var url: String? { bases.link(notice.url) }
    var runbook: String? { bases.link(notice.runbook) }

    /// Where to go on: the incident's page, and what to do about it.
    var links: [(url: String, label: String)] {
        [(url, linkLabel), (runbook, "Runbook")].compactMap { url, label in url.map { ($0, label) } }
    }

    /// What the first link is called.
    var linkLabel: String { notice.event == .confirm ? "Confirm the address" : "Open incident" }

    /// `critical`, and `resolved` for what is over.
    var stateWord: String { isOpen ? notice.severity.rawValue : "resolved" }

    /// `Since 2026-11-30 11:24 UTC, seen 14 times`; nothing for what is no incident.
    var history: String {
        if notice.event == .confirm { return "" }
        let since = "Since \(time(notice.openedAt))"
        let times = notice.count > 1 ? ", seen \(notice.count) times" : ""
        return isOpen ? since + times : "From \(time(notice.openedAt)) to \(time(notice.at))\(times)"
    }

    var tenantLine: String {
        notice.tenantName.isEmpty || notice.tenantName == notice.tenant
            ? notice.tenant : "\(notice.tenantName) (\(notice.tenant))"
    }

    var facts: [Notice.Fact] { Array(notice.facts.prefix(Self.factsMax)) }

    var cases: [String] { notice.cases.prefix(Self.casesMax).map { bases.link($0) ?? $0 } }

    /// What to do, while there is something to do.
    var firstStep: String? { isOpen && !notice.firstStep.isEmpty ? notice.firstStep : nil }

    /// The paragraphs below the headline, links left out.
    var paragraphs: [String] {
        [notice.effect, firstStep.map { "First step: \($0)" }, history].compactMap(\.self).filter { !$0.isEmpty }
    }

    private func time(_ moment: Moment) -> String { Self.time(moment, in: notice.zone) }

    /// `2026-11-30 12:24 Europe/Berlin`: in the reader's zone, which is said. A name that this machine does not know is UTC.
    static func time(_ moment: Moment, in zone: String) -> String {
        let zone = Zone(zone) ?? .utc
        let text = (moment + zone.offset(at: moment)).iso8601
        return "\(text.prefix(10)) \(text.dropFirst(11).prefix(5)) \(zone.name)"
    }
}
