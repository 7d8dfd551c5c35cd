/// A notice in sentences that do not depend on the service, before any is escaped or cut.
struct NoticeWords: Sendable {
    static let casesMax = 10
    static let factsMax = 20

    let notice: Notice
    let bases: ChannelBases
    private let wording: any Wording

    init(notice: Notice, bases: ChannelBases) {
        self.notice = notice
        self.bases = bases
        wording = notice.language.wording(zone: notice.zone)
    }

    /// `Resolved: No reply goes out for …`
    var headline: String { wording.headline(notice.event, notice.title) }

    /// `[acme] CRITICAL No reply goes out for …`
    var subject: String {
        "[\(notice.tenant)] \(wording.standing(notice.event, notice.severity)) \(notice.title)"
    }

    func label(_ label: NoticeLabel) -> String { wording.label(label) }

    var isOpen: Bool { notice.event != .resolved }

    var url: String? { bases.link(notice.url) }
    var runbook: String? { bases.link(notice.runbook) }

    /// Where to go on: the incident's page, and what to do about it.
    var links: [(url: String, label: String)] {
        [(url, linkLabel), (runbook, label(.runbook))].compactMap { url, label in url.map { ($0, label) } }
    }

    /// What the first link is called.
    var linkLabel: String { label(notice.event == .confirm ? .confirm : .openIncident) }

    /// `critical`, and `resolved` for what is over.
    var stateWord: String { isOpen ? wording.word(notice.severity) : wording.over }

    /// `Since 2026-11-30 11:24 UTC, seen 14 times`; nothing for what is no incident.
    var history: String {
        if notice.event == .confirm { return "" }
        return wording.history(from: notice.openedAt, to: isOpen ? nil : notice.at, times: notice.count)
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
        [notice.effect, firstStep.map { "\(label(.firstStep)): \($0)" }, history].compactMap(\.self).filter {
            !$0.isEmpty
        }
    }
}
