import FoundationEssentials
import Refunds
import Tenants
import Time

/// What the rules in the editor would have done with every case that rules ever decided.
struct ReplayPart {
    let slug: String
    let app: App
    /// What stands in the editor.
    let text: String
    /// Newest first.
    let replays: [PolicyReplay]
    /// The one that the address names.
    let named: UUID?
    let canChange: Bool
    let now: Moment

    private var place: Site { .policy(slug, bundleID: app.bundleID, .now) }
    private var shown: PolicyReplay? {
        replays.first { $0.id == named } ?? replays.first { $0.text == text }
    }
    private var others: [PolicyReplay] { replays.filter { $0.id != shown?.id } }

    var html: HTML {
        section(.class("panel"), .id("replay"), .ariaLabelledBy("replay-title")) {
            h2(.id("replay-title")) { "Over the whole past" }
            p(.class("quiet")) {
                "Lays the rules in the editor over every case that rules ever decided, each with what was known then. Nothing is sent."
            }
            if let shown {
                div(.class("stack"), .source(.policyState(slug, bundleID: app.bundleID, shown.id))) { live(shown) }
            } else {
                p(.class("quiet")) { "These rules were not laid over the past yet." }
            }
            if canChange { begin }
            if !others.isEmpty { earlier }
        }
    }

    /// The part that changes by itself, without the rest of the page.
    static func fragment(_ replay: PolicyReplay, slug: String, app: App, canChange: Bool, now: Moment) -> HTML {
        let part = ReplayPart(
            slug: slug, app: app, text: replay.text, replays: [replay], named: replay.id, canChange: canChange, now: now
        )
        return document {
            Web.head { Web.title("State of the replay") }
            body { part.live(replay) }
        }
    }

    private func live(_ replay: PolicyReplay) -> HTML {
        let content = standing(replay).and(replay.trial.map { results($0, replay) } ?? .empty)
        return replay.state == .running
            ? div(.class("stack"), .live("replay"), .role("status"), .awaits) { content }
            : div(.class("stack"), .live("replay"), .role("status")) { content }
    }

    private var begin: HTML {
        form(.class("step-form"), .post, .action(place)) {
            HiddenFields(fields: [("rules", text), ("basedOn", "-1")]).html
            button(.class("button"), .type("submit"), .name("do"), .value("replay")) {
                shown == nil ? "Lay them over all past cases" : "Do it again, with what was decided since"
            }
        }
    }

    // MARK: How far

    private func standing(_ replay: PolicyReplay) -> HTML {
        switch replay.state {
        case .running:
            return div {
                p {
                    strong { progress(replay) }
                    " Begun "
                    TimeText(replay.begunAt).relativeHTML(to: now)
                    ". You may leave this page: it goes on."
                }
                if canChange { cancel(replay) }
            }
        case .done:
            let took = replay.endedAt.map { ", in \(DurationText.text($0 - replay.begunAt))" } ?? ""
            return p {
                "All \(replay.looked) cases were looked at\(took), "
                TimeText(replay.begunAt).shortHTML
                "."
            }
        case .cancelled:
            return p { "It was stopped after \(replay.looked) of \(replay.total ?? replay.looked) cases." }
        case .failed:
            return Notice(.bad, "It could not be done.", more: replay.trouble.map { Words.sentence($0) + "." }).html
        }
    }

    private func progress(_ replay: PolicyReplay) -> String {
        guard let total = replay.total, total > 0 else { return "Waits for its turn." }
        return "\(replay.looked) of \(total) cases, \(min(100, replay.looked * 100 / total)) %."
    }

    private func cancel(_ replay: PolicyReplay) -> HTML {
        form(.post, .action(place)) {
            HiddenFields(fields: [("replay", replay.id.text)]).html
            button(.class("button"), .type("submit"), .name("do"), .value("cancel")) { "Stop it" }
        }
    }

    // MARK: What came of it

    private func results(_ trial: PolicyTrial, _ replay: PolicyReplay) -> HTML {
        div(.class("stack")) {
            if trial.changed == 0 {
                p { trial.looked == 0 ? "There is no case that a rule decided." : "None would be answered otherwise." }
            } else {
                p {
                    strong { "\(trial.changed) of \(trial.looked) cases would be answered otherwise" }
                    MoneyList(trial.money).html
                    "."
                }
                if trial.asks > 0 { p { "\(trial.asks) would wait for a person." } }
                PolicyMoves(moves: trial.moves).html
                PolicyChanges(slug: slug, changes: trial.changes, changed: trial.changed).html
            }
            if replay.state == .done {
                for warning in trial.warnings { Notice(.attention, warning).html }
                if let few = trial.fewCases { p(.class("quiet")) { few } }
            }
        }
    }

    private var earlier: HTML {
        details(.class("opening")) {
            summary { "Rules that were laid over the past before" }
            ul(.class("plain-list")) {
                for replay in others {
                    li {
                        a(.href(.policy(slug, bundleID: app.bundleID, .replay(replay.id)))) {
                            TimeText(replay.begunAt).short
                        }
                        span(.class("subtext")) { line(replay) }
                    }
                }
            }
        }
    }

    private func line(_ replay: PolicyReplay) -> String {
        let changed = replay.trial.map { "\($0.changed) of \($0.looked) would change" } ?? "nothing yet"
        return replay.state == .done ? changed : "\(replay.state.rawValue), \(changed)"
    }
}

/// Amounts in several currencies, each behind a dot.
struct MoneyList {
    let money: [String: Int64]

    init(_ money: [String: Int64]) { self.money = money }

    var html: HTML {
        var html = HTML.empty
        for (currency, amount) in money.sorted(by: { $0.key < $1.key }) {
            html.append(HTML(text: " · "))
            html.append(MoneyText(milliunits: amount, currency: currency).html)
        }
        return html
    }
}

/// From which answers to which, with what Apple decided meanwhile.
struct PolicyMoves {
    let moves: [PolicyTrial.Move]

    var html: HTML {
        DataTable(
            caption: "What would change, by the answer",
            columns: [
                .init("Was") { move in span { Words.sentence(Words.answer(move.was)) } },
                .init("Would be") { move in span { Words.sentence(Words.answer(move.now)) } },
                .init("Cases", isNumber: true) { move in span { "\(move.cases)" } },
                .init("Price", isNumber: true) { move in
                    for (currency, amount) in move.money.sorted(by: { $0.key < $1.key }) {
                        span(.class("subtext money")) { MoneyText(milliunits: amount, currency: currency).text }
                    }
                },
                .init("Apple decided") { move in span { decided(move) } },
            ], rows: moves
        ).html
    }

    private func decided(_ move: PolicyTrial.Move) -> String {
        Words.outcomes.compactMap { outcome in
            let count = move.count(outcome)
            return count > 0 ? "\(count) \(Words.label(outcome).lowercased())" : nil
        }.joined(separator: ", ")
    }
}

/// Some of the cases that would be answered otherwise.
struct PolicyChanges {
    let slug: String
    let changes: [PolicyTrial.Change]
    let changed: Int

    var html: HTML {
        DataTable(
            caption: "Requests that these rules would answer otherwise",
            columns: [
                .init("Case") { change in
                    a(.href(.refundCase(slug, change.id))) {
                        change.productID.isEmpty ? HTML(text: "product unknown") : NameText(change.productID).html
                    }
                },
                .init("Was answered") { change in span { Words.sentence(Words.answer(change.was)) } },
                .init("By these rules") { change in
                    span {
                        Words.sentence(Words.answer(change.now))
                        span(.class("subtext")) { "rule \(change.rule)" }
                    }
                },
                .init("Price", isNumber: true) { change in
                    if let price = change.price {
                        MoneyText(milliunits: price, currency: change.currency).html
                    } else {
                        span(.class("quiet")) { "unknown" }
                    }
                },
                .init("Apple") { change in Badge(change.outcome).html },
            ], rows: changes
        ).html.and(
            changed > changes.count
                ? p(.class("quiet")) { "\(changes.count) are listed, the newest of each kind." } : .empty)
    }
}
