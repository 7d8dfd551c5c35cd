import HTTP
import Journal
import Synchronization
import Time

/// A flow of customers who buy, complain and get their money back, or not.
final class Traffic: Sendable {
    struct Report: Sendable {
        var isRunning = false
        var plan = TrafficPlan()
        var happenings = 0
        var requests = 0
        var failures = 0
    }

    private struct State {
        var report = Report()
        /// Each start is a run of its own; ticks of an older run end.
        var run = 0
        var recent: [(id: String, environment: StoreEnvironment)] = []
    }

    private let works: Works
    private let office: PostOffice
    private let reviewer: Reviewer
    private let client: HTTPClient
    private let state = Mutex(State())

    init(works: Works, office: PostOffice, reviewer: Reviewer, client: HTTPClient) {
        self.works = works
        self.office = office
        self.reviewer = reviewer
        self.client = client
    }

    var report: Report { state.withLock { $0.report } }

    func start(_ plan: TrafficPlan) {
        let run = state.withLock { state in
            state.run += 1
            state.report = Report(isRunning: true, plan: plan)
            return state.run
        }
        tick(run)
    }

    func stop() {
        state.withLock { state in
            state.run += 1
            state.report.isRunning = false
        }
    }

    private func tick(_ run: Int) {
        let plan: TrafficPlan? = state.withLock { state in
            guard state.run == run, state.report.isRunning else { return nil }
            if let count = state.report.plan.count, state.report.happenings >= count {
                state.report.isRunning = false
                return nil
            }
            state.report.happenings += 1
            return state.report.plan
        }
        guard let plan else { return }
        var chance = works.chance.stream("traffic", String(works.count("traffic")))
        let pause = 60_000 / Double(min(60_000, max(1, plan.perMinute))) * Double.random(in: 0.5...1.5, using: &chance)
        works.later(.milliseconds(Int64(pause))) { self.tick(run) }
        let happening = chance
        works.later(.zero) {
            var chance = happening
            do {
                try await self.happen(plan, chance: &chance)
            } catch {
                self.state.withLock { $0.report.failures += 1 }
                self.works.journal.warning("nothing could happen", ["error": JournalValue(error)])
            }
        }
    }

    private func happen(_ plan: TrafficPlan, chance: inout Chance.Stream) async throws {
        let apps = works.shelves.apps.filter { app in
            !app.isWithdrawn && !app.notificationURLs.isEmpty
                && (plan.bundleIDs.isEmpty || plan.bundleIDs.contains(app.bundleID))
        }
        guard !apps.isEmpty else { throw OrderFault("no app with a notification URL is registered") }
        let app = chance.pick(apps)
        var environment: StoreEnvironment = chance.happens(plan.sandboxShare) ? .sandbox : .production
        if app.notificationURLs[environment] == nil { environment = environment == .sandbox ? .production : .sandbox }
        let kind = chance.pick([
            (Happening.complaint, 78), (.complaintAgain, 4), (.silentRefund, 5), (.familyEnds, 4), (.bustle, 9),
        ])
        switch plan.onlyRequests ? .complaint : kind {
        case .complaint: try await complain(app, environment, plan, chance: &chance)
        case .complaintAgain: try await complainAgain(app, environment, plan, chance: &chance)
        case .silentRefund: try refundSilently(app, environment, chance: &chance)
        case .familyEnds:
            var wish = Till.Wish()
            wish.product = chance.pick(
                Product.all.filter { $0.type == "Non-Consumable" || $0.type == Product.autoRenewable })
            wish.isFamilyShared = true
            try reviewer.tell("REVOKE", of: buy(wish, app, environment, chance: &chance))
        case .bustle: try bustle(app, environment, chance: &chance)
        }
    }

    private enum Happening {
        case complaint, complaintAgain, silentRefund, familyEnds, bustle
    }

    private func buy(
        _ wish: Till.Wish, _ app: RegisteredApp, _ environment: StoreEnvironment, chance: inout Chance.Stream
    ) -> StoreTransaction {
        let transaction = Till.purchase(wish, of: app, in: environment, now: works.now, chance: &chance)
        works.shelves.put(transaction)
        return transaction
    }

    /// A customer asks for a refund of a purchase.
    private func complain(
        _ app: RegisteredApp, _ environment: StoreEnvironment, _ plan: TrafficPlan, chance: inout Chance.Stream
    ) async throws {
        var wish = Till.Wish()
        wish.product = chance.pick(Product.all.map { ($0, $0.sku == nil ? 10 : 3) })
        wish.hasToken = chance.happens(0.85)
        // Whether a family member's copy is ever asked about is not documented: it may be.
        wish.isFamilyShared =
            ["Non-Consumable", Product.autoRenewable].contains(wish.product?.type) && chance.happens(0.04)
        wish.quantity = wish.product?.type == "Consumable" && chance.happens(0.15) ? 2 : 1
        wish.age = chance.pick([
            (chance.duration(600_000...7_200_000), 40), (chance.duration(7_200_000...259_200_000), 40),
            (chance.duration(259_200_000...2_160_000_000), 20),
        ])
        var transaction = buy(wish, app, environment, chance: &chance)
        if !wish.isFamilyShared, ["Non-Consumable", Product.autoRenewable].contains(wish.product?.type),
            chance.happens(0.2)
        {
            var copy = wish
            copy.isFamilyShared = true
            let member = buy(copy, app, environment, chance: &chance)
            transaction.familyCopies = [member.id]
            works.shelves.put(transaction)
        }
        try await ask(transaction, plan, chance: &chance)
        state.withLock { state in
            state.recent.append((transaction.id, environment))
            if state.recent.count > 100 { state.recent.removeFirst() }
        }
    }

    /// A customer whose request was declined asks once more.
    private func complainAgain(
        _ app: RegisteredApp, _ environment: StoreEnvironment, _ plan: TrafficPlan, chance: inout Chance.Stream
    ) async throws {
        let again = state.withLock { $0.recent }.compactMap { works.shelves.transaction($0.id, in: $0.environment) }
            .first { !$0.isRevoked && $0.requestedAt == nil && $0.bundleID == app.bundleID }
        guard let again else { return try await complain(app, environment, plan, chance: &chance) }
        try await ask(again, plan, chance: &chance)
    }

    private func ask(_ transaction: StoreTransaction, _ plan: TrafficPlan, chance: inout Chance.Stream) async throws {
        // An app whose server is asked reports nothing by itself.
        let backend = works.backends[transaction.bundleID] == nil ? plan.backend : nil
        await backend?.report(transaction, now: works.now, client: client, chance: &chance)
        // A request from inside the app switches renewal off (apple sheet 1.5).
        if transaction.isAutoRenewable, chance.happens(0.4) {
            try reviewer.tell("DID_CHANGE_RENEWAL_STATUS", subtype: "AUTO_RENEW_DISABLED", of: transaction)
        }
        var order = NotificationOrder(
            "CONSUMPTION_REQUEST", environment: transaction.environment, bundleID: transaction.bundleID,
            transactionID: transaction.id)
        order.reason = chance.pick([
            ("UNINTENDED_PURCHASE", 30), ("FULFILLMENT_ISSUE", 20), ("UNSATISFIED_WITH_PURCHASE", 30), ("LEGAL", 3),
            ("OTHER", 14), (nil, 3),
        ])
        order.decides = true
        try reviewer.ask(order)
        state.withLock { $0.report.requests += 1 }
    }

    /// Apple refunds without asking.
    private func refundSilently(
        _ app: RegisteredApp, _ environment: StoreEnvironment, chance: inout Chance.Stream
    ) throws {
        let transaction = buy(Till.Wish(), app, environment, chance: &chance)
        reviewer.refund(transaction, type: "REFUND_FULL", percentage: 100_000, reason: 0)
        try reviewer.tell("REFUND", of: transaction)
    }

    /// What else an app hears of.
    private func bustle(_ app: RegisteredApp, _ environment: StoreEnvironment, chance: inout Chance.Stream) throws {
        // A type that no page names, as one appears now and then.
        if works.manners.inventions, chance.happens(0.2) {
            return try reviewer.tell("PURCHASE_ADMIRED", of: buy(Till.Wish(), app, environment, chance: &chance))
        }
        let (type, subtype): (String, String?) = chance.pick([
            ("ONE_TIME_CHARGE", nil), ("SUBSCRIBED", "INITIAL_BUY"), ("DID_RENEW", nil),
            ("DID_CHANGE_RENEWAL_PREF", "DOWNGRADE"), ("DID_FAIL_TO_RENEW", "GRACE_PERIOD"), ("EXPIRED", "VOLUNTARY"),
        ])
        var wish = Till.Wish()
        wish.product = chance.pick(
            Product.all.filter { ($0.type == Product.autoRenewable) == (type != "ONE_TIME_CHARGE") })
        wish.age = type == "EXPIRED" ? .seconds(400 * 86_400) : .seconds(60)
        try reviewer.tell(type, subtype: subtype, of: buy(wish, app, environment, chance: &chance))
    }
}
