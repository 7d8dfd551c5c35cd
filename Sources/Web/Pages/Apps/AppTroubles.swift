import Refunds
import Tenants
import Time

/// What keeps apps from being answered for, in sentences that say what to do: one for each cause, however many apps
/// and environments it touches.
struct AppTroubles {
    private static let namesMax = 5

    let standings: [AppStanding]
    let now: Moment
    /// Where there is a way to what must be done.
    var slug: String?

    var notices: [Notice] { withoutKey + unreadable + refused + withoutURL + strays + stopped + rescinded }

    private func names(_ standings: [AppStanding]) -> String {
        let names = standings.map(\.app.name)
        guard names.count > 1 else { return names.first ?? "" }
        if names.count > Self.namesMax {
            return names.prefix(Self.namesMax - 1).joined(separator: ", ")
                + " and \(names.count - Self.namesMax + 1) more"
        }
        return names.dropLast().joined(separator: ", ") + " and " + (names.last ?? "")
    }

    private var rescinded: [Notice] {
        standings.filter { $0.rescissions > 0 }.map { standing in
            Notice(
                .attention,
                standing.rescissions == 1
                    ? "A parent withdrew consent for a customer of \(standing.app.name)."
                    : "Parents withdrew consent for \(standing.rescissions) customers of \(standing.app.name).",
                more: "Apple told so. Requests about what they bought are not answered until somebody decides.",
                link: slug.map { (.consent($0, bundleID: standing.app.bundleID, .now), "Look and decide") })
        }
    }

    private var stopped: [Notice] {
        standings.flatMap { standing in
            standing.commerce.filter(\.access.isStopped).map { line in
                Notice(
                    .bad,
                    "\(standing.app.name) asks Apple for no refunds in \(standing.app.environmentLabel(line.environment)).",
                    more:
                        "Apple refused a call in a way that its documentation does not explain, perhaps because of the addendum. \(WaitingText.text(line.waiting)); none is lost.",
                    link: slug.map {
                        (
                            .commerceAccess($0, bundleID: standing.app.bundleID, done: nil),
                            "What Apple said, and what to do"
                        )
                    })
            }
        }
    }

    private var withoutKey: [Notice] {
        let bare = standings.filter(\.keys.isEmpty)
        guard !bare.isEmpty else { return [] }
        return [
            Notice(
                bare.allSatisfy(\.app.isRehearsal) ? .attention : .bad,
                bare.count == 1 ? "\(names(bare)) has no signing key." : "\(bare.count) apps have no signing key.",
                more:
                    "\(bare.count == 1 ? "" : "\(names(bare)). ")Requests are kept and cannot be answered. Add an In-App Purchase key on the app's setup page."
            )
        ]
    }

    private var unreadable: [Notice] {
        var told: Set<SigningKeyID> = []
        return standings.compactMap { standing in
            guard let key = standing.keys.first, !key.opens, told.insert(key.key.id).inserted else { return nil }
            let touched = standings.filter { $0.keys.first?.key.id == key.key.id }
            return Notice(
                .bad, "The key \(key.key.keyID) cannot be read.",
                more:
                    "It was sealed under a master key that this installation does not have any more. Requests of \(names(touched)) wait. Add the key again on the app's setup page."
            )
        }
    }

    private var withoutURL: [Notice] {
        let silent = standings.filter { $0.inboxes == 0 }
        guard !silent.isEmpty else { return [] }
        return [
            Notice(
                .attention,
                silent.count == 1
                    ? "\(names(silent)) has no notification URL." : "\(silent.count) apps have no notification URL.",
                more:
                    "\(silent.count == 1 ? "" : "\(names(silent)). ")All addresses are retired. Whoever runs this installation makes one: refund-desk inbox add."
            )
        ]
    }

    private var strays: [Notice] {
        standings.compactMap { standing in
            standing.stray(at: now).map { Notice(.attention, $0.words(of: standing.app.name), more: $0.advice) }
        }
    }

    // MARK: Refused keys

    /// One key that Apple refuses, the apps that lead with it, and where.
    private struct Refusal {
        let key: KeyReport
        let isRehearsal: Bool
        /// The older key that signs instead, where there is one.
        let standIn: String?
        var environments: [AppEnvironment]
        var touched: [AppStanding]
        var states: [KeyStanding]
    }

    private var refused: [Notice] {
        var refusals: [Refusal] = []
        for standing in standings {
            for environment in AppEnvironment.allCases where standing.app.environments.contains(environment) {
                note(standing, environment, in: &refusals)
            }
        }
        return refusals.map(notice)
    }

    private func note(_ standing: AppStanding, _ environment: AppEnvironment, in refusals: inout [Refusal]) {
        let isSandbox = environment == .sandbox
        guard let key = standing.keys.first, let state = key.standings[isSandbox: isSandbox], state.isRefused else {
            return
        }
        let signer = standing.signer(isSandbox: isSandbox)
        let standIn = signer.flatMap { $0.key.id == key.key.id ? nil : $0.key.keyID }
        guard
            let known = refusals.firstIndex(where: {
                $0.key.key.id == key.key.id && $0.standIn == standIn && $0.isRehearsal == standing.app.isRehearsal
            })
        else {
            refusals.append(
                Refusal(
                    key: key, isRehearsal: standing.app.isRehearsal, standIn: standIn, environments: [environment],
                    touched: [standing], states: [state]))
            return
        }
        if !refusals[known].environments.contains(environment) {
            refusals[known].environments.append(environment)
            refusals[known].states.append(state)
        }
        if !refusals[known].touched.contains(where: { $0.app.id == standing.app.id }) {
            refusals[known].touched.append(standing)
        }
    }

    private func notice(_ refusal: Refusal) -> Notice {
        let places =
            refusal.isRehearsal ? "rehearsal" : refusal.environments.map(\.rawValue).joined(separator: " and ")
        let count = refusal.touched.count
        let text =
            "\(refusal.isRehearsal ? "The simulator" : "Apple") refuses the key \(refusal.key.key.keyID) in \(places)\(count > 1 ? " for \(count) apps" : "")."
        if let older = refusal.standIn {
            return Notice(
                .attention, text,
                more:
                    "The older key \(older) signs meanwhile, so nothing waits. \(advice(refusal)) Mend it before the older key's grace time ends."
            )
        }
        var more = advice(refusal)
        if let until = refusal.states.compactMap(\.pausedUntil).filter({ $0 > now }).min() {
            more += " The next try is \(TimeText(until).relative(to: now)); replies of \(names(refusal.touched)) wait."
        }
        return Notice(refusal.isRehearsal ? .attention : .bad, text, more: more)
    }

    private func advice(_ refusal: Refusal) -> String {
        let bundleIDs =
            refusal.touched.count == 1 ? "the bundle ID \(refusal.touched[0].app.bundleID)" : "the bundle IDs"
        var advice =
            "The answer is 401 and never says why. Check the key ID, the issuer ID, that it is an In-App Purchase key, and \(bundleIDs)."
        if refusal.environments.contains(.production), !refusal.isRehearsal {
            advice += " Apple also refuses Production calls for an app that has no release on the App Store yet."
        }
        if let drift = refusal.states.compactMap(\.clockOffset).map({ ClockDrift($0) }).first(where: \.isWorthSaying) {
            advice += " Our clock is \(drift.words)"
            advice += drift.isBearable ? "." : ": that alone makes every token invalid."
        }
        return advice
    }
}
