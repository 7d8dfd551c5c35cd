import Refunds

/// What Apple was told, by reason and outcome; below it, where nothing was told. Each number opens its cases.
struct OutcomeMatrix {
    let slug: String
    let outcomes: Outcomes
    /// All of the cases that are counted.
    let cases: CaseListQuery

    /// A line: all cases of a preference or a state, or those of one reason.
    private struct Line {
        let told: Decision.Answer?
        let state: CaseState
        /// Nil: all; else the reason, nil where none was given.
        let reason: String??

        func holds(_ cell: Outcomes.Cell) -> Bool {
            cell.state == state && cell.told == told && (reason.map { $0 == cell.reason } ?? true)
        }
    }

    private static let columns = Words.outcomes

    var html: HTML {
        DataTable(
            caption: "Cases by what Apple was told, reason and outcome",
            columns: [
                .init("Apple was told") { line in
                    if line.reason == nil { strong { name(line) } } else { span(.class("quiet")) { name(line) } }
                },
                .init("Reason") { line in
                    if let reason = line.reason {
                        span { Words.sentence(Words.reason(reason)) }
                    } else {
                        span { "all" }
                    }
                },
                .init("Cases", isNumber: true) { line in number(line, nil) },
            ]
                + Self.columns.map { outcome in
                    .init(Words.label(outcome), isNumber: true) { line in number(line, outcome) }
                }, rows: lines
        ).html
    }

    private func name(_ line: Line) -> String {
        if let told = line.told { return Words.preference(told) }
        return line.state == .answered
            ? "Answered, before this was kept" : "Nothing: \(Words.label(line.state).lowercased())"
    }

    private var lines: [Line] {
        var lines: [Line] = []
        for told in Words.preferences.map({ Optional($0) }) + [nil] {
            for state in CaseState.allCases where told == nil || state == .answered {
                let whole = Line(told: told, state: state, reason: nil)
                let cells = outcomes.cells.filter(whole.holds)
                guard !cells.isEmpty else { continue }
                lines.append(whole)
                let reasons = Set(cells.map(\.reason)).sorted { ($0 ?? "") < ($1 ?? "") }
                if told != nil { lines += reasons.map { Line(told: told, state: state, reason: .some($0)) } }
            }
        }
        return lines
    }

    private func number(_ line: Line, _ outcome: CaseOutcome?) -> HTML {
        let count = outcomes.count { line.holds($0) && (outcome == nil || $0.outcome == outcome) }
        if count == 0 { return span(.class("quiet")) { "0" } }
        var query = cases
        query.state = line.state
        query.preference = line.told
        query.outcome = outcome
        if let reason = line.reason { query.reason = reason ?? "none" }
        return a(.href(.cases(slug, query))) { "\(count)" }
    }
}
