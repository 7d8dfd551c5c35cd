import Tenants
import Time

/// Who did what to what, newest first.
struct AuditLogPage {
    let frame: Frame
    let slug: String
    let query: AuditListQuery
    let page: AuditPage
    /// Nil on later pages.
    let standing: AuditStanding?
    /// Members and tokens to filter by.
    let members: [MemberLine]

    var html: HTML {
        Layout(frame, title: "Audit log").console {
            PageHeader("Audit log") {
                "Who did what to what, from where. Entries are only ever added, each sealed with the one before."
            } beside: {
                a(.class("button"), .href(.auditExport(slug, query.from(nil), .plain))) { "CSV" }
                a(.class("button"), .href(.auditExport(slug, query.from(nil), .spreadsheet))) { "CSV for spreadsheets" }
            }.html
            if let notice = query.ignored.notice { notice.html }
            if let standing { verdict(standing) }
            filters
            if page.lines.isEmpty {
                EmptyState(.audit, "No entry fits these filters") {
                    p { a(.class("button"), .href(.audit(slug, AuditListQuery()))) { "The whole log" } }
                }.html
            } else {
                list
            }
            Pager(
                newest: query.before == nil ? nil : .audit(slug, query.from(nil)),
                older: page.next.map { .audit(slug, query.from($0)) }
            ).html
        }
    }

    private func verdict(_ standing: AuditStanding) -> HTML {
        switch standing {
        case .whole(let head):
            let checked = min(head.sequence, Administration.auditPageCheck)
            return Notice(
                .good,
                checked == head.sequence
                    ? "The log is whole: \(head.sequence) entries." : "The newest \(checked) entries are whole.",
                more:
                    "Its last hash is \(hex(head.hash)). The service's own log repeats number and hash once a day: compare them to see that nothing was cut off. “refund-desk doctor” checks every entry."
            ).html
        case .changed(let at):
            return Notice(
                .bad, "Entry \(at) is not what was written.",
                more: "Somebody changed the database by hand. Keep a copy of it and look into the backups."
            ).html
        case .cut(let after):
            return Notice(
                .bad, "Entries after \(after) are missing.",
                more: "Somebody changed the database by hand. Keep a copy of it and look into the backups."
            ).html
        }
    }

    private func hex(_ bytes: [UInt8]) -> String {
        bytes.prefix(8).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    private var filters: HTML {
        form(.class("filters"), .get, .action(.audit(slug, AuditListQuery())), .ariaLabel("Filter the log")) {
            Field("Who", name: "who", choices: people, selected: query.who?.text).html
            Field(
                "Action", name: "action", choices: [("", "Any")] + AuditWords.actions.map { ($0.word, $0.text) },
                selected: query.action
            ).html
            Field(
                "What it was done to", name: "subject", .type("text"), .value(query.subject ?? ""),
                .placeholder("app 7"), .autocomplete("off"), .noSpellcheck, .maxlength(200)
            ).html
            Field("From", name: "from", .type("date"), .value(query.from ?? "")).html
            Field("To", name: "to", .type("date"), .value(query.to ?? "")).html
            div(.class("filters-actions")) {
                button(.class("button"), .type("submit")) { "Filter" }
                if query.isFiltered { a(.class("quiet-link"), .href(.audit(slug, AuditListQuery()))) { "Clear" } }
            }
        }
    }

    private var people: [(value: String, text: String)] {
        [("", "Anybody")]
            + members.map { (AuditFilter.Who.person($0.person.id.rawValue).text, $0.person.email) }
            + [(AuditFilter.Who.commandLine.text, "The command line"), (AuditFilter.Who.program.text, "The program")]
    }

    private var list: HTML {
        DataTable(
            caption: "Entries, newest first",
            columns: [
                .init("When") { line in
                    TimeText(line.at).shortHTML
                    span(.class("subtext")) { "no. \(line.sequence)" }
                },
                .init("Who") { line in
                    span { AuditWords.who(line, page.names) }
                    if let address = line.address { span(.class("subtext mono")) { address } }
                },
                .init("Action") { line in
                    strong { AuditWords.action(line.action) }
                    span(.class("subtext mono")) { line.action }
                },
                .init("To what") { line in
                    if let name = AuditWords.subject(line.subject, page.names) { span { name } }
                    a(.class("subtext mono"), .href(.audit(slug, query.about(line.subject)))) { line.subject }
                },
                .init("What changed") { line in
                    let changes = AuditWords.changes(line, page.names)
                    if changes.isEmpty {
                        span(.class("quiet")) { "–" }
                    } else {
                        ul(.class("plain-list")) { for change in changes { li { change } } }
                    }
                },
            ], rows: page.lines
        ).html
    }
}
