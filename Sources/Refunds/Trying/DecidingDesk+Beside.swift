package import FoundationEssentials
import Postgres
package import Tenants

/// What stands beside a case's own story: what is fixed for its customer, and what a draft says of it.
package struct CaseBeside: Sendable {
    package struct Draft: Sendable, Hashable {
        /// The number of the draft.
        package let number: Int
        package let answer: Decision.Answer
        /// By which rule of the draft, from 1.
        package let rule: Int
        /// It would have asked a person first.
        package let asks: Bool
        /// What the rules that decide said, or the person who was asked.
        package let live: Decision.Answer

        package init(number: Int, answer: Decision.Answer, rule: Int, asks: Bool, live: Decision.Answer) {
            self.number = number
            self.answer = answer
            self.rule = rule
            self.asks = asks
            self.live = live
        }
    }

    package let override: CustomerOverride?
    package let draft: Draft?

    package init(override: CustomerOverride? = nil, draft: Draft? = nil) {
        self.override = override
        self.draft = draft
    }
}

extension DecidingDesk {
    package func beside(_ id: UUID, customer: String?, app: AppID, of tenant: TenantID) async throws -> CaseBeside {
        try await database.transaction(tenant.scope, isolation: .readOnly) { tx in
            let parts = try await tx.pipeline([
                OverrideStore.find(customer.map(ConsentLedger.Key.spelled), of: app, tenant: tenant),
                """
                select shadow_no, shadow_answer, shadow_rule, shadow_asks, answer
                from refunds.decisions
                where tenant_id = \(tenant.rawValue) and case_id = \(id) and shadow_no is not null
                """,
            ])
            return CaseBeside(
                override: try parts[0].first.flatMap { try CustomerOverride($0) },
                draft: try parts[1].first.map { row in
                    let (number, rule): (Int32, Int32) = (try row("shadow_no"), try row("shadow_rule"))
                    return CaseBeside.Draft(
                        number: Int(number), answer: try row.word("shadow_answer"), rule: Int(rule),
                        asks: try row("shadow_asks"), live: try row.word("answer"))
                })
        }
    }
}
