import Tenants
package import Time

/// What the newest answer of Apple's says of the key that signs now, in one environment.
package struct KeyTrial: Sendable, Hashable {
    package enum Source: Sendable, Hashable {
        /// A person's try.
        case probe
        /// A reply of this app.
        case call
    }

    package let at: Moment
    package let result: Probe.Result
    package let source: Source

    package init(at: Moment, result: Probe.Result, source: Source) {
        self.at = at
        self.result = result
        self.source = source
    }
}

/// The newest reply of an app that told something of the key it was signed with.
package struct KeyCall: Sendable, Hashable {
    package let at: Moment
    /// Whether Apple believed the token: any answer but a 401 shows it.
    package let isAccepted: Bool

    package init(at: Moment, isAccepted: Bool) {
        self.at = at
        self.isAccepted = isAccepted
    }
}

extension OnboardingFacts {
    /// The newest of try and reply; a try that told nothing of the key does not hide what was told before.
    package func trial(isSandbox: Bool) -> KeyTrial? {
        guard let key = keys.first else { return nil }
        let call = calls[isSandbox: isSandbox].map {
            KeyTrial(at: $0.at, result: $0.isAccepted ? .accepted : .refused, source: .call)
        }
        // A try of an older key says nothing about this one.
        let probe = probes[isSandbox: isSandbox].flatMap { probe in
            probe.key == key.key.id ? KeyTrial(at: probe.at, result: probe.result, source: .probe) : nil
        }
        guard let call, let probe else { return call ?? probe }
        return isTelling(isSandbox) && probe.at >= call.at ? probe : call
    }

    private func isTelling(_ isSandbox: Bool) -> Bool { probes[isSandbox: isSandbox]?.isTelling == true }

    /// Sorts the stored tries of the key that is to be tried: what told something, else what told nothing; and what told
    /// nothing since.
    mutating func take(_ tries: [Probe]) {
        guard let key = keys.first?.key.id else { return }
        for isSandbox in [false, true] {
            let own = tries.filter { $0.key == key && $0.isSandbox == isSandbox }
            let told = own.first(where: \.isTelling)
            let trouble = own.first { !$0.isTelling }
            probes[isSandbox: isSandbox] = told ?? trouble
            troubles[isSandbox: isSandbox] = told.flatMap { told in trouble.flatMap { $0.at > told.at ? $0 : nil } }
        }
    }
}
