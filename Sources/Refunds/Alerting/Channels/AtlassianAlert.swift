import Time

/// The body of an alert as Opsgenie and Jira Service Management take it: the same fields in both.
enum AtlassianAlert {
    static let messageMax = 130
    private static let aliasMax = 512
    private static let detailMax = 1000

    static func alias(_ notice: Notice) -> String { ChannelText.bounded(notice.dedupKey, aliasMax) }

    static func body(_ words: NoticeWords) -> JSONOut {
        let notice = words.notice
        var details: [(String, JSONOut?)] = [
            ("tenant", text(words.tenantLine, detailMax)), ("rule", .text(notice.rule)),
            ("incident", .text(notice.incidentID.text)), ("count", .text(String(notice.count))),
            ("url", words.url.map(JSONOut.text)), ("runbook", words.runbook.map(JSONOut.text)),
            ("cases", words.cases.isEmpty ? nil : text(words.cases.joined(separator: "\n"), detailMax)),
        ]
        // An object may not have a name twice: of two facts the first stays.
        var names = Set(details.map(\.0))
        for fact in words.facts where names.insert(fact.name).inserted {
            details.append((ChannelText.bounded(fact.name, 100), text(fact.value, detailMax)))
        }
        return .object([
            ("message", .text(ChannelText.bounded("[\(notice.tenant)] \(words.headline)", messageMax))),
            ("alias", .text(alias(notice))),
            ("description", text(([words.headline] + words.paragraphs).joined(separator: "\n\n"), 15_000)),
            ("details", .object(details)),
            ("tags", .list([.text("refund-desk"), text(notice.rule, 50), text(notice.tenant, 50)])),
            ("source", text(words.bases.publicHost, 100)), ("priority", .text(priority(notice))),
        ])
    }

    static func closing(_ bases: ChannelBases) -> JSONOut {
        .object([("source", .text(ChannelText.bounded(bases.publicHost, 100)))])
    }

    private static func priority(_ notice: Notice) -> String {
        if notice.event == .test { return "P5" }
        return switch notice.severity {
        case .critical: "P1"
        case .error: "P2"
        case .warning: "P3"
        case .info: "P5"
        }
    }

    private static func text(_ text: String, _ limit: Int) -> JSONOut { .text(ChannelText.bounded(text, limit)) }
}
