import Refunds
import Time

/// The few numbers that say how it goes.
struct OutcomeSummary {
    let slug: String
    let outcomes: Outcomes
    /// All of the cases that are counted.
    let cases: CaseListQuery

    var html: HTML {
        Facts([
            ("Cases", HTML(text: "\(outcomes.cases)")),
            ("Answered in time", OutcomeRate(outcomes.answered).html),
            ("Apple did as we asked", OutcomeRate(outcomes.agreement).html),
            ("Withheld for lack of consent", withheld),
            ("Time to answer", HTML(text: time)),
        ]).html
    }

    private var withheld: HTML {
        let rate = outcomes.withoutConsent
        if rate.hits == 0 { return HTML(text: "none") }
        var query = cases
        query.state = .withheld
        query.why = .noConsent
        return span {
            a(.href(.cases(slug, query))) { "\(rate.hits)" }
            if let share = rate.share { ", \(OutcomeRate.text(share)) of what Apple asked about" }
            for (currency, amount) in outcomes.moneyWithoutConsent.sorted(by: { $0.key < $1.key }) {
                span(.class("subtext money")) { MoneyText(milliunits: amount, currency: currency).text }
            }
        }
    }

    private var time: String {
        guard let median = outcomes.medianToAnswer else { return "nothing was answered yet" }
        let most = outcomes.nineInTenToAnswer.map { ", nine in ten within \(DurationText.text($0))" } ?? ""
        return "half within \(DurationText.text(median))\(most)"
    }
}
