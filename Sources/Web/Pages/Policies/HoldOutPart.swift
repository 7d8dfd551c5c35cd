import Refunds
import Tenants
import Time

/// The share of cases that get no preference, and what that shows.
struct HoldOutPart {
    let slug: String
    let app: App
    let effect: HoldOutEffect
    let canChange: Bool
    let typed: String?
    let wrong: String?

    var html: HTML {
        section(.class("panel"), .id("hold-out"), .ariaLabelledBy("hold-out-title")) {
            h2(.id("hold-out-title")) { "Does the preference do anything?" }
            p(.class("quiet")) {
                "A lot keeps the preference back from a share of the cases: Apple gets the facts alone. What Apple does with those, beside the others, is what the preference does. Cases that wait for a person, customers with an answer of their own, and requests of ours are left out."
            }
            p {
                if effect.share == 0 {
                    strong { "It is off." }
                } else {
                    strong { "\(effect.share) in 100 cases" }
                    " get facts without the preference"
                    if let changedAt = effect.changedAt {
                        ", since "
                        TimeText(changedAt).shortHTML
                    }
                    "."
                }
            }
            if !effect.lines.isEmpty { table }
            if canChange { form }
        }
    }

    private var table: HTML {
        DataTable(
            caption: "Refunded cases with and without the preference",
            columns: [
                .init("Preference") { line in code { line.preference.rawValue } },
                .init("Told", isNumber: true) { line in share(line.told) },
                .init("Kept back", isNumber: true) { line in share(line.heldOut) },
                .init("Difference") { line in difference(line) },
            ], rows: effect.lines
        ).html.and(
            p(.class("quiet")) {
                "Refunded, of the cases that Apple decided or left undecided for 14 days. The interval holds the true difference in 95 of 100 such trials."
                    + (effect.isCutOff ? " The newest cases are counted." : "")
            })
    }

    private func share(_ share: ShareDifference.Share) -> HTML {
        span {
            share.of < HoldOutEffect.casesMin ? "–" : "\(Self.percent(share.value)) %"
            span(.class("subtext")) { "\(share.hits) of \(share.of)" }
        }
    }

    private func difference(_ line: HoldOutEffect.Line) -> HTML {
        guard let difference = line.difference else {
            return span(.class("quiet")) {
                "not enough cases yet: \(HoldOutEffect.casesMin) of each are needed"
            }
        }
        let (from, to) = (difference.interval.lowerBound, difference.interval.upperBound)
        return span {
            "\(Self.signed(difference.value)) points (\(Self.signed(from)) to \(Self.signed(to)))"
            span(.class("subtext")) {
                difference.isCertain
                    ? (difference.value < 0
                        ? "with the preference, fewer are refunded" : "with the preference, more are refunded")
                    : "chance alone may make that"
            }
        }
    }

    private static func percent(_ value: Double) -> String {
        let tenths = Int((value * 1000).rounded())
        return "\(tenths / 10).\(abs(tenths % 10))"
    }

    private static func signed(_ value: Double) -> String {
        (value < 0 ? "−" : "+") + percent(abs(value))
    }

    private var form: HTML {
        Web.form(.class("step-form"), .post, .action(.policy(slug, bundleID: app.bundleID, .now))) {
            Field(
                "Cases in a hundred without a preference", name: "share",
                help: "From 0 to \(HoldOut.shareMax); 0 turns it off. Ten is a good beginning.", error: wrong,
                .type("text"), .inputmode("numeric"), .maxlength(2), .autocomplete("off"),
                .value(typed ?? "\(effect.share)")
            ).html
            button(.class("button"), .type("submit"), .name("do"), .value("hold-out")) { "Set the share" }
        }
    }
}
