package import FoundationEssentials
import Postgres
import Tenants
package import Time

/// How a draft that runs beside compares with what went out.
package struct ShadowComparison: Sendable {
    /// Cases that both decided the same way, or not.
    package struct Line: Sendable {
        /// What went out, or was to.
        package let live: Decision.Answer
        package let draft: Decision.Answer
        package let outcome: CaseOutcome
        package let cases: Int
    }

    /// One case that the draft would have answered otherwise.
    package struct Difference: Sendable, Identifiable {
        package let id: UUID
        package let productID: String
        package let live: Decision.Answer
        package let draft: Decision.Answer
        package let rule: Int
        /// The draft would have asked a person.
        package let asks: Bool
        package let price: Int64?
        package let currency: String?
        package let outcome: CaseOutcome
        package let requestedAt: Moment
    }

    package let lines: [Line]
    /// The price of all that differs, in milliunits by currency.
    package let money: [String: Int64]
    /// The newest of those that differ.
    package let differences: [Difference]
    /// Older cases were not counted.
    package let isCutOff: Bool

    package var cases: Int { lines.reduce(0) { $0 + $1.cases } }
    package var agreeing: Int { lines.filter { $0.live == $0.draft }.reduce(0) { $0 + $1.cases } }

    /// Cases that a comparison counts, the newest ones, and differences that it lists.
    static let casesMax = 20_000
    static let differencesMax = 50
}

extension ShadowComparison {
    private static func decided(by shadow: Shadow, of app: App) -> SQL {
        """
        select tenant_id, case_id, requested_at, answer, shadow_answer, shadow_rule, shadow_asks
        from refunds.decisions
        where tenant_id = \(app.tenant.rawValue) and app_id = \(app.id.rawValue)
          and shadow_no = \(Int32(clamping: shadow.number)) and environment = any(\(DecisionStore.environments(of: app)))
        order by requested_at desc, case_id desc
        limit \(casesMax)
        """
    }

    static func read(_ shadow: Shadow, of app: App, in tx: Transaction) async throws -> ShadowComparison {
        let parts = try await tx.pipeline([
            """
            select d.answer, d.shadow_answer, c.outcome, count(*) as cases
            from (\(decided(by: shadow, of: app))) d
            join refunds.cases c on c.tenant_id = d.tenant_id and c.case_id = d.case_id
            group by d.answer, d.shadow_answer, c.outcome
            order by 4 desc, 1, 2, 3
            """,
            """
            select c.currency, sum(c.price)::int8 as money
            from (\(decided(by: shadow, of: app))) d
            join refunds.cases c on c.tenant_id = d.tenant_id and c.case_id = d.case_id
            where d.answer <> d.shadow_answer and c.currency is not null and c.price is not null
            group by c.currency
            order by c.currency
            limit 300
            """,
            """
            select d.case_id, d.requested_at, d.answer, d.shadow_answer, d.shadow_rule, d.shadow_asks, c.product_id,
              c.price, c.currency, c.outcome
            from (\(decided(by: shadow, of: app))) d
            join refunds.cases c on c.tenant_id = d.tenant_id and c.case_id = d.case_id
            where d.answer <> d.shadow_answer
            order by d.requested_at desc, d.case_id desc
            limit \(differencesMax)
            """,
        ])
        let lines = try parts[0].map { row in
            Line(
                live: try row.word("answer"), draft: try row.word("shadow_answer"), outcome: try row.word("outcome"),
                cases: try row("cases"))
        }
        return ShadowComparison(
            lines: lines,
            money: try Dictionary(parts[1].map { (try $0("currency"), try $0("money")) }, uniquingKeysWith: { $1 }),
            differences: try parts[2].map { row in
                let rule: Int32 = try row("shadow_rule")
                return Difference(
                    id: try row("case_id"), productID: try row("product_id"), live: try row.word("answer"),
                    draft: try row.word("shadow_answer"), rule: Int(rule), asks: try row("shadow_asks"),
                    price: try row("price"), currency: try row("currency"), outcome: try row.word("outcome"),
                    requestedAt: try row("requested_at"))
            }, isCutOff: lines.reduce(0) { $0 + $1.cases } >= casesMax)
    }
}
