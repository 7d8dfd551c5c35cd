import AppStore
package import FoundationEssentials
import Postgres
import Queue
package import Tenants
package import Time

/// A request that waits for a person.
package struct HeldCase: Sendable, Identifiable {
    /// The case.
    package let id: UUID
    package let line: CaseLine
    package let appName: String
    package let isRehearsal: Bool
    package let requestedAt: Moment
    /// When what was prepared goes out by itself.
    package let until: Moment
    package let deadline: Moment
    package let decision: Decision?
}

extension DecidingDesk {
    /// Requests that a page lists.
    package static let heldMax = 200

    /// What waits for a person, soonest deadline first.
    ///
    /// - Parameter assignment: only what somebody looks after, or nobody; nil: all of it.
    package func held(of tenant: TenantID, assignment: CaseFilter.Assignment? = nil) async throws -> [HeldCase] {
        let whose: SQL =
            switch assignment {
            case nil: ""
            case .nobody: "and c.assignee is null"
            case .person(let id): "and c.assignee = \(id)"
            }
        return try await held(of: tenant, whose)
    }

    private func held(of tenant: TenantID, _ whose: SQL) async throws -> [HeldCase] {
        try await database.transaction(tenant.scope, isolation: .readOnly) { tx in
            try await tx.rows(
                """
                select \(CaseQueries.columns), p.name as app_name, p.rehearsal, r.requested_at as asked_at,
                  r.hold_until, r.deadline as ends_at, r.decision
                from (
                  select r.case_id, r.requested_at, r.hold_until, r.deadline, r.decision
                  from refunds.rounds r
                  join refunds.cases c on c.tenant_id = r.tenant_id and c.case_id = r.case_id
                  where r.tenant_id = \(tenant.rawValue) and r.state = 'held' \(whose)
                  order by r.deadline, r.case_id
                  limit \(Self.heldMax)) r
                join refunds.cases c on c.tenant_id = \(tenant.rawValue) and c.case_id = r.case_id
                join tenants.apps p on p.tenant_id = c.tenant_id and p.app_id = c.app_id
                order by r.deadline, c.case_id
                """
            ).map { row in
                let line = try CaseLine(row)
                let decision: String? = try row("decision")
                return HeldCase(
                    id: line.id, line: line, appName: try row("app_name"), isRehearsal: try row("rehearsal"),
                    requestedAt: try row("asked_at"), until: try row("hold_until"), deadline: try row("ends_at"),
                    decision: decision.flatMap(Decision.init(json:)))
            }
        }
    }

    /// Takes what a person decides about the request of a case that waits; the reply goes out at once. Audited.
    ///
    /// - Parameters:
    ///   - app: where only this app's cases may be answered: another's waits for nobody.
    ///   - round: the request that whoever answers had before their eyes; nil: whichever waits.
    ///   - role: of the person; a token with its scope counts as support.
    /// - Throws: `Refused`: `field` for what breaks a rule of Apple's, `answered` where somebody was quicker, `askedAgain`
    ///   where Apple asked again since.
    package func answer(
        _ id: UUID, of tenant: TenantID, app only: AppID? = nil, round asked: UUID? = nil, _ answer: HeldAnswer,
        role: Tenants.Role, address: String?
    ) async throws {
        guard role >= .support else { throw Refused.forbidden }
        let reason = answer.reason.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        guard !Text.isBlank(reason) else { throw Refused.field("reason", "Say why: it stays with the case.") }
        guard Text.isKept(reason, bytesMax: 1000) else {
            throw Refused.field("reason", "The reason has at most 1,000 bytes.")
        }
        guard Text.isPlain(reason) else { throw Refused.field("reason", "The reason \(Text.notPlain).") }
        // What the tenant's server calls somebody; a member's own name is another room's.
        guard answer.token == nil || Text.isPlain(answer.name) else {
            throw Refused.field("answeredBy", "The name \(Text.notPlain).")
        }
        if let share = answer.consumptionPercentage, !(0...100_000).contains(share) {
            throw Refused.field("use", "The use lies between 0 and 100 percent.")
        }
        try await database.transaction(tenant.scope) { tx in
            let now = clock.now
            guard let actor = answer.actor, var locked = try await CaseStore.lock(id, tenant: tenant, in: tx),
                only == nil || locked.app == only, let round = locked.value.newestRound,
                let app = try await TenantStore.app(of: tenant, id: locked.app, in: tx),
                let transaction = try await TransactionStore.find(
                    locked.transactionID, environment: locked.environment, app: locked.app, tenant: tenant, in: tx)
            else { throw Refused.answered(by: nil, state: .missed) }
            let state = locked.value.standing(of: round, at: now).state
            if let asked, asked != round.id {
                guard locked.round(asked) != nil else {
                    throw Refused.field("round", "The case has no such request.")
                }
                throw Refused.askedAgain(state: state)
            }
            guard state == .held, round.answer == nil else {
                throw Refused.answered(by: round.answer?.name, state: state)
            }
            var said = answer
            said.reason = reason
            // The decision that stands is the one that asked; the answer's own takes its place.
            let decided = try await tx.row(
                """
                select decided_at
                from refunds.rounds
                where tenant_id = \(tenant.rawValue) and case_id = \(id) and round_id = \(round.id)
                  and decided_at is not null
                """)
            if let decided {
                let askedAt: Moment = try decided("decided_at")
                said.askedAt = askedAt.milliseconds
            }
            let known = try await FactsReader.read(transaction, locked, round, app, at: now, in: tx)
            try Self.check(said, known.facts)
            let act = try CaseStore.answering(said, about: round.id, in: &locked, at: now)
            try await CaseStore.save(&locked, after: [act], at: now, in: tx)
            // The job that waits for the end of the hold has nothing to wait for any more.
            try await ReplySubject(case: id, round: round.id).hurry(tenant: tenant, in: tx)
            try await Audit.write(
                AuditEntry(
                    tenant: tenant, at: now, actor: actor, address: address,
                    action: "case.answered", subject: "case \(id.text)",
                    detail: ["choice": .text(said.choice.rawValue)]), in: tx)
        }
        bell.ring()
    }

    /// What Apple would refuse is said before it is sent.
    private static func check(_ answer: HeldAnswer, _ facts: PurchaseFacts) throws {
        let facts = answer.adding(to: facts)
        let decision = answer.deciding(Decision(row: 0, situation: "", saw: []))
        guard decision.withheld == nil else { return }
        guard facts.effectiveDelivery != nil else {
            throw Refused.field("delivery", "Nobody reported whether it was delivered: say so here, or send nothing.")
        }
        do { _ = try ConsumptionReply(decision, for: facts) } catch {
            let field =
                switch error {
                case .percentageOutOfRange, .percentageForAutoRenewable, .undeliveredNeedsZero: "use"
                case .proratedNeedsUseInPart, .undeliveredCannotBeProrated: "choice"
                case .notConsented, .familyShared, .advancedCommerceNeedsV1, .ordinaryPurchaseNeedsV2: "choice"
                }
            throw Refused.field(field, "Apple's rule: \(error.text).")
        }
    }
}
