import Tenants
import Time

/// How much of a purchase is used, where no share was reported, by its product's model. Pure.
enum ShareModel {
    /// The share that a reply may rest on: the newest of what was reported as a share and what was reported in the
    /// model's units; the passing of time only where neither was. What is unknown stays unknown.
    ///
    /// - Parameter purchasedAt: for the model of time.
    static func share(
        _ usage: UsageStore.State, by model: ConsumptionModel?, purchasedAt: Moment?, at now: Moment
    ) -> Evidence<Int>? {
        let reported = usage.consumptionPercentage
        switch model {
        case nil: return reported
        case .credits: return newer(of: reported, usage.credits, model)
        case .items: return newer(of: reported, usage.items, model)
        case .time(let days):
            guard reported == nil, let purchasedAt else { return reported }
            return Evidence(
                elapsed(from: purchasedAt, to: purchasedAt + .days(Int64(days)), at: now),
                .computed(ConsumptionModel.time(days: days).text, at: now))
        }
    }

    /// The share of a span that has passed: thousandths of a percent, rounded down, 0…100,000.
    static func elapsed(from start: Moment, to end: Moment, at now: Moment) -> Int {
        let (passed, whole) = ((now - start).wholeMilliseconds, (end - start).wholeMilliseconds)
        guard whole > 0, passed > 0 else { return passed > 0 ? 100_000 : 0 }
        // Milliseconds of thousands of years times 100,000 would not fit.
        return passed >= whole ? 100_000 : Int(Double(passed) / Double(whole) * 100_000)
    }

    private static func newer(
        of reported: Evidence<Int>?, _ counted: Evidence<UsageCount>?, _ model: ConsumptionModel?
    ) -> Evidence<Int>? {
        guard let counted, let countedAt = counted.source.at else { return reported }
        if let at = reported?.source.at, at >= countedAt { return reported }
        let (count, how) = (counted.value, model?.text ?? "")
        return Evidence(
            count.share, .computed("\(how), \(count.used) of \(count.granted), \(counted.source.text)", at: countedAt))
    }
}
