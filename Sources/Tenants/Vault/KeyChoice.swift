import Time

/// Which of several keys signs in one environment. Pure; see decision 16.
enum KeyChoice {
    struct Candidate {
        let app: AppID?
        let state: SigningKeyState
        /// In the environment of the call; nil before its first call.
        let standing: KeyStanding?
    }

    /// The newest active key signs. While Apple refuses it, a retiring key that it replaced signs instead, if Apple
    /// takes that one; each time the pause of the refused key ends it is tried with one call again.
    ///
    /// - Parameter candidates: active and retiring keys of an app, newest first.
    static func choose(_ candidates: [Candidate], at now: Moment) -> Int? {
        guard let lead = candidates.firstIndex(where: { $0.state == .active }) ?? candidates.indices.first else {
            return nil
        }
        guard let standing = candidates[lead].standing, standing.isRefused, let pause = standing.pausedUntil,
            pause > now
        else { return lead }
        let older = candidates.firstIndex { candidate in
            candidate.state == .retiring && candidate.app == candidates[lead].app
                && candidate.standing.map { $0.acceptedAt != nil && !$0.isRefused } ?? false
        }
        return older ?? lead
    }
}
