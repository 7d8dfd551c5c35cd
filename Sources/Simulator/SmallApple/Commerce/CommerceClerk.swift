import Journal
import Time

/// Works on accepted requests: asks for consumption information, decides, books refunds, and tells of it.
///
/// Source: apple sheets 6.6, 6.8, 6.10, 7.1. When a decision falls and whether a decline is told are not published:
/// both are switches.
final class CommerceClerk: Sendable {
    private let works: Works
    private let office: PostOffice

    /// A subscription whose period ends later than this is not watched.
    private static let watchMax = Duration.seconds(86_400)

    init(works: Works, office: PostOffice) {
        self.works = works
        self.office = office
    }

    /// Takes up a request that was accepted just now.
    func take(_ request: CommerceRequest) {
        if request.kind == .cancel { return switchRenewalOff(request.transactionID, in: request.environment) }
        if works.commerce.settings.decidesAtOnce { return decide(request) }
        guard request.asked.riskingPreference == true, works.commerce.settings.asksForConsumption,
            let asked = askForConsumption(request)
        else { return decideLater(request) }
        works.commerce.consumptionAsked(for: request, at: asked)
        works.later(.milliseconds(works.pace.patience)) { self.decide(request) }
    }

    /// Goes on with a request from before a new start.
    func resume(_ request: CommerceRequest) {
        guard request.state == .waiting else { return }
        decideLater(request)
    }

    /// Consumption information was accepted for a transaction: a request of ours that waits for it is decided soon.
    func answered(_ transaction: StoreTransaction) {
        guard let request = works.commerce.waiting(for: transaction.id, in: transaction.environment),
            request.consumptionAskedAt != nil
        else { return }
        decideLater(request)
    }

    private func decideLater(_ request: CommerceRequest) {
        var chance = works.chance.stream("commerce decision time", request.transactionID)
        works.later(chance.duration(works.pace.decision)) { self.decide(request) }
    }

    /// The reason is the request's own; what no customer can say becomes OTHER (apple sheet 1.4).
    private func askForConsumption(_ request: CommerceRequest) -> Moment? {
        var order = NotificationOrder(
            "CONSUMPTION_REQUEST", environment: request.environment, bundleID: request.bundleID,
            transactionID: request.transactionID)
        let reason = request.asked.reason ?? request.asked.items.first?.reason ?? "OTHER"
        order.reason = ["MODIFY_ITEMS_REFUND", CommerceReader.simulatedDecline].contains(reason) ? "OTHER" : reason
        order.decides = false
        do {
            return try office.release(order).signedAt
        } catch {
            works.journal.warning(
                "consumption information could not be asked for",
                ["transaction": .string(request.transactionID), "error": JournalValue(error)])
            return nil
        }
    }

    // MARK: Decisions

    /// - Parameter forced: what the control API wants; otherwise the switches, the answer and the seed decide.
    func decide(_ request: CommerceRequest, as forced: CommerceOutcome? = nil) {
        guard
            works.commerce.waiting(for: request.transactionID, in: request.environment)?.requestReferenceID
                == request.requestReferenceID,
            let transaction = works.shelves.transaction(request.transactionID, in: request.environment),
            let goods = CommerceGoods(transaction.payload)
        else { return }
        let now = works.now
        let refunds = goods.refunds(for: request.asked, at: now)
        let decided = forced ?? outcome(request, transaction.answer)
        switch decided {
        case .none: break
        case .decline: close(request, as: .declined, telling: "REFUND_DECLINED", at: now)
        case .silentDecline: close(request, as: .declined, telling: nil, at: now)
        case .refund, .asAnswered, .drawn, .silentRefund:
            guard refunds.contains(where: { $0.amount > 0 }) else {
                return close(request, as: .overtaken, telling: nil, at: now)
            }
            guard works.commerce.close(request, as: .refunded, at: now) else { return }
            book(refunds, request, at: now)
            if request.kind == .revoke { switchRenewalOff(request.transactionID, in: request.environment) }
            if decided != .silentRefund { tell("REFUND", request) }
        }
    }

    private func outcome(_ request: CommerceRequest, _ answer: ConsumptionAnswer?) -> CommerceOutcome {
        if request.asked.simulatesDecline { return .decline }
        let manners = works.manners
        let usual: CommerceOutcome = manners.decisions ? (manners.wilfulness ? .drawn : .asAnswered) : .none
        let outcome =
            works.commerce.standing(request.bundleID, in: request.environment).outcome
            ?? works.commerce.settings.outcome ?? usual
        guard outcome == .asAnswered || outcome == .drawn else { return outcome }
        switch answer?.preference {
        case .decline: return .decline
        case .grantFull, .grantProrated: return .refund
        case nil:
            guard outcome == .drawn else { return .refund }
            // One draw for each request, however often it is looked at.
            var chance = works.chance.stream("commerce decision", "\(request.transactionID) \(request.earlier)")
            // What was used up is declined more often.
            let declines = answer?.consumptionPercentage == 100_000 ? 40 : 12
            return chance.pick([(.refund, 78), (.decline, declines), (.silentRefund, 5), (.silentDecline, 5)])
        }
    }

    private func close(
        _ request: CommerceRequest, as ended: CommerceRequest.State, telling type: String?, at now: Moment
    ) {
        guard works.commerce.close(request, as: ended, at: now) else { return }
        works.shelves.change(request.transactionID, in: request.environment, counts: false) {
            $0.requestedAt = nil
            $0.isDecided = false
        }
        if let type { tell(type, request) }
    }

    private func book(_ refunds: [CommerceGoods.Refund], _ request: CommerceRequest, at now: Moment) {
        works.shelves.change(request.transactionID, in: request.environment) { transaction in
            guard let goods = CommerceGoods(transaction.payload) else { return }
            transaction.payload = goods.payload(after: refunds, at: now)
            transaction.requestedAt = nil
            transaction.isDecided = false
        }
        works.commerce.book(
            refunds.filter { $0.amount > 0 }.map { refund in
                CommerceRefund(
                    environment: request.environment, bundleID: request.bundleID,
                    transactionID: request.transactionID, sku: refund.sku,
                    requestReferenceID: request.requestReferenceID, amount: refund.amount, reason: refund.reason,
                    type: refund.type, isRevoked: refund.revokes, at: now)
            })
    }

    // MARK: Renewal

    /// Auto-renewal goes off and the app is told; access ends with the period (apple sheets 1.5, 6.6).
    private func switchRenewalOff(_ id: String, in environment: StoreEnvironment) {
        guard let transaction = works.shelves.transaction(id, in: environment) else { return }
        var wasOn = false
        for member in CommerceLookup(shelves: works.shelves).chain(of: transaction) {
            works.shelves.change(member.id, in: environment) { changed in
                wasOn = wasOn || changed.renewal?["autoRenewStatus"] == 1
                changed.renewal?["autoRenewStatus"] = 0
            }
        }
        if wasOn {
            tell("DID_CHANGE_RENEWAL_STATUS", subtype: "AUTO_RENEW_DISABLED", id, transaction.bundleID, environment)
        }
        guard transaction.payload["revocationDate"] == nil, let ends = transaction.payload["expiresDate"]?.int else {
            return
        }
        let rest = Duration.milliseconds(ends - works.now.milliseconds)
        guard rest > .zero, rest < Self.watchMax else { return }
        works.later(rest) { self.expire(id, in: environment) }
    }

    /// The period of a subscription is over: EXPIRED, if it was not renewed or revoked.
    ///
    /// - Parameter now: cuts the period short; nil where it has ended by itself.
    func expire(_ id: String, in environment: StoreEnvironment, cuttingAt now: Moment? = nil) {
        if let now {
            works.shelves.change(id, in: environment) { transaction in
                guard let ends = transaction.payload["expiresDate"]?.int, ends > now.milliseconds else { return }
                transaction.payload["expiresDate"] = .int(now.milliseconds)
                if transaction.renewal != nil { transaction.renewal?["renewalDate"] = .int(now.milliseconds) }
            }
        }
        guard let transaction = works.shelves.transaction(id, in: environment), !transaction.isRevoked else { return }
        tell("EXPIRED", subtype: "VOLUNTARY", id, transaction.bundleID, environment)
    }

    private func tell(_ type: String, _ request: CommerceRequest) {
        tell(type, request.transactionID, request.bundleID, request.environment)
    }

    /// Without an address for notifications nothing is told; the API knows it all the same.
    private func tell(
        _ type: String, subtype: String? = nil, _ id: String, _ bundleID: String, _ environment: StoreEnvironment
    ) {
        var order = NotificationOrder(
            type, subtype: subtype, environment: environment, bundleID: bundleID, transactionID: id)
        order.isBooked = true
        do {
            try office.release(order)
        } catch {
            works.journal.warning("nothing is told", ["transaction": .string(id), "error": JournalValue(error)])
        }
    }
}
