import Queue
import AppStore
package import Postgres
package import Tenants
package import Time

/// What was reported of delivery and use, transaction by transaction.
///
/// Reports are only ever added and folded member by member: of each, the newest `observedAt` wins. So
/// the value at a decision can be shown years later.
package enum UsageStore {
    /// How a report reached us, as it is kept.
    package enum Source: String, Sendable, Hashable {
        /// The app's server called the API.
        case pushed
        /// The app's server was asked.
        case callback
        /// Somebody uploaded a file.
        case csv

        func evidence(observedAt: Moment) -> EvidenceSource {
            switch self {
            case .pushed: .reported(observedAt: observedAt)
            case .callback: .callback(observedAt: observedAt)
            case .csv: .csv(observedAt: observedAt)
            }
        }
    }

    /// What the app's server says; members it leaves out stay as they are.
    package struct Report: Sendable, Hashable {
        package var transactionID: String
        package var deliveryStatus: DeliveryStatus?
        /// Thousandths of a percent, 0…100,000.
        package var consumptionPercentage: Int?
        package var sampleContentProvided: Bool?
        package var credits: UsageCount?
        package var items: UsageCount?
        package var observedAt: Moment
        package var source: Source

        package init(
            transactionID: String, deliveryStatus: DeliveryStatus? = nil, consumptionPercentage: Int? = nil,
            sampleContentProvided: Bool? = nil, credits: UsageCount? = nil, items: UsageCount? = nil,
            observedAt: Moment, source: Source = .pushed
        ) {
            self.transactionID = transactionID
            self.deliveryStatus = deliveryStatus
            self.consumptionPercentage = consumptionPercentage
            self.sampleContentProvided = sampleContentProvided
            self.credits = credits
            self.items = items
            self.observedAt = observedAt
            self.source = source
        }

        var saysNothing: Bool {
            deliveryStatus == nil && consumptionPercentage == nil && sampleContentProvided == nil && credits == nil
                && items == nil
        }
    }

    /// The newest value of each member.
    package struct State: Sendable, Hashable {
        package var deliveryStatus: Evidence<DeliveryStatus>?
        package var consumptionPercentage: Evidence<Int>?
        package var sampleContentProvided: Evidence<Bool>?
        package var credits: Evidence<UsageCount>?
        package var items: Evidence<UsageCount>?

        package init() {}
    }

    package enum Refusal: Error, Hashable, CustomStringConvertible {
        case badTransactionID
        case percentageOutOfRange
        case observedInFuture
        case nothingSaid
        case countOutOfRange(String)

        package var description: String {
            switch self {
            case .badTransactionID: "transactionId is empty, too long, or holds a character that cannot be kept"
            case .percentageOutOfRange: "consumptionPercentage lies between 0 and 100000"
            case .observedInFuture: "observedAt lies in the future"
            case .nothingSaid:
                "none of deliveryStatus, consumptionPercentage, sampleContentProvided, credits and items is given"
            case .countOutOfRange(let name):
                "\(name)Used lies between 0 and \(UsageCount.max), and \(name)Granted between 1 and \(UsageCount.max)"
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
        try await take(report, tenant: tenant, app: app, at: now, in: tx)
        return try await state(of: report.transactionID, tenant: tenant, app: app, in: tx)
    }

    /// The same where nobody wants to know what stands then.
    static func take(
        _ report: Report, tenant: TenantID, app: AppID, at now: Moment, in tx: Transaction
    ) async throws {
        guard Text.isKept(report.transactionID, bytesMax: 64), !report.transactionID.isEmpty else {
            throw Refusal.badTransactionID
        }
        if let share = report.consumptionPercentage, !(0...100_000).contains(share) {
            throw Refusal.percentageOutOfRange
        }
        guard report.credits?.isPossible ?? true else { throw Refusal.countOutOfRange("credits") }
        guard report.items?.isPossible ?? true else { throw Refusal.countOutOfRange("items") }
        guard report.observedAt <= now + ConsentLedger.futureAllowed else { throw Refusal.observedInFuture }
        guard !report.saysNothing else { throw Refusal.nothingSaid }
        let observedAt = min(report.observedAt, now)
        let (delivery, share) = (report.deliveryStatus?.rawValue, report.consumptionPercentage.map(Int32.init))
        // One round trip: the second statement sees what was committed before it got the lock.
        _ = try await tx.pipeline([
            lock(report.transactionID, tenant: tenant, app: app, exclusively: true),
            """
            insert into refunds.usage
              (tenant_id, app_id, transaction_id, delivery_status, share, sample_content, credits_used, credits_granted,
               items_used, items_granted, observed_at, learned_at, source)
            select \(tenant.rawValue), \(app.rawValue), \(report.transactionID), \(delivery), \(share),
              \(report.sampleContentProvided), \(report.credits?.used), \(report.credits?.granted),
              \(report.items?.used), \(report.items?.granted), \(observedAt), \(now), \(report.source.rawValue)
            where not exists (
              select from refunds.usage u
              where u.tenant_id = \(tenant.rawValue) and u.app_id = \(app.rawValue)
                and u.transaction_id = \(report.transactionID) and u.observed_at = \(observedAt)
                and u.delivery_status is not distinct from \(delivery)
                and u.share is not distinct from \(share)
                and u.sample_content is not distinct from \(report.sampleContentProvided)
                and (u.credits_used, u.credits_granted, u.items_used, u.items_granted) is not distinct from
                  (\(report.credits?.used), \(report.credits?.granted), \(report.items?.used),
                   \(report.items?.granted)))
            """,
        ])
        if report.deliveryStatus != nil {
            try await CaseReopening.deliveryReported(
                report.transactionID, tenant: tenant, app: app, in: tx, now: now)
        }
    }

    /// The newest value of each member; empty where nothing was reported.
    package static func state(
        of transactionID: String, tenant: TenantID, app: AppID, in tx: Transaction
    ) async throws -> State {
        try State(await tx.pipeline(newest(of: transactionID, tenant: tenant, app: app)))
    }

    /// The newest row of each member: five statements.
    static func newest(of transactionID: String, tenant: TenantID, app: AppID) -> [SQL] {
        let mine: SQL = """
            tenant_id = \(tenant.rawValue) and app_id = \(app.rawValue) and transaction_id = \(transactionID)
            """
        func newest(_ columns: SQL, where said: SQL) -> SQL {
            """
            select \(columns), observed_at, source
            from refunds.usage
            where \(mine) and \(said) is not null
            order by observed_at desc, usage_no desc
            limit 1
            """
        }
        return [
            newest("delivery_status", where: "delivery_status"), newest("share", where: "share"),
            newest("sample_content", where: "sample_content"),
            newest("credits_used as used, credits_granted as granted", where: "credits_used"),
            newest("items_used as used, items_granted as granted", where: "items_used"),
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
            deliveryStatus = Evidence(status, try Self.source(row))
        }
        if let row = rows[1].first {
            let share: Int32 = try row("share")
            consumptionPercentage = Evidence(Int(share), try Self.source(row))
        }
        if let row = rows[2].first {
            sampleContentProvided = Evidence(try row("sample_content"), try Self.source(row))
        }
        credits = try rows[3].first.map { Evidence(try UsageCount($0), try Self.source($0)) }
        items = try rows[4].first.map { Evidence(try UsageCount($0), try Self.source($0)) }
    }

    private static func source(_ row: Row) throws -> EvidenceSource {
        let word: String = try row("source")
        return (UsageStore.Source(rawValue: word) ?? .pushed).evidence(observedAt: try row("observed_at"))
    }
}
