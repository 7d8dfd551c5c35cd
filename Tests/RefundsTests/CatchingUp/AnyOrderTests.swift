import FoundationEssentials
import Postgres
import Support
import Tenants
import Testing
import Time

@testable import AppStore
@testable import Refunds

/// What Apple signed of one purchase ends in one state, by whichever way and in whichever order it comes.
@Suite("One state from any order")
struct AnyOrderTests {
    private enum Way: CaseIterable {
        case delivered, refundHistory, imported, rescinded, reversed
    }

    /// Every third order of the first four, and the reversal at each place in turn.
    private static let orders: [[Way]] = {
        func permutations(_ all: [Way]) -> [[Way]] {
            if all.isEmpty { return [[]] }
            return all.indices.flatMap { index in
                var rest = all
                let first = rest.remove(at: index)
                return permutations(rest).map { [first] + $0 }
            }
        }
        let all = permutations([.delivered, .refundHistory, .imported, .rescinded])
        return stride(from: 0, to: all.count, by: 3).map { index in
            var order = all[index]
            order.insert(.reversed, at: index / 3 % 5)
            return order
        }
    }()

    @Test func `holds for deliveries, the refund history, the import and rescissions`() async throws {
        try await Desk.open { desk in
            var kept: Set<String> = []
            for (number, order) in Self.orders.enumerated() {
                for way in order + [order[0], order[2]] { try await bring(way, number, at: desk) }
                kept.insert(try await footprint(number, of: desk))
            }
            #expect(Self.orders.count == 8 && kept.count == 1, "\(kept.sorted().joined(separator: "\n"))")
            let one = try #require(kept.first)
            #expect(one.contains("imported reversed") && one.contains("1 rescission"), "\(one)")
            #expect(one.contains("request refund refund reversed"), "\(one)")
            #expect(desk.apple.calls.isEmpty)
        }
    }

    /// The purchase that the order of this number is about.
    private func purchase(_ number: Int, _ desk: Desk, signedAt: Moment, _ change: (inout J) -> Void = { _ in }) -> J {
        desk.tx {
            $0["transactionId"] = .text("\(2_000_000_900_002_000 + number)")
            $0["originalTransactionId"] = .text("\(2_000_000_900_002_000 + number)")
            $0["appTransactionId"] = .text("\(704_512_345_678_902_000 + number)")
            $0["purchaseDate"] = .number((desk.now - .days(30)).milliseconds)
            $0["signedDate"] = .number(signedAt.milliseconds)
            change(&$0)
        }
    }

    private func refunded(_ number: Int, _ desk: Desk) -> J {
        purchase(number, desk, signedAt: desk.now - .days(4)) {
            $0["revocationDate"] = .number((desk.now - .days(5)).milliseconds)
            $0["revocationReason"] = 0
            $0["revocationType"] = "REFUND_FULL"
            $0["revocationPercentage"] = 100_000
        }
    }

    private func note(_ type: String, _ place: Int, _ inner: J, _ desk: Desk, signedAt: Moment) throws -> J {
        try desk.note(type, inner) {
            $0["signedDate"] = .number(signedAt.milliseconds)
            $0["notificationUUID"] = .text("0b9a2f6e-5c1d-4e7a-8f30-\(100_000_000_000 + place)")
        }
    }

    private func take(_ note: J, _ desk: Desk) async throws {
        let outcome = try await desk.post(note)
        #expect(outcome == .accepted || outcome == .duplicate)
    }

    private func bring(_ way: Way, _ number: Int, at desk: Desk) async throws {
        let (app, now) = (desk.alpha.app, desk.now)
        switch way {
        case .delivered:
            let at = now - .days(4)
            try await take(note("REFUND", number * 10 + 1, refunded(number, desk), desk, signedAt: at), desk)
        case .reversed:
            let at = now - .days(3)
            let inner = purchase(number, desk, signedAt: at)
            try await take(note("REFUND_REVERSED", number * 10 + 2, inner, desk, signedAt: at), desk)
        case .rescinded:
            try await take(
                RescissionTests.rescind(desk) { $0["appTransactionId"] = .text("\(704_512_345_678_902_000 + number)") },
                desk)
        case .refundHistory:
            let intake = PastIntake(apple: desk.side)
            let sorted = try await intake.sort([desk.chain.sign(refunded(number, desk))], of: app, .production, at: now)
            #expect(sorted.transactions.count == 1)
            try await intake.keep(sorted.transactions, of: .refunds, app, .production, at: now, on: desk.database)
        case .imported:
            let at = now - .days(6)
            let signed = try desk.chain.sign(
                note("CONSUMPTION_REQUEST", number * 10 + 3, purchase(number, desk, signedAt: at), desk, signedAt: at))
            let intake = HistoryIntake(apple: desk.side, headers: desk.headers)
            let sorted = try await intake.sort(
                [NotificationRecord(signedPayload: signed, attempts: [])][...], of: app, .production,
                refusalsMax: 10, at: now)
            let past = PastImport(
                environment: .production, beginsAt: now - .days(180), endsAt: now, liveFrom: now - .hours(12),
                startedAt: now)
            _ = try await desk.database.transaction(app.tenant.scope) { tx in
                try await intake.keepPast(sorted, past, of: app, at: now, in: tx)
            }
        }
        try await desk.work()
    }

    /// What stands here of a purchase, but for how and when it was learned.
    private func footprint(_ number: Int, of desk: Desk) async throws -> String {
        let transaction = "\(2_000_000_900_002_000 + number)"
        let row = try #require(
            try await desk.test.asSuperuser(
                """
                select c.state || ' ' || c.outcome || ' ' || coalesce(c.reason, '-') || ' ' || c.listed_at || ' '
                  || coalesce(t.revoked_at::text, 'not revoked') || ' ' || t.signed_at || ': '
                  || (select string_agg(f.kind, ' ' order by f.signed_at, f.kind) from refunds.facts f
                      where f.tenant_id = c.tenant_id and f.case_id = c.case_id) || ', '
                  || (select count(distinct r.app_transaction_id) from refunds.rescissions r
                      where r.app_transaction_id = t.app_transaction_id) || ' rescission' as text
                from refunds.cases c
                join refunds.transactions t using (tenant_id, app_id, environment, transaction_id)
                where c.transaction_id = \(transaction)
                """
            ).first)
        return try row("text")
    }
}
