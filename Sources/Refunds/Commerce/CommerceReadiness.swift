package import Tenants
package import Time

/// Whether an app can ask Apple for refunds: approval, addendum and queue in one value. Pure.
package struct CommerceReadiness: Sendable, Hashable {
    /// One environment in which the app uses Advanced Commerce.
    package struct Line: Sendable, Hashable {
        package let environment: AppEnvironment
        package let access: CommerceAccess
        /// Requests that wait for their turn or are being sent.
        package let waiting: Int
        /// The newest of the last calls that Apple refused.
        package let refusedAt: Moment?

        package init(environment: AppEnvironment, access: CommerceAccess, waiting: Int = 0, refusedAt: Moment? = nil) {
            self.environment = environment
            self.access = access
            self.waiting = waiting
            self.refusedAt = refusedAt
        }
    }

    package let app: AppID
    /// Production first; none where nothing was sold or asked for through Advanced Commerce and nobody has said anything.
    package var lines: [Line]

    package init(app: AppID, lines: [Line] = []) {
        self.app = app
        self.lines = lines
    }

    package var isUsed: Bool { !lines.isEmpty }

    /// The worst of the lines; done where there is none.
    package var state: ReadinessItem.State {
        if lines.contains(where: { $0.state == .trouble }) { return .trouble }
        return lines.contains { $0.state == .todo } ? .todo : .done
    }

    /// A sentence for each environment.
    package var text: String {
        isUsed
            ? lines.map { "\($0.environment.rawValue): \($0.text)" }.joined(separator: " ")
            : "Nothing was sold through Advanced Commerce."
    }
}

extension CommerceReadiness.Line {
    package var state: ReadinessItem.State {
        if access.isStopped || access.addendum == .refused || isUnapproved { return .trouble }
        return access.addendum == .accepted && access.approvedAs != nil ? .done : .todo
    }

    /// Calls fail, and nobody has said that Apple approved the app.
    package var isUnapproved: Bool { access.approvedAs == nil && refusedAt != nil && access.addendum != .accepted }

    package var text: String {
        if let since = access.stoppedAt {
            let said = access.refusal.map { ": Apple refused a call with \($0.words)" } ?? ""
            return
                "The queue is stopped since \(since.iso8601), \(waiting) waiting\(said). Perhaps the Account Holder has not accepted the newest addendum: have it checked, then let the queue go on."
        }
        if access.addendum == .refused {
            let said = access.refusal.map { " with \($0.words) at \($0.at.iso8601)" } ?? ""
            return "Apple refused a call\(said), and none has gone through since: perhaps the addendum is not accepted."
        }
        if isUnapproved, let refusedAt {
            return
                "Calls are refused, the last at \(refusedAt.iso8601), and nobody has said that Apple approved the app for Advanced Commerce."
        }
        if access.addendum == .unknown {
            return "No call has gone through yet: have it checked whether the Account Holder has accepted the addendum."
        }
        let through = access.wentThroughAt.map { "; the last call went through at \($0.iso8601)" } ?? ""
        guard let approved = access.approvedAs else {
            return "The addendum is accepted\(through). Say as what Apple approved the app."
        }
        return "Approved (\(approved.rawValue)), addendum accepted\(through)."
    }
}

extension CommerceAccess.Refusal {
    /// `403, code 4039999`
    fileprivate var words: String { code.map { "\(status), code \($0)" } ?? "\(status)" }
}
