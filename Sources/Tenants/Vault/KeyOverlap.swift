package import Time

/// Whether a key may be revoked at Apple now, and why, in words for whoever is about to do it.
package struct RevocationAdvice: Hashable, Sendable {
    package let isSafe: Bool
    package let why: String
}

/// What follows from several keys that serve the same apps at the same time. Pure; see decision 16.
package enum KeyOverlap {
    /// How long an older key is kept where nobody says otherwise.
    package static let grace = Duration.days(7)
    /// Longer is asking for a second key, not for an overlap.
    package static let graceMax = Duration.days(90)
    /// An environment in which a key was not accepted for so long does without it.
    static let remembered = Duration.days(30)
    /// A token that was made just now is used for this long at most.
    static let tokenLife = Duration.minutes(6)

    /// A key and how Apple takes it.
    package struct Party: Sendable {
        package let info: SigningKeyInfo
        /// For the apps that are in use.
        package let proofs: [KeyProof]

        package init(info: SigningKeyInfo, proofs: [KeyProof]) {
            self.info = info
            self.proofs = proofs
        }
    }

    /// Whether the key could be revoked in App Store Connect now without harm to this desk.
    ///
    /// - Parameter all: every key of the tenant, the key itself among them or not.
    package static func advice(on key: Party, among all: [Party], at now: Moment) -> RevocationAdvice {
        let info = key.info
        if let twin = all.first(where: { $0.info.id != info.id && isTwin($0.info, of: info) }) {
            let place = twin.info.app == nil ? "every app of the tenant" : "another app"
            return RevocationAdvice(
                isSafe: false, why: "The same key \(info.keyID) also signs for \(place) here: replace it there first.")
        }
        if info.state == .retired {
            return RevocationAdvice(
                isSafe: true, why: "This desk has wiped it. Only what else you run could still sign with it.")
        }
        let successors = successors(of: info, among: all)
        guard let newest = successors.first else {
            return RevocationAdvice(isSafe: false, why: "It signs now. Add the key that takes its place first.")
        }
        let uncovered = uncovered(key, by: successors, at: now)
        guard uncovered.isEmpty else {
            // Of a key that serves one app there is nothing to add.
            let apps = Set(key.proofs.map(\.app)).count > 1 ? " for \(bundleIDs(uncovered))" : ""
            return RevocationAdvice(
                isSafe: false,
                why:
                    "Apple takes this key in \(words(uncovered))\(apps) and has not taken \(newest.info.keyID) there yet. Try the new key there first."
            )
        }
        if let used = info.lastUsedAt, used + tokenLife > now {
            return RevocationAdvice(
                isSafe: false,
                why: "It made a token at \(used.iso8601), which may be in use until \((used + tokenLife).iso8601).")
        }
        let covered = key.proofs.filter { isRemembered($0, at: now) }
        guard !covered.isEmpty else {
            return RevocationAdvice(
                isSafe: true,
                why: "Apple has not accepted it here in \(remembered.wholeDays) days: nothing here needs it.")
        }
        return RevocationAdvice(
            isSafe: true, why: "Apple takes \(newest.info.keyID) in \(words(covered)), wherever it took this one.")
    }

    /// Whether a retiring key may be wiped: its grace time is over, and Apple takes a newer one wherever it took it.
    static func mayRetire(_ key: Party, among all: [Party], at now: Moment) -> Bool {
        guard key.info.state == .retiring, let end = key.info.retiresAt, end <= now else { return false }
        let successors = successors(of: key.info, among: all)
        return !successors.isEmpty && uncovered(key, by: successors, at: now).isEmpty
    }

    /// Active keys of the same scope that are newer, newest first.
    private static func successors(of info: SigningKeyInfo, among all: [Party]) -> [Party] {
        all.filter {
            $0.info.id != info.id && $0.info.app == info.app && $0.info.state == .active
                && $0.info.createdAt >= info.createdAt
        }.sorted { $0.info.createdAt > $1.info.createdAt }
    }

    /// Apps and environments for which Apple takes this key and none of the others.
    private static func uncovered(_ key: Party, by successors: [Party], at now: Moment) -> [KeyProof] {
        key.proofs.filter { own in
            isRemembered(own, at: now)
                && !successors.contains { other in
                    other.proofs.contains {
                        $0.app == own.app && $0.isSandbox == own.isSandbox && $0.isAccepted
                    }
                }
        }
    }

    private static func isRemembered(_ proof: KeyProof, at now: Moment) -> Bool {
        proof.acceptedAt.map { $0 > now - remembered } ?? false
    }

    private static func isTwin(_ other: SigningKeyInfo, of info: SigningKeyInfo) -> Bool {
        other.keyID == info.keyID && other.issuerID == info.issuerID && other.state != .retired
    }

    private static func words(_ proofs: [KeyProof]) -> String {
        Set(proofs.map(\.environment)).sorted().joined(separator: " and ")
    }

    private static func bundleIDs(_ proofs: [KeyProof]) -> String {
        let names = Set(proofs.map(\.bundleID)).sorted()
        return names.count <= 3 ? names.joined(separator: ", ") : "\(names[0]), \(names[1]) and \(names.count - 2) more"
    }
}

extension Duration {
    fileprivate var wholeDays: Int64 { components.seconds / 86_400 }
}
