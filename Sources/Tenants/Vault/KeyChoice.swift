import Time

/// Which of several keys signs in one environment. Pure; see decision 16.
package enum KeyChoice {
    package struct Candidate: Sendable {
        let app: AppID?
        let state: SigningKeyState
        /// In the environment of the call; nil before its first call.
        let standing: KeyStanding?

        package init(app: AppID?, state: SigningKeyState, standing: KeyStanding?) {
            self.app = app
            self.state = state
            self.standing = standing
        }
    }

    /// The newest active key signs. While Apple refuses it, a retiring key that it replaced signs instead, if Apple
    /// takes that one; each time the pause of the refused key ends it is tried with one call again.
    ///
    /// - Parameter candidates: active and retiring keys of an app, newest first.
    static func choose(_ candidates: [Candidate], at now: Moment) -> Int? {
        guard let lead = lead(candidates) else { return nil }
        guard let standing = candidates[lead].standing, standing.isRefused, let pause = standing.pausedUntil,
            pause > now
        else { return lead }
        return standIn(for: lead, candidates) ?? lead
    }

    /// The key that signs as a rule, whoever is tried with one call just now: what pages tell.
    ///
    /// - Parameter candidates: active and retiring keys of an app, newest first.
    package static func signing(_ candidates: [Candidate]) -> Int? {
        guard let lead = lead(candidates) else { return nil }
        guard candidates[lead].standing?.isRefused == true else { return lead }
        return standIn(for: lead, candidates) ?? lead
    }

    private static func lead(_ candidates: [Candidate]) -> Int? {
        candidates.firstIndex { $0.state == .active } ?? candidates.indices.first
    }

    private static func standIn(for lead: Int, _ candidates: [Candidate]) -> Int? {
        candidates.firstIndex { candidate in
            candidate.state == .retiring && candidate.app == candidates[lead].app
                && candidate.standing.map { $0.acceptedAt != nil && !$0.isRefused } ?? false
        }
    }
}
