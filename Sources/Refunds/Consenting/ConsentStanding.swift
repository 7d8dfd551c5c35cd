package import Time

/// Whether a customer's agreement covers one request, and on what that rests.
///
/// Consent counts when it was given before the request was signed and not withdrawn since. One that
/// was given after the request counts for the next.
package enum ConsentStanding: Sendable, Hashable {
    /// The customer agreed; the change of the ledger that says so.
    case given(at: Moment, changeNo: Int64)
    /// Everybody who bought from a date on agreed, under a wording that is kept.
    case allFrom(Moment)
    /// Nobody said anything.
    case missing
    /// Agreed only after the request was signed.
    case tooLate(givenAt: Moment)
    /// Agreed once, and then not any more; or declined.
    case withdrawn(at: Moment)
    /// Apple told that a parent withdrew it, and no person has let replies go on.
    case rescinded(at: Moment)
    /// The app's server, asked about this request, said of consent what cannot be read.
    case unclear(at: Moment)

    package var stands: Bool {
        switch self {
        case .given, .allFrom: true
        case .missing, .tooLate, .withdrawn, .rescinded, .unclear: false
        }
    }

    /// The change of the ledger that a reply relies on.
    package var changeNo: Int64? {
        if case .given(_, let changeNo) = self { changeNo } else { nil }
    }

    /// For people.
    package var text: String {
        switch self {
        case .given: "given by the customer"
        case .allFrom: "given by everybody who bought since then, by the app's setting"
        case .missing: "never recorded"
        case .tooLate: "given only after the request was signed"
        case .withdrawn: "withdrawn"
        case .rescinded: "withdrawn by a parent, as Apple told"
        case .unclear: "not known: what the app's server answered of it cannot be read"
        }
    }

    package var at: Moment? {
        switch self {
        case .given(let at, _), .allFrom(let at), .tooLate(let at), .withdrawn(let at), .rescinded(let at),
            .unclear(let at):
            at
        case .missing: nil
        }
    }
}

/// One report about consent, as kept for ever.
package struct ConsentChange: Sendable, Hashable {
    package let changeNo: Int64
    package let consented: Bool
    package let givenAt: Moment
    package let learnedAt: Moment
    package let wording: String?
    package let source: String?
    /// Whether the wording's text is kept; nil where it was not looked for, or none is named.
    package var isWordingKept: Bool?

    package init(
        changeNo: Int64, consented: Bool, givenAt: Moment, learnedAt: Moment, wording: String? = nil,
        source: String? = nil, isWordingKept: Bool? = nil
    ) {
        self.isWordingKept = isWordingKept
        self.changeNo = changeNo
        self.consented = consented
        self.givenAt = givenAt
        self.learnedAt = learnedAt
        self.wording = wording
        self.source = source
    }
}

extension ConsentStanding {
    /// How a history stands towards a request signed at `signedAt`, in whatever order it was learned.
    ///
    /// - Parameter allFrom: the moment since which everybody who buys agrees; the buyer's own words
    ///   go before it.
    /// - Parameter boughtAt: when the customer bought, for `allFrom`; a renewal is no purchase.
    package static func of(
        _ changes: some Sequence<ConsentChange>, signedAt: Moment, allFrom: Moment? = nil, boughtAt: Moment? = nil
    ) -> ConsentStanding {
        // The newest by the customer's own time; at a tie the withdrawal.
        let ordered = changes.sorted { a, b in
            if a.givenAt != b.givenAt { return a.givenAt < b.givenAt }
            if a.consented != b.consented { return a.consented }
            return a.changeNo < b.changeNo
        }
        let before = ordered.last { $0.givenAt < signedAt }
        let general: Moment? =
            if let allFrom, let boughtAt, boughtAt >= allFrom, boughtAt < signedAt { allFrom } else { nil }
        // A withdrawal counts from the moment it is known, whenever the request was signed.
        if let withdrawal = ordered.last(where: { !$0.consented && $0.givenAt >= (before?.givenAt ?? signedAt) }) {
            return .withdrawn(at: withdrawal.givenAt)
        }
        if let before { return .given(at: before.givenAt, changeNo: before.changeNo) }
        if let general { return .allFrom(general) }
        if let after = ordered.first { return .tooLate(givenAt: after.givenAt) }
        return .missing
    }
}

extension ConsentStanding {
    /// How consent stands for a request about which the app's server objected when it was asked.
    ///
    /// - Parameters:
    ///   - at: when it said so. Consent that was reported later goes before it.
    ///   - changes: what the ledger holds.
    func facing(_ objection: ConsentObjection, at: Moment, _ changes: [ConsentChange]) -> ConsentStanding {
        guard stands, !changes.contains(where: { $0.consented && $0.learnedAt > at }) else { return self }
        return switch objection {
        case .withdrawn: .withdrawn(at: at)
        case .unreadable: .unclear(at: at)
        }
    }
}
