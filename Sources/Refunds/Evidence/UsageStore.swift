import Queue
import AppStore
package import Postgres
package import Tenants
package import Time

/// What the app's server reported of delivery and use, transaction by transaction.
///
/// Reports are only ever added and folded member by member: of each, the newest `observedAt` wins. So
/// the value at a decision can be shown years later.
package enum UsageStore {
    /// What the app's server says; members it leaves out stay as they are.
    package struct Report: Sendable, Hashable {
        package var transactionID: String
        package var deliveryStatus: DeliveryStatus?
        /// Thousandths of a percent, 0…100,000.
        package var consumptionPercentage: Int?
        package var sampleContentProvided: Bool?
        package var observedAt: Moment

        package init(
            transactionID: String, deliveryStatus: DeliveryStatus? = nil, consumptionPercentage: Int? = nil,
            sampleContentProvided: Bool? = nil, observedAt: Moment
        ) {
            self.transactionID = transactionID
            self.deliveryStatus = deliveryStatus
            self.consumptionPercentage = consumptionPercentage
            self.sampleContentProvided = sampleContentProvided
            self.observedAt = observedAt
        }
    }

    /// The newest value of each member.
    package struct State: Sendable, Hashable {
        package var deliveryStatus: Evidence<DeliveryStatus>?
        package var consumptionPercentage: Evidence<Int>?
        package var sampleContentProvided: Evidence<Bool>?

        package init() {}
    }

    package enum Refusal: Error, Hashable, CustomStringConvertible {
        case badTransactionID
        case percentageOutOfRange
        case observedInFuture
        case nothingSaid

        package var description: String {
            switch self {
            case .badTransactionID: "transactionId is empty, too long, or holds a character that cannot be kept"
            case .percentageOutOfRange: "consumptionPercentage lies between 0 and 100000"
            case .observedInFuture: "observedAt lies in the future"
            case .nothingSaid:
                "none of deliveryStatus, consumptionPercentage and sampleContentProvided is given"
            }
        }
    }

    /// Takes a report in, of a transaction seen or not; the same report again changes nothing.
    ///
    /// A request withheld because nobody reported the delivery is looked at again, if there is time; ring
    /// the bell after the commit.
    ///
    /// - Throws: `Refusal`, and what the database throws.
    @discardableResult
    package static func record(
        _ report: Report, tenant: TenantID, app: AppID, at now: Moment, in tx: Transaction
    ) async throws -> State {
        guard Text.isKept(report.transactionID, bytesMax: 64), !report.transactionID.isEmpty else {
            throw Refusal.badTransactionID
        }
        if let share = report.consumptionPercentage, !(0...100_000).contains(share) {
            throw Refusal.percentageOutOfRange
        }
        guard report.observedAt <= now + ConsentLedger.futureAllowed else { throw Refusal.observedInFuture }
        guard
            report.deliveryStatus != nil || report.consumptionPercentage != nil || report.sampleContentProvided != nil
        else { throw Refusal.nothingSaid }
        try await tx.execute(lock(report.transactionID, tenant: tenant, app: app, exclusively: true))
        let observedAt = min(report.observedAt, now)
        let (delivery, share) = (report.deliveryStatus?.rawValue, report.consumptionPercentage.map(Int32.init))
        try await tx.execute(
            """
            insert into refunds.usage
              (tenant_id, app_id, transaction_id, delivery_status, share, sample_content, observed_at, learned_at)
            select \(tenant.rawValue), \(app.rawValue), \(report.transactionID), \(delivery), \(share),
              \(report.sampleContentProvided), \(observedAt), \(now)
            where not exists (
              select from refunds.usage u
              where u.tenant_id = \(tenant.rawValue) and u.app_id = \(app.rawValue)
                and u.transaction_id = \(report.transactionID) and u.observed_at = \(observedAt)
                and u.delivery_status is not distinct from \(delivery)
                and u.share is not distinct from \(share)
                and u.sample_content is not distinct from \(report.sampleContentProvided))
            """)
        if report.deliveryStatus != nil {
            try await CaseReopening.deliveryReported(
                report.transactionID, tenant: tenant, app: app, in: tx, now: now)
        }
        return try await state(of: report.transactionID, tenant: tenant, app: app, in: tx)
    }

    /// The newest value of each member; empty where nothing was reported.
    package static func state(
        of transactionID: String, tenant: TenantID, app: AppID, in tx: Transaction
    ) async throws -> State {
        try State(await tx.pipeline(newest(of: transactionID, tenant: tenant, app: app)))
    }

    /// The newest row of each member: three statements.
    static func newest(of transactionID: String, tenant: TenantID, app: AppID) -> [SQL] {
        let mine: SQL = """
            tenant_id = \(tenant.rawValue) and app_id = \(app.rawValue) and transaction_id = \(transactionID)
            """
        return [
            """
            select delivery_status, observed_at
            from refunds.usage
            where \(mine) and delivery_status is not null
            order by observed_at desc, usage_no desc
            limit 1
            """,
            """
            select share, observed_at
            from refunds.usage
            where \(mine) and share is not null
            order by observed_at desc, usage_no desc
            limit 1
            """,
            """
            select sample_content, observed_at
            from refunds.usage
            where \(mine) and sample_content is not null
            order by observed_at desc, usage_no desc
            limit 1
            """,
        ]
    }

    /// Shared while a sender decides, exclusive while a report is taken in: evidence counts up to the
    /// moment of the decision, and a report that comes a moment later finds the decision made.
    static func lock(_ transactionID: String, tenant: TenantID, app: AppID, exclusively: Bool) -> SQL {
        AdvisoryLock.sql("usage \(tenant.rawValue) \(app.rawValue) \(transactionID)", exclusively: exclusively)
    }
}

extension UsageStore.State {
    /// From the answers to `UsageStore.newest`.
    init(_ rows: some RandomAccessCollection<[Row]>) throws {
        self.init()
        let rows = Array(rows)
        if let row = rows[0].first, let status = DeliveryStatus(rawValue: try row("delivery_status")) {
            deliveryStatus = Evidence(status, .reported(observedAt: try row("observed_at")))
        }
        if let row = rows[1].first {
            let share: Int32 = try row("share")
            consumptionPercentage = Evidence(Int(share), .reported(observedAt: try row("observed_at")))
        }
        if let row = rows[2].first {
            sampleContentProvided = Evidence(
                try row("sample_content"), .reported(observedAt: try row("observed_at")))
        }
    }
}
