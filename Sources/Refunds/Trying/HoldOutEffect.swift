import Postgres
import Tenants
package import Time

/// What a preference does: cases of which Apple was told it beside those from which the lot kept it back.
package struct HoldOutEffect: Sendable {
    package struct Line: Sendable {
        /// What the rules say of these cases.
        package let preference: Decision.Answer
        /// Refunded, of those that were told.
        package let told: ShareDifference.Share
        /// Refunded, of those that were not.
        package let heldOut: ShareDifference.Share

        package init(preference: Decision.Answer, told: ShareDifference.Share, heldOut: ShareDifference.Share) {
            self.preference = preference
            self.told = told
            self.heldOut = heldOut
        }

        /// Nil: not enough cases yet.
        package var difference: ShareDifference? {
            told.of >= HoldOutEffect.casesMin && heldOut.of >= HoldOutEffect.casesMin
                ? ShareDifference(told, heldOut) : nil
        }
    }

    /// In a hundred; 0: off.
    package let share: Int
    package let changedAt: Moment?
    package let lines: [Line]
    package let isCutOff: Bool

    package init(share: Int, changedAt: Moment?, lines: [Line], isCutOff: Bool) {
        self.share = share
        self.changedAt = changedAt
        self.lines = lines
        self.isCutOff = isCutOff
    }

    /// So many of each kind must be there before a share is told.
    package static let casesMin = 30
    /// After that a case without a decision counts as one that was not refunded.
    static let patience: Duration = .days(14)
    static let casesMax = 50_000
}

extension HoldOutEffect {
    static func read(of app: App, at now: Moment, in tx: Transaction) async throws -> HoldOutEffect {
        let parts = try await tx.pipeline([
            HoldOut.share(of: app.id, tenant: app.tenant),
            """
            select d.answer, d.held_out, count(*) as cases, count(*) filter (where c.outcome = 'refunded') as refunded
            from (
              select tenant_id, case_id, answer, held_out
              from refunds.decisions
              where tenant_id = \(app.tenant.rawValue) and app_id = \(app.id.rawValue) and held_out is not null
                and environment = any(\(DecisionStore.environments(of: app)))
              order by requested_at desc, case_id desc
              limit \(casesMax)) d
            join refunds.cases c on c.tenant_id = d.tenant_id and c.case_id = d.case_id
            where c.state = 'answered' and (c.outcome <> 'pending' or c.deadline < \(now - patience))
            group by d.answer, d.held_out
            order by d.answer
            """,
        ])
        var told: [Decision.Answer: ShareDifference.Share] = [:]
        var heldOut: [Decision.Answer: ShareDifference.Share] = [:]
        for row in parts[1] {
            let answer: Decision.Answer = try row.word("answer")
            let share = ShareDifference.Share(hits: try row("refunded"), of: try row("cases"))
            if try row("held_out") { heldOut[answer] = share } else { told[answer] = share }
        }
        let none = ShareDifference.Share(hits: 0, of: 0)
        let lines = Decision.Answer.allCases.filter { told[$0] != nil || heldOut[$0] != nil }.map {
            Line(preference: $0, told: told[$0] ?? none, heldOut: heldOut[$0] ?? none)
        }
        return HoldOutEffect(
            share: try parts[0].first.map { try $0("share") } ?? 0,
            changedAt: try parts[0].first.map { try $0("changed_at") }, lines: lines,
            isCutOff: lines.reduce(0) { $0 + $1.told.of + $1.heldOut.of } >= casesMax)
    }
}
