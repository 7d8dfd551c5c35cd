import Postgres
package import Time

/// What Apple's answers told of a key for one app in one environment.
///
/// A token joins key, key ID, issuer ID and bundle ID, and Apple judges them together: what was accepted for one app
/// says nothing of the bundle ID of another, or of an app that is another team's.
package struct KeyProof: Hashable, Sendable {
    package let key: SigningKeyID
    package let app: AppID
    package let bundleID: String
    package let isSandbox: Bool
    /// When Apple last accepted the key for this app, to the hour.
    package let acceptedAt: Moment?
    /// Since when Apple refuses it for this app; nil while it does not.
    package let refusedSince: Moment?
    /// When Apple last refused it; stays after it was accepted again.
    package let refusedAt: Moment?
    /// Until when this app does not call with it: it was refused, or somebody is just finding out.
    package let pausedUntil: Moment?
    /// Our clock minus Apple's, as the last refusal told.
    package let clockOffset: Duration?

    package init(
        key: SigningKeyID, app: AppID, bundleID: String, isSandbox: Bool, acceptedAt: Moment? = nil,
        refusedSince: Moment? = nil, refusedAt: Moment? = nil, pausedUntil: Moment? = nil, clockOffset: Duration? = nil
    ) {
        self.key = key
        self.app = app
        self.bundleID = bundleID
        self.isSandbox = isSandbox
        self.acceptedAt = acceptedAt
        self.refusedSince = refusedSince
        self.refusedAt = refusedAt
        self.pausedUntil = pausedUntil
        self.clockOffset = clockOffset
    }

    /// Apple's name of the environment.
    package var environment: String { isSandbox ? "Sandbox" : "Production" }

    /// Apple takes the key for this app, as far as its newest answer told.
    package var isAccepted: Bool { acceptedAt != nil && refusedSince == nil }
}

extension KeyProof {
    /// Columns of `tenants.key_proofs p` and of `tenants.apps a`.
    static let columns: SQL = """
        p.signing_key_id, p.app_id, a.bundle_id, p.environment, p.accepted_at, p.refused_since, p.refused_at,
        p.paused_until, p.clock_offset_ms
        """

    init(_ row: Row) throws(PostgresError) {
        let environment: String = try row("environment")
        let offset: Int64? = try row("clock_offset_ms")
        self.init(
            key: SigningKeyID(rawValue: try row("signing_key_id")), app: AppID(rawValue: try row("app_id")),
            bundleID: try row("bundle_id"), isSandbox: environment == "Sandbox", acceptedAt: try row("accepted_at"),
            refusedSince: try row("refused_since"), refusedAt: try row("refused_at"),
            pausedUntil: try row("paused_until"), clockOffset: offset.map { .milliseconds($0) })
    }
}

extension KeyStanding {
    /// How a key stands for one app: accepted is what was accepted for this app; what is refused for another and not yet
    /// for this one holds this app's calls back all the same, because the key itself is suspected then.
    package static func seen(_ whole: KeyStanding?, for proof: KeyProof?) -> KeyStanding? {
        guard let key = proof?.key ?? whole?.key, let isSandbox = proof?.isSandbox ?? whole?.isSandbox else {
            return nil
        }
        let own = proof?.refusedSince
        let refusedSince = own ?? whole?.refusedSince
        let accepted = proof?.acceptedAt
        return KeyStanding(
            key: key, isSandbox: isSandbox, acceptedAt: accepted, refusedSince: refusedSince,
            pausedUntil: [proof?.pausedUntil, whole?.pausedUntil].compactMap { $0 }.max(),
            refusals: whole?.refusals ?? (own == nil ? 0 : 1), clockOffset: proof?.clockOffset ?? whole?.clockOffset,
            usedAt: [accepted, proof?.refusedAt].compactMap { $0 }.max(), refusedAt: proof?.refusedAt,
            isRefusedElsewhere: own == nil && refusedSince != nil)
    }
}
