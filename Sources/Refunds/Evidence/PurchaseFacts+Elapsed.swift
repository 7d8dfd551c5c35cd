import AppStore
import Time

extension PurchaseFacts {
    /// How much of the period that was paid for had passed when the request was signed; thousandths of a percent.
    /// Nil for what has no period.
    ///
    /// Evidence for rules and people: of an auto-renewable subscription Apple reckons the use itself and takes no
    /// percentage. Source: consumptionPercentage.
    var elapsed: Evidence<Int>? {
        guard let start = circumstances.purchasedAt, let end = circumstances.expiresAt, start < end else { return nil }
        return Evidence(
            ShareModel.elapsed(from: start, to: end, at: requestSignedAt),
            .computed("the share of the period that had passed", at: requestSignedAt))
    }

    /// As the case keeps it.
    var elapsedObservation: [Decision.Observation] {
        guard let elapsed else { return [] }
        return [.init("elapsed period", String(elapsed.value), source: elapsed.source.text, at: elapsed.source.at)]
    }
}
