import Postgres
package import Time

/// How Apple takes a key in one environment.
///
/// A bare 401 pauses the key, not the app: one wrong key that serves ten apps must not be tried ten times as often.
/// After it one probing call goes out each `probeEvery`, so at most five in ten minutes. A new or repaired key is
/// another row and starts again. Where the key is known to work for another app, the 401 is about the app it was made
/// for, and pauses that app alone: see `KeyProof`.
package struct KeyStanding: Hashable, Sendable {
    package let key: SigningKeyID
    package let isSandbox: Bool
    /// When Apple last accepted it, to the hour.
    package let acceptedAt: Moment?
    /// Since when Apple refuses it; nil while it does not.
    package let refusedSince: Moment?
    package let pausedUntil: Moment?
    package let refusals: Int
    /// Our clock minus Apple's, as the last refusal told; a clock that is off is a common cause of a 401.
    package let clockOffset: Duration?
    /// When a call with it was last decided, to the hour while all is well.
    package let usedAt: Moment?
    /// When Apple last refused it; stays after it was accepted again.
    package let refusedAt: Moment?
    /// Seen for one app: the call that was refused was another app's.
    package let isRefusedElsewhere: Bool

    package init(
        key: SigningKeyID, isSandbox: Bool, acceptedAt: Moment?, refusedSince: Moment?, pausedUntil: Moment?,
        refusals: Int, clockOffset: Duration?, usedAt: Moment? = nil, refusedAt: Moment? = nil,
        isRefusedElsewhere: Bool = false
    ) {
        self.key = key
        self.isSandbox = isSandbox
        self.acceptedAt = acceptedAt
        self.refusedSince = refusedSince
        self.pausedUntil = pausedUntil
        self.refusals = refusals
        self.clockOffset = clockOffset
        self.usedAt = usedAt
        self.refusedAt = refusedAt
        self.isRefusedElsewhere = isRefusedElsewhere
    }

    /// Apple's name of the environment.
    package var environment: String { isSandbox ? "Sandbox" : "Production" }

    package var isRefused: Bool { refusedSince != nil }

    /// Apple takes it, as far as its newest answer told.
    package var isAccepted: Bool { acceptedAt != nil && refusedSince == nil }
}

/// Whether a key may be used for a call now.
package enum KeyGate: Hashable, Sendable {
    case open
    /// Not before this moment: Apple refused the key, or somebody is just finding out.
    case closed(until: Moment)
}

extension KeyStanding {
    init(_ row: Row) throws(PostgresError) {
        let environment: String = try row("environment")
        let isSandbox = environment == "Sandbox"
        let refusals: Int32 = try row("refusals")
        let offset: Int64? = try row("clock_offset_ms")
        self.init(
            key: SigningKeyID(rawValue: try row("signing_key_id")), isSandbox: isSandbox,
            acceptedAt: try row("accepted_at"), refusedSince: try row("refused_since"),
            pausedUntil: try row("paused_until"), refusals: Int(refusals),
            clockOffset: offset.map { .milliseconds($0) }, usedAt: try row("used_at"),
            refusedAt: try row("refused_at"))
    }
}
