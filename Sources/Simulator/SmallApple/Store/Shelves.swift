import Synchronization

/// Everything the small App Store remembers: apps, purchases and notifications.
package final class Shelves: Sendable {
    private struct Place: Hashable {
        let environment: StoreEnvironment
        let id: String
    }

    private struct State {
        var apps: [String: RegisteredApp] = [:]
        var transactions: [Place: StoreTransaction] = [:]
        var transactionsByCustomer: [Place: [String]] = [:]
        var orders: [String: [String]] = [:]
        var appTransactionIDs: Set<Place> = []
        var revision: Int64 = 0
        var notifications: [SentNotification] = []
        var notificationPlaces: [String: Int] = [:]
        var forgottenNotifications = 0
        var testTokens: [Place: String] = [:]
    }

    /// More notifications than this are forgotten, oldest first, so that days of traffic stay in bounds.
    static let notificationsMax = 50_000

    private let state = Mutex(State())

    package init() {}

    // MARK: Apps

    package func put(_ app: RegisteredApp) { state.withLock { $0.apps[app.bundleID] = app } }

    package func app(_ bundleID: String) -> RegisteredApp? { state.withLock { $0.apps[bundleID] } }

    package var apps: [RegisteredApp] { state.withLock { $0.apps.values.sorted { $0.bundleID < $1.bundleID } } }

    // MARK: Purchases

    /// Adds a purchase, or replaces the one with its id.
    package func put(_ transaction: StoreTransaction) {
        state.withLock { state in
            var transaction = transaction
            state.revision += 1
            transaction.revision = state.revision
            let place = Place(environment: transaction.environment, id: transaction.id)
            let isNew = state.transactions.updateValue(transaction, forKey: place) == nil
            if let appTransactionID = transaction.payload["appTransactionId"]?.string {
                state.appTransactionIDs.insert(Place(environment: transaction.environment, id: appTransactionID))
            }
            guard isNew else { return }
            let customer = Place(
                environment: transaction.environment, id: transaction.bundleID + "\n" + transaction.customer)
            state.transactionsByCustomer[customer, default: []].append(transaction.id)
            if transaction.environment == .production {
                state.orders[transaction.orderID, default: []].append(transaction.id)
            }
        }
    }

    package func transaction(_ id: String, in environment: StoreEnvironment) -> StoreTransaction? {
        state.withLock { $0.transactions[Place(environment: environment, id: id)] }
    }

    package func transactions(in environment: StoreEnvironment) -> [StoreTransaction] {
        state.withLock { state in
            state.transactions.values.filter { $0.environment == environment }.sorted { $0.revision < $1.revision }
        }
    }

    /// Whether an id names an app download rather than a purchase.
    func isAppTransactionID(_ id: String, in environment: StoreEnvironment) -> Bool {
        state.withLock { $0.appTransactionIDs.contains(Place(environment: environment, id: id)) }
    }

    /// All purchases that one customer made in one app, in the order of their last change.
    func purchases(of customer: String, bundleID: String, in environment: StoreEnvironment) -> [StoreTransaction] {
        state.withLock { state in
            (state.transactionsByCustomer[Place(environment: environment, id: bundleID + "\n" + customer)] ?? [])
                .compactMap { state.transactions[Place(environment: environment, id: $0)] }
                .sorted { $0.revision < $1.revision }
        }
    }

    func purchases(order: String, bundleID: String) -> [StoreTransaction] {
        state.withLock { state in
            (state.orders[order] ?? [])
                .compactMap { state.transactions[Place(environment: .production, id: $0)] }
                .filter { $0.bundleID == bundleID }
        }
    }

    /// Changes a purchase in place; false when there is none. A change moves it to the end of history.
    @discardableResult
    func change(
        _ id: String, in environment: StoreEnvironment, counts: Bool = true, _ body: (inout StoreTransaction) -> Void
    ) -> Bool {
        state.withLock { state in
            let place = Place(environment: environment, id: id)
            guard var transaction = state.transactions[place] else { return false }
            body(&transaction)
            if counts {
                state.revision += 1
                transaction.revision = state.revision
            }
            state.transactions[place] = transaction
            return true
        }
    }

    /// Keeps the first answer to a request; false when one was there already or nothing was asked.
    func keep(_ answer: ConsumptionAnswer, for id: String, in environment: StoreEnvironment) -> Bool {
        var isFirst = false
        change(id, in: environment, counts: false) { transaction in
            guard transaction.requestedAt != nil, transaction.answer == nil else { return }
            transaction.answer = answer
            isFirst = true
        }
        return isFirst
    }

    // MARK: Notifications

    func put(_ notification: SentNotification) {
        state.withLock { state in
            if state.notifications.count >= Self.notificationsMax {
                let drop = Self.notificationsMax / 10
                for old in state.notifications.prefix(drop) { state.notificationPlaces[old.uuid] = nil }
                state.notifications.removeFirst(drop)
                state.forgottenNotifications += drop
            }
            state.notificationPlaces[notification.uuid] = state.forgottenNotifications + state.notifications.count
            state.notifications.append(notification)
        }
    }

    func change(notification uuid: String, _ body: (inout SentNotification) -> Void) {
        state.withLock { state in
            guard let place = state.notificationPlaces[uuid] else { return }
            body(&state.notifications[place - state.forgottenNotifications])
        }
    }

    package func notification(_ uuid: String) -> SentNotification? {
        state.withLock { state in
            state.notificationPlaces[uuid].map { state.notifications[$0 - state.forgottenNotifications] }
        }
    }

    /// Oldest first.
    package var notifications: [SentNotification] { state.withLock { $0.notifications } }

    func notifications(
        of bundleID: String, in environment: StoreEnvironment, where isWanted: (SentNotification) -> Bool
    ) -> [SentNotification] {
        notifications.filter { $0.bundleID == bundleID && $0.environment == environment && isWanted($0) }
    }

    func put(testToken: String, notification uuid: String, in environment: StoreEnvironment) {
        state.withLock { $0.testTokens[Place(environment: environment, id: testToken)] = uuid }
    }

    func notification(testToken: String, in environment: StoreEnvironment) -> SentNotification? {
        state.withLock { $0.testTokens[Place(environment: environment, id: testToken)] }.flatMap(notification)
    }
}
