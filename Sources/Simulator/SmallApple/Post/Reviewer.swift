import Journal
import Time

/// Decides refund requests, as Apple does: some time after the answer, or without one.
final class Reviewer: Sendable {
    private let works: Works
    private let office: PostOffice

    init(works: Works, office: PostOffice) {
        self.works = works
        self.office = office
    }

    /// Posts a request for consumption information, and sees to it that it is decided in the end.
    func ask(_ order: NotificationOrder) throws {
        watch(try office.release(order))
    }

    /// Decides a request that was sent, when the patience for an answer is over.
    func watch(_ notification: SentNotification) {
        guard notification.type == "CONSUMPTION_REQUEST", let id = notification.transactionID,
            works.shelves.transaction(id, in: notification.environment)?.isDecided == true
        else { return }
        works.later(.milliseconds(works.pace.patience)) {
            self.decide(id, in: notification.environment, asked: notification.signedAt)
        }
    }

    /// Goes on with a request from before a new start.
    func resume(_ transaction: StoreTransaction) {
        guard let asked = transaction.requestedAt else { return }
        works.later(.milliseconds(works.pace.patience)) {
            self.decide(transaction.id, in: transaction.environment, asked: asked)
        }
        if transaction.answer != nil { answered(transaction) }
    }

    /// Decides a request whose answer was accepted, after a while.
    func answered(_ transaction: StoreTransaction) {
        guard transaction.isDecided, let asked = transaction.requestedAt else { return }
        var chance = works.chance.stream("decision time", transaction.id)
        works.later(chance.duration(works.pace.decision)) {
            self.decide(transaction.id, in: transaction.environment, asked: asked)
        }
    }

    /// Once for each request: whoever comes second finds it gone.
    private func decide(_ id: String, in environment: StoreEnvironment, asked: Moment) {
        var taken: StoreTransaction?
        works.shelves.change(id, in: environment, counts: false) { transaction in
            guard transaction.requestedAt == asked else { return }
            taken = transaction
            transaction.requestedAt = nil
            transaction.isDecided = false
        }
        guard let taken else { return }
        var chance = works.chance.stream("decision", "\(id) \(works.count("decision \(id)"))")
        let decision = Decision.make(
            answer: taken.answer, payload: taken.payload, environment: environment, isWilful: works.manners.wilfulness,
            now: works.now, chance: &chance)
        do {
            try carryOut(decision, taken, chance: &chance)
        } catch {
            works.journal.warning(
                "a decision could not be sent", ["transaction": .string(id), "error": JournalValue(error)])
        }
    }

    private func carryOut(_ decision: Decision, _ transaction: StoreTransaction, chance: inout Chance.Stream) throws {
        guard case .refunded(let type, let percentage) = decision.outcome else {
            try tell("REFUND_DECLINED", of: transaction)
            return
        }
        let reason = Decision.revocationReason(for: transaction.requestReason)
        refund(transaction, type: type, percentage: percentage, reason: reason)
        try tell("REFUND", of: transaction)
        for copy in transaction.familyCopies {
            guard let member = works.shelves.transaction(copy, in: transaction.environment), !member.isRevoked else {
                continue
            }
            // A member's copy carries the purchaser's reason (apple sheet 3.3).
            let now = works.now
            works.shelves.change(copy, in: transaction.environment) {
                Revocation.endSharing(&$0, reason: reason, at: now)
            }
            try tell("REVOKE", of: member)
        }
        guard decision.isReversed else { return }
        works.later(chance.duration(works.pace.reversal)) {
            try? self.tell("REFUND_REVERSED", of: transaction)
        }
    }

    /// A refund that Apple grants by itself or after a request.
    func refund(_ transaction: StoreTransaction, type: String, percentage: Int64, reason: Int64) {
        let now = works.now
        works.shelves.change(transaction.id, in: transaction.environment) {
            Revocation.refund(
                &$0, type: type, percentage: percentage, reason: reason,
                refundReason: transaction.requestReason ?? "OTHER", at: now)
        }
    }

    func tell(_ type: String, subtype: String? = nil, of transaction: StoreTransaction) throws {
        try office.release(
            NotificationOrder(
                type, subtype: subtype, environment: transaction.environment, bundleID: transaction.bundleID,
                transactionID: transaction.id))
    }
}
