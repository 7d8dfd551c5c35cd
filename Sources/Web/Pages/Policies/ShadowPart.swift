import FoundationEssentials
import Refunds
import Tenants
import Time

/// The draft that runs beside the policy: how it compares, and what can be done with it.
struct ShadowPart {
    let slug: String
    let app: App
    let shadow: Shadow?
    let comparison: ShadowComparison?
    /// The version that decides; 0: none.
    let live: Int
    /// What stands in the editor.
    let text: String
    let canChange: Bool
    let now: Moment

    private var place: Site { .policy(slug, bundleID: app.bundleID, .now) }
    private var isRunning: Bool { shadow.map { $0.stoppedAt == nil } ?? false }

    var html: HTML {
        section(.class("panel"), .id("beside"), .ariaLabelledBy("shadow-title")) {
            h2(.id("shadow-title")) { "A draft beside the policy" }
            p(.class("quiet")) {
                "A draft decides each new case too. Its answers are kept with the case and never sent."
            }
            if let shadow {
                standing(shadow)
                details(.class("opening")) {
                    summary { "The rules of draft \(shadow.number)" }
                    pre(.class("code-block")) { code { shadow.text } }
                }
                if let comparison { compared(comparison) }
            } else {
                p(.class("quiet")) { "None was started yet." }
            }
            if canChange { actions }
        }
    }

    private func standing(_ shadow: Shadow) -> HTML {
        p {
            if let version = shadow.promoted {
                "Draft \(shadow.number) became version \(version) "
                TimeText(shadow.stoppedAt ?? now).shortHTML
                "."
            } else if let stopped = shadow.stoppedAt {
                "Draft \(shadow.number) ran from "
                TimeText(shadow.startedAt).shortHTML
                " to "
                TimeText(stopped).shortHTML
                "."
            } else {
                strong { "Draft \(shadow.number) runs" }
                " since "
                TimeText(shadow.startedAt).shortHTML
                "."
            }
        }
    }

    private func compared(_ comparison: ShadowComparison) -> HTML {
        if comparison.cases == 0 {
            return p(.class("quiet")) { "No case was decided by rules since: there is nothing to compare yet." }
        }
        return div(.class("stack")) {
            p {
                strong { "\(comparison.agreeing) of \(comparison.cases) cases agree" }
                if comparison.agreeing < comparison.cases {
                    ", \(comparison.cases - comparison.agreeing) differ"
                    MoneyList(comparison.money).html
                }
                "."
            }
            if comparison.isCutOff { p(.class("quiet")) { "The newest \(comparison.cases) are counted." } }
            DataTable(
                caption: "Cases by what the policy and the draft said, and what Apple did",
                columns: [
                    .init("The policy") { line in span { Words.sentence(Words.answer(line.live)) } },
                    .init("The draft") { line in
                        span {
                            line.live == line.draft ? "the same" : Words.sentence(Words.answer(line.draft))
                        }
                    },
                    .init("Apple") { line in Badge(line.outcome).html },
                    .init("Cases", isNumber: true) { line in span { "\(line.cases)" } },
                ], rows: comparison.lines
            ).html
            if !comparison.differences.isEmpty { differences(comparison) }
        }
    }

    private func differences(_ comparison: ShadowComparison) -> HTML {
        DataTable(
            caption: "The newest cases that the draft would have answered otherwise",
            columns: [
                .init("Case") { one in a(.href(.refundCase(slug, one.id))) { NameText(one.productID).html } },
                .init("Asked") { one in TimeText(one.requestedAt).shortHTML },
                .init("The policy") { one in span { Words.sentence(Words.answer(one.live)) } },
                .init("The draft") { one in
                    span {
                        Words.sentence(Words.answer(one.draft))
                        span(.class("subtext")) { "rule \(one.rule)\(one.asks ? ", after asking a person" : "")" }
                    }
                },
                .init("Price", isNumber: true) { one in
                    if let price = one.price {
                        MoneyText(milliunits: price, currency: one.currency).html
                    } else {
                        span(.class("quiet")) { "unknown" }
                    }
                },
                .init("Apple") { one in Badge(one.outcome).html },
            ], rows: comparison.differences
        ).html
    }

    private var actions: HTML {
        div(.class("step-actions")) {
            form(.post, .action(place)) {
                HiddenFields(fields: [("rules", text), ("basedOn", "-1")]).html
                button(.class("button"), .type("submit"), .name("do"), .value("shadow-start")) {
                    isRunning
                        ? "Run what stands in the editor instead" : "Run what stands in the editor beside the policy"
                }
            }
            if isRunning {
                form(.class("step-actions"), .post, .action(place)) {
                    HiddenFields(fields: [("basedOn", "\(live)")]).html
                    button(.class("button"), .type("submit"), .name("do"), .value("shadow-promote")) {
                        "Let it decide"
                    }
                    button(.class("button"), .type("submit"), .name("do"), .value("shadow-stop")) { "Stop it" }
                }
            }
        }
    }
}
