import Journal
import Synchronization
import Tenants

/// Policies that were read once: a version never changes.
final class PolicyShelf: Sendable {
    private struct Key: Hashable {
        let app: AppID
        let version: Int
    }

    /// More than an installation has apps is not kept.
    private static let countMax = 1000
    private let read = Mutex<[Key: Policy]>([:])
    private let journal: Journal

    init(journal: Journal) { self.journal = journal }

    /// What a draft says that runs beside; nil where this release cannot read it.
    func policy(_ shadow: Shadow, of app: AppID) -> Policy? {
        // Drafts are numbered by themselves.
        let key = Key(app: app, version: -shadow.number)
        if let known = read.withLock({ $0[key] }) { return known }
        guard case .success(let policy) = PolicyText.read(shadow.text) else { return nil }
        keep(policy, key)
        return policy
    }

    private func keep(_ policy: Policy, _ key: Key) {
        read.withLock { shelf in
            if shelf.count >= Self.countMax { shelf.removeAll() }
            shelf[key] = policy
        }
    }

    /// The policy of a version; what is answered without one where there is none.
    func policy(_ version: PolicyVersion?, of app: AppID) -> Policy {
        guard let version else { return .standard }
        let key = Key(app: app, version: version.number)
        if let known = read.withLock({ $0[key] }) { return known }
        switch PolicyText.read(version.text) {
        case .success(let policy):
            keep(policy, key)
            return policy
        case .failure(let troubles):
            // Written by a newer release that knows more. Facts alone are true under every policy.
            journal.error(
                "a policy cannot be read by this release; facts go out without a preference",
                [
                    "app": .init(app.rawValue), "version": .init(version.number),
                    "why": .string(troubles.all.first?.text ?? ""),
                ])
            return Policy(template: .observe)
        }
    }
}
