import AppStore
package import Postgres
package import Queue
package import Tenants
package import Time

/// What an app's own server tells us: consent and usage. The API's door to the ledgers.
///
/// Each report is one transaction; workers are woken after its commit, because a report may reopen a
/// request that was withheld.
package final class Reports: Sendable {
    /// Rows of a batch that share a transaction: more would hold their locks for too long.
    private static let rowsAtOnce = 50

    private let database: Database
    private let bell: Bell

    package init(database: Database, bell: Bell) {
        self.database = database
        self.bell = bell
    }

    /// The tenant's app with this bundle ID; nil when it is unknown or removed.
    package func app(of tenant: TenantID, bundleID: String) async throws -> App? {
        try await database.transaction(tenant.scope, isolation: .readOnly) { tx in
            try await TenantStore.app(of: tenant, bundleID: bundleID, in: tx)
        }
    }

    // MARK: Consent

    /// How a subject stands; nil when nothing was ever reported.
    package func consent(of subject: ConsentLedger.Subject, app: App) async throws -> ConsentLedger.State? {
        try await database.transaction(app.tenant.scope, isolation: .readOnly) { tx in
            try await ConsentLedger.state(of: subject, tenant: app.tenant, app: app.id, in: tx)
        }
    }

    /// - Throws: `ConsentLedger.Refusal`, and what the database throws.
    package func record(
        _ report: ConsentLedger.Report, of subject: ConsentLedger.Subject, app: App, at now: Moment
    ) async throws -> ConsentLedger.State {
        let state = try await database.transaction(app.tenant.scope) { tx in
            try await ConsentLedger.record(report, of: subject, tenant: app.tenant, app: app.id, at: now, in: tx)
        }
        bell.ring()
        return state
    }

    // MARK: Usage

    /// One report in Apple's words.
    package struct Usage: Sendable, Hashable {
        package var transactionID: String
        /// One of `deliveryStatuses`.
        package var deliveryStatus: String?
        /// Thousandths of a percent.
        package var consumptionPercentage: Int?
        package var sampleContentProvided: Bool?
        package var credits: UsageCount?
        package var items: UsageCount?
        package var observedAt: Moment
        package var source = UsageStore.Source.pushed

        package init(
            transactionID: String, deliveryStatus: String? = nil, consumptionPercentage: Int? = nil,
            sampleContentProvided: Bool? = nil, credits: UsageCount? = nil, items: UsageCount? = nil,
            observedAt: Moment
        ) {
            self.transactionID = transactionID
            self.deliveryStatus = deliveryStatus
            self.consumptionPercentage = consumptionPercentage
            self.sampleContentProvided = sampleContentProvided
            self.credits = credits
            self.items = items
            self.observedAt = observedAt
        }

        fileprivate var report: UsageStore.Report {
            UsageStore.Report(
                transactionID: transactionID, deliveryStatus: deliveryStatus.flatMap(DeliveryStatus.init(rawValue:)),
                consumptionPercentage: consumptionPercentage, sampleContentProvided: sampleContentProvided,
                credits: credits, items: items, observedAt: observedAt, source: source)
        }
    }

    /// The newest value of each member, with when it was observed.
    package struct UsageState: Sendable, Hashable {
        package struct Observed<Value: Sendable & Hashable>: Sendable, Hashable {
            package let value: Value
            package let at: Moment
        }
        package let deliveryStatus: Observed<String>?
        package let consumptionPercentage: Observed<Int>?
        package let sampleContentProvided: Observed<Bool>?
        package let credits: Observed<UsageCount>?
        package let items: Observed<UsageCount>?

        fileprivate init(_ state: UsageStore.State) {
            deliveryStatus = Self.observed(state.deliveryStatus) { $0.rawValue }
            consumptionPercentage = Self.observed(state.consumptionPercentage) { $0 }
            sampleContentProvided = Self.observed(state.sampleContentProvided) { $0 }
            credits = Self.observed(state.credits) { $0 }
            items = Self.observed(state.items) { $0 }
        }

        private static func observed<Kept, Value>(
            _ evidence: Evidence<Kept>?, _ convert: (Kept) -> Value
        ) -> Observed<Value>? {
            guard let evidence, let at = evidence.source.at else { return nil }
            return Observed(value: convert(evidence.value), at: at)
        }
    }

    /// Apple's words for `deliveryStatus`.
    package static let deliveryStatuses = DeliveryStatus.allCases.map(\.rawValue)

    /// - Throws: `UsageStore.Refusal`, and what the database throws.
    package func record(_ usage: Usage, app: App, at now: Moment) async throws -> UsageState {
        let state = try await database.transaction(app.tenant.scope) { tx in
            try await UsageStore.record(usage.report, tenant: app.tenant, app: app.id, at: now, in: tx)
        }
        bell.ring()
        return UsageState(state)
    }

    /// Takes many reports in, each on its own: what is wrong with one harms no other.
    ///
    /// - Returns: for each, why it was not stored; nil: it was.
    /// - Throws: what the database throws when it is away; rows before that may have been stored, and
    ///   the same batch again changes nothing about them.
    package func record(_ batch: [Usage], app: App, at now: Moment) async throws -> [UsageStore.Refusal?] {
        // In the order of their names, so that two batches about the same transactions wait for each
        // other instead of locking each other out.
        let order = batch.indices.sorted {
            (batch[$0].transactionID, $0) < (batch[$1].transactionID, $1)
        }
        var refusals = [UsageStore.Refusal?](repeating: nil, count: batch.count)
        for start in stride(from: 0, to: order.count, by: Self.rowsAtOnce) {
            let rows = order[start..<min(start + Self.rowsAtOnce, order.count)]
            let found = try await database.transaction(app.tenant.scope) { tx in
                var found: [UsageStore.Refusal?] = []
                for index in rows {
                    do {
                        // A refusal comes before the first statement, so the transaction goes on.
                        try await UsageStore.take(
                            batch[index].report, tenant: app.tenant, app: app.id, at: now, in: tx)
                        found.append(nil)
                    } catch let refusal as UsageStore.Refusal {
                        found.append(refusal)
                    }
                }
                return found
            }
            for (index, refusal) in zip(rows, found) { refusals[index] = refusal }
        }
        bell.ring()
        return refusals
    }
}
