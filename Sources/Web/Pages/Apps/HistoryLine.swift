import Refunds
import Tenants
import Time

/// Whether all that Apple sent is here, in a line for each environment.
struct HistoryLine {
    let standing: AppStanding
    let now: Moment

    /// A rehearsal's two environments are one for people: the one that tells more.
    private var shown: [(label: String, value: HistoryStanding)] {
        let all = AppEnvironment.allCases.compactMap { environment -> (label: String, value: HistoryStanding)? in
            standing.history[isSandbox: environment == .sandbox].map {
                (standing.app.environmentLabel(environment), $0)
            }
        }
        guard standing.app.isRehearsal, let most = all.max(by: { $0.value.sent < $1.value.sent }) else { return all }
        return [most]
    }

    var html: HTML {
        if shown.isEmpty { return span(.class("quiet")) { "read from the first key on" } }
        return span {
            for (label, history) in shown {
                span(.class("subtext")) {
                    Badge(text: label, tone: tone(history)).html
                    " \(history.words) in \(HistoryStanding.days) days, "
                    if let at = history.sweptAt {
                        "read "
                        TimeText(at).relativeHTML(to: now)
                    } else {
                        "not read to its end yet"
                    }
                }
                if history.heardAt == nil {
                    span(.class("subtext")) {
                        "Nothing has been delivered here yet: only what Apple could not deliver anywhere is looked for."
                    }
                }
                if let trouble = history.trouble {
                    span(.class("subtext")) { "It cannot be read to its end: \(trouble)" }
                }
                if let lost = history.lost {
                    span(.class("subtext")) {
                        "Apple had forgotten "
                        TimeText(lost.lowerBound).shortHTML
                        " to "
                        TimeText(lost.upperBound).shortHTML
                        " before it was read."
                    }
                }
            }
        }
    }

    private func tone(_ history: HistoryStanding) -> Tone {
        if history.trouble != nil || history.isOld(at: now) || history.lost != nil { return .attention }
        return history.sent == history.held ? .good : .attention
    }
}
