import Refunds
import Tenants
import Time

/// What keeps an app from being answered for, in sentences that say what to do.
struct AppTroubles {
    let standing: AppStanding
    let now: Moment

    var notices: [Notice] {
        var notices: [Notice] = []
        let name = standing.app.name
        guard let key = standing.keys.first else {
            return [
                Notice(
                    .bad, "\(name) has no signing key.",
                    more:
                        "Requests are kept and cannot be answered. Add an In-App Purchase key on the app's setup page.")
            ]
        }
        if !key.opens {
            notices.append(
                Notice(
                    .bad, "The key \(key.key.keyID) cannot be read.",
                    more: "It was sealed under a master key that this installation does not have any more."))
        }
        for (environment, state) in key.standings.all where state.isRefused {
            notices.append(refused(key, environment, state))
        }
        if standing.inboxes == 0 {
            notices.append(
                Notice(
                    .attention, "\(name) has no notification URL.",
                    more: "All of its addresses are retired. Make one: refund-desk inbox add."))
        }
        return notices
    }

    private func refused(_ key: KeyReport, _ environment: String, _ state: KeyStanding) -> Notice {
        var more =
            "Apple answers 401 and never says why. Check the key ID, the issuer ID, that it is an In-App Purchase key, and the bundle ID \(standing.app.bundleID)."
        if environment == "Production" {
            more += " Apple also refuses Production calls for an app that has no release on the App Store yet."
        }
        if let offset = state.clockOffset, abs(offset.wholeMilliseconds) > 5000 {
            let seconds = abs(offset.wholeMilliseconds) / 1000
            more +=
                " Our clock is about \(seconds) s \(offset < .zero ? "ahead of" : "behind") Apple's: that alone makes every token invalid."
        }
        if let until = state.pausedUntil, until > now {
            more += " The next try is \(TimeText(until).relative(to: now)); replies wait."
        }
        return Notice(.bad, "Apple refuses the key \(key.key.keyID) in \(environment).", more: more)
    }
}
