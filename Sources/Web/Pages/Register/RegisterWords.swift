import Refunds

/// The words and numbers of the register.
enum RegisterWords {
    static func rate(_ tally: RegisterTally) -> HTML {
        guard let rate = tally.rate else { return span(.class("quiet")) { tally.asked > 0 ? "no sale known" : "–" } }
        return span { ShareText.text(rate) }
    }

    static func amounts(_ amounts: [String: Int64]) -> HTML {
        var html = HTML.empty
        for (currency, milliunits) in amounts.sorted(by: { $0.key < $1.key }) {
            html.append(span(.class("subtext money")) { MoneyText(milliunits: milliunits, currency: currency).text })
        }
        return html
    }

    static func reason(_ reason: CommerceReason?) -> HTML {
        guard let reason else { return span(.class("quiet")) { "none" } }
        return span {
            CommerceWords.label(reason)
            span(.class("subtext")) { NameText(reason.rawValue).html }
        }
    }
}
