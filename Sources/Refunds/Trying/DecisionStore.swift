import AppStore
import FoundationEssentials
import Postgres
import Tenants
import Time

/// What was known when rules decided about a case, and what they said: one row for each case, the newest decision's.
enum DecisionStore {
    /// The statement beside the one that keeps a decision with its round.
    ///
    /// Where no rule was asked nothing stands: no policy would have changed that.
    ///
    /// - Parameter shadow: the rule of the draft that runs beside which would have decided, and the draft's number.
    static func keeping(
        _ decision: Decision, of round: Round, _ known: FactsReader.Known, shadow: (number: Int, rule: PolicyRule)?,
        facts: PurchaseFacts, in locked: LockedCase, at now: Moment
    ) -> SQL {
        guard let rule = decision.row else {
            return """
                delete from refunds.decisions
                where tenant_id = \(locked.tenant.rawValue) and case_id = \(locked.id)
                  and requested_at <= \(round.window.signedAt)
                """
        }
        // A lot says something only where the rules alone spoke, and had a preference.
        let spoke = decision.hold == nil && round.answer == nil
        let heldOut: Bool? =
            switch facts.isHeldOut {
            case true? where decision.heldOut != nil: true
            case false? where spoke && decision.preference != nil: false
            default: nil
            }
        return insert(
            Kept(
                caseID: locked.id, app: locked.app, tenant: locked.tenant, environment: locked.environment,
                round: round.id, requestedAt: round.window.signedAt, decidedAt: now, facts: facts, rule: rule,
                policyVersion: decision.policyVersion, answer: decision.asked, heldOut: heldOut, shadow: shadow))
    }

    /// A row, for whoever writes one.
    struct Kept: Sendable {
        let caseID: UUID
        let app: AppID
        let tenant: TenantID
        let environment: Environment
        let round: UUID
        let requestedAt: Moment
        let decidedAt: Moment
        let facts: PurchaseFacts
        let rule: Int
        let policyVersion: Int?
        let answer: Decision.Answer
        let heldOut: Bool?
        let shadow: (number: Int, rule: PolicyRule)?
    }

    static func insert(_ kept: Kept) -> SQL {
        """
        insert into refunds.decisions as d
          (tenant_id, case_id, app_id, environment, round_id, requested_at, decided_at, facts, share, rule,
           policy_version, answer, held_out, shadow_no, shadow_rule, shadow_answer, shadow_asks)
        values (\(kept.tenant.rawValue), \(kept.caseID), \(kept.app.rawValue), \(kept.environment.rawValue),
          \(kept.round), \(kept.requestedAt), \(kept.decidedAt), \(DecisionFacts.text(kept.facts)),
          \(kept.facts.share.map { Int32(clamping: $0.value) }), \(Int32(clamping: kept.rule)),
          \(kept.policyVersion.map { Int32(clamping: $0) }), \(kept.answer.rawValue), \(kept.heldOut),
          \(kept.shadow.map { Int32(clamping: $0.number) }), \(kept.shadow.map { Int32(clamping: $0.rule.number) }),
          \(kept.shadow?.rule.action.answer.rawValue), \(kept.shadow?.rule.action.holds ?? false))
        on conflict (tenant_id, case_id) do update
          set round_id = excluded.round_id, requested_at = excluded.requested_at, decided_at = excluded.decided_at,
            facts = excluded.facts, share = excluded.share, rule = excluded.rule,
            policy_version = excluded.policy_version, answer = excluded.answer, held_out = excluded.held_out,
            shadow_no = excluded.shadow_no, shadow_rule = excluded.shadow_rule,
            shadow_answer = excluded.shadow_answer, shadow_asks = excluded.shadow_asks
          where excluded.requested_at >= d.requested_at
        """
    }

    /// Whether an app's money is counted in Production, in Sandbox, or in both.
    static func environments(of app: App) -> [String] {
        if app.isRehearsal { return Environment.allCases.map(\.rawValue) }
        return [app.environments.contains(.production) ? Environment.production.rawValue : Environment.sandbox.rawValue]
    }

    /// Decisions of an app, newest first, from behind a place on.
    ///
    /// - Parameter until: what was asked for later is not among them.
    static func page(
        of app: App, until: Moment, after: ListCursor?, limit: Int
    ) -> SQL {
        let from = after ?? .newest
        return """
            select d.case_id, d.requested_at, d.facts, d.answer, c.outcome
            from (
              select tenant_id, case_id, requested_at, facts, answer
              from refunds.decisions
              where tenant_id = \(app.tenant.rawValue) and app_id = \(app.id.rawValue)
                and environment = any(\(environments(of: app))) and requested_at <= \(until)
                and (requested_at, case_id) < (\(from.at)::timestamptz, \(from.id)::uuid)
              order by requested_at desc, case_id desc
              limit \(limit)) d
            join refunds.cases c on c.tenant_id = d.tenant_id and c.case_id = d.case_id
            order by d.requested_at desc, d.case_id desc
            """
    }

    static func count(of app: App, until: Moment) -> SQL {
        """
        select count(*) as cases
        from refunds.decisions
        where tenant_id = \(app.tenant.rawValue) and app_id = \(app.id.rawValue)
          and environment = any(\(environments(of: app))) and requested_at <= \(until)
        """
    }
}
