import Tenants
package import Time

/// The steps of the onboarding page.
package enum OnboardingStep: String, Sendable, CaseIterable {
    case app, key, probe, url, consent, evidence, paging
}

/// One line of the readiness list.
package struct ReadinessItem: Sendable, Hashable {
    package enum State: String, Sendable {
        case done, todo, trouble
    }

    package let step: OnboardingStep
    package let state: State
    /// One sentence, or two.
    package let text: String

    package init(step: OnboardingStep, state: State, text: String) {
        self.step = step
        self.state = state
        self.text = text
    }
}

/// What an app still needs before its first request is answered. Pure.
package enum Readiness {
    /// In the order of the steps; one line each. Who is paged is the tenant's matter, and stands in its own step.
    package static func items(of facts: OnboardingFacts, at now: Moment) -> [ReadinessItem] {
        [app(facts, at: now), key(facts), probe(facts), url(facts, at: now), consent(facts), evidence(facts)]
    }

    private static func app(_ facts: OnboardingFacts, at now: Moment) -> ReadinessItem {
        if let stray = StrayEnvironment(of: facts.app, heard: facts.heardAt, at: now) {
            return ReadinessItem(
                step: .app, state: .trouble,
                text: "Notifications arrive from \(stray.environment.rawValue), without which the app is set up.")
        }
        if let other = facts.sameAppleID, let id = facts.app.appleID {
            return ReadinessItem(
                step: .app, state: .trouble,
                text: facts.isAppleIDProven
                    ? "\(other) has the same Apple ID \(id), which is this app's: correct it there."
                    : "\(other) has the same Apple ID \(id): one of the two is wrong.")
        }
        return ReadinessItem(step: .app, state: .done, text: "\(facts.app.bundleID) is set up.")
    }

    private static func key(_ facts: OnboardingFacts) -> ReadinessItem {
        guard let newest = facts.keys.first else {
            return ReadinessItem(step: .key, state: .todo, text: "Add the In-App Purchase key.")
        }
        guard newest.opens else {
            return ReadinessItem(
                step: .key, state: .trouble,
                text: "The key \(newest.key.keyID) does not open with the configured master key.")
        }
        let standIns = Set(facts.standIns.all.map(\.value)).sorted().joined(separator: " and ")
        return ReadinessItem(
            step: .key, state: .done,
            text: standIns.isEmpty
                ? "The key \(newest.key.keyID) signs."
                : "The key \(newest.key.keyID) is there; \(standIns) signs meanwhile.")
    }

    private static func environments(_ facts: OnboardingFacts) -> [Bool] {
        let wanted = [false, true].filter { facts.wants(isSandbox: $0) }
        // One simulator stands behind both of a rehearsal.
        return facts.app.isRehearsal ? Array(wanted.prefix(1)) : wanted
    }

    private static func probe(_ facts: OnboardingFacts) -> ReadinessItem {
        func item(_ state: ReadinessItem.State, _ text: String) -> ReadinessItem {
            ReadinessItem(step: .probe, state: state, text: text)
        }
        let asked = facts.app.isRehearsal ? "The simulator" : "Apple"
        guard !facts.keys.isEmpty else {
            return item(
                .todo,
                facts.app.isRehearsal ? "Try the key, once there is one." : "Try the key at Apple, once there is one.")
        }
        let probes = environments(facts).map { (name($0, facts), facts.trial(isSandbox: $0)) }
        let refused = probes.filter { $0.1?.result == .refused }.map(\.0)
        if !refused.isEmpty {
            let isOnlyProduction = refused == ["Production"] && facts.trial(isSandbox: true)?.result == .accepted
            if facts.app.isRehearsal { return item(.trouble, "The simulator refuses the key.") }
            return item(
                .trouble,
                isOnlyProduction
                    ? "Apple refuses Production and accepts Sandbox: most likely the app is not on sale yet."
                    : "Apple refuses the key in \(list(refused)).")
        }
        let missing = probes.filter { $0.1 == nil }.map(\.0)
        if !missing.isEmpty {
            let meanwhile = Set(facts.standIns.all.map(\.value)).sorted().joined(separator: " and ")
            return item(
                .todo,
                "Try the key against \(list(missing))."
                    + (meanwhile.isEmpty ? "" : " Until it is accepted, \(meanwhile) signs."))
        }
        let unclear = probes.filter { $0.1?.result != .accepted }.map(\.0)
        if !unclear.isEmpty {
            return item(.trouble, "Nothing is known yet of the key in \(list(unclear)): try it again.")
        }
        return item(.done, "\(asked) accepts the key in \(list(probes.map(\.0))).")
    }

    private static func url(_ facts: OnboardingFacts, at now: Moment) -> ReadinessItem {
        func item(_ state: ReadinessItem.State, _ text: String) -> ReadinessItem {
            ReadinessItem(step: .url, state: state, text: text)
        }
        if facts.isVersionOne {
            return item(
                .trouble,
                "Version 1 notifications arrive, which are not signed and cannot be used: choose version 2 in App Store Connect, for Production and for Sandbox."
            )
        }
        if let refused = facts.refused, refused.appleID != nil, let words = RefusedWords(refused, of: facts.app) {
            return item(.trouble, words.summary)
        }
        guard facts.inboxes > 0 else { return item(.todo, "Make the URL for notifications.") }
        let isAnyHeard = !facts.heard.all.isEmpty
        let silent = environments(facts).filter {
            facts.app.isRehearsal ? !isAnyHeard : facts.heard[isSandbox: $0] == nil
        }
        guard !silent.isEmpty else {
            return item(.done, "Notifications arrive from \(list(environments(facts).map { name($0, facts) })).")
        }
        if let refused = facts.refused, let words = RefusedWords(refused, of: facts.app) {
            return item(.trouble, words.summary)
        }
        for isSandbox in silent {
            if let test = facts.tests[isSandbox: isSandbox] {
                let words = TestWords(test, at: now, isRehearsal: facts.app.isRehearsal)
                if words.state == .trouble { return item(.trouble, words.summary) }
            }
        }
        return item(
            .todo,
            facts.app.isRehearsal
                ? "No notification has arrived: give the URL to the simulator and send a test."
                : "No notification has arrived from \(list(silent.map { name($0, facts) })): enter the URL in App Store Connect and send a test."
        )
    }

    private static func consent(_ facts: OnboardingFacts) -> ReadinessItem {
        switch facts.app.consent {
        case .allFrom(let moment, _):
            ReadinessItem(
                step: .consent, state: .done,
                text:
                    "Everybody who bought since \(ProbeVerdict.day(moment)) agreed; nobody who bought earlier is spoken of."
            )
        case .perCustomer where facts.hasConsent:
            ReadinessItem(step: .consent, state: .done, text: "Customers' consent is reported one by one.")
        case .perCustomer:
            ReadinessItem(
                step: .consent, state: .todo,
                text: "No customer has agreed yet: until one has, nobody's request is answered.")
        }
    }

    private static func evidence(_ facts: OnboardingFacts) -> ReadinessItem {
        if facts.hasUsage {
            return ReadinessItem(step: .evidence, state: .done, text: "Delivery and use are reported.")
        }
        switch facts.app.unreportedDelivery {
        case .delivered:
            return ReadinessItem(
                step: .evidence, state: .done, text: "Where nothing is reported, replies say that it was delivered.")
        case .withhold:
            return ReadinessItem(
                step: .evidence, state: .todo,
                text: "Nothing was ever reported, and requests without a report are not answered.")
        }
    }

    private static func name(_ isSandbox: Bool, _ facts: OnboardingFacts) -> String {
        facts.app.environmentLabel(isSandbox ? .sandbox : .production)
    }

    private static func list(_ names: [String]) -> String { names.joined(separator: " and ") }
}
