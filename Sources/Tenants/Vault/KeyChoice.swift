import Time

/// Which of several keys signs for an app in one environment. Pure; see decision 16.
package enum KeyChoice {
    package struct Candidate: Sendable {
        let app: AppID?
        let state: SigningKeyState
        /// For the app of the call, in the environment of the call; nil before its first call.
        let standing: KeyStanding?

        package init(app: AppID?, state: SigningKeyState, standing: KeyStanding?) {
            self.app = app
            self.state = state
            self.standing = standing
        }

        fileprivate var isAccepted: Bool { standing?.isAccepted == true }
    }

    /// The key for the next call.
    ///
    /// The app's own newest active key is meant to sign, else the newest one of the whole tenant. Until Apple has
    /// accepted it for this app, and while Apple refuses it, another key that Apple accepts for this very app signs in
    /// its place; the one that is meant to gets one call at a time, so that it can show what it is worth.
    ///
    /// - Parameter candidates: active and retiring keys that serve the app, newest first of each scope.
    static func choose(_ candidates: [Candidate], at now: Moment) -> Int? {
        guard let lead = lead(candidates) else { return nil }
        guard !candidates[lead].isAccepted, let pause = candidates[lead].standing?.pausedUntil, pause > now else {
            return lead
        }
        return standIn(for: lead, candidates) ?? lead
    }

    /// The key that signs as a rule, whoever is tried with one call just now: what pages tell.
    ///
    /// - Parameter candidates: active and retiring keys that serve the app, newest first of each scope.
    package static func signing(_ candidates: [Candidate]) -> Int? {
        guard let lead = lead(candidates) else { return nil }
        return candidates[lead].isAccepted ? lead : standIn(for: lead, candidates) ?? lead
    }

    /// The key that is meant to sign, and is the one to be tried.
    package static func lead(_ candidates: [Candidate]) -> Int? {
        candidates.firstIndex { $0.state == .active && $0.app != nil }
            ?? candidates.firstIndex { $0.state == .active }
            ?? candidates.firstIndex { $0.app != nil } ?? candidates.indices.first
    }

    /// Accepted for this app, so it is of the right team, whatever it was made for; those of the lead's own scope first.
    private static func standIn(for lead: Int, _ candidates: [Candidate]) -> Int? {
        let accepted = candidates.indices.filter { $0 != lead && candidates[$0].isAccepted }
        return accepted.first { candidates[$0].app == candidates[lead].app } ?? accepted.first
    }
}
