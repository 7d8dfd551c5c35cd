import Journal
import Synchronization
import Time

/// Sends notifications: at once for whoever asks, or with Apple's manners for the flow of its own doings.
final class PostOffice: Sendable {
    private struct Held: Sendable {
        let uuid: String
        let url: String
    }

    private let works: Works
    private let writer: NotificationWriter
    private let postman: Postman
    private let held = Mutex<[String: [Held]]>([:])

    init(works: Works, postman: Postman) {
        self.works = works
        self.postman = postman
        writer = NotificationWriter(shelves: works.shelves, authority: works.authority, clock: works.clock)
    }

    /// Signs a notification and keeps it, without sending.
    func write(_ order: NotificationOrder, remarks: [String] = []) throws -> SentNotification {
        var order = order
        order.decides = order.decides ?? works.manners.decisions
        var chance = stream("notification", order)
        var notification = try writer.write(order, chance: &chance)
        notification.mischief = remarks
        works.shelves.put(notification)
        return notification
    }

    /// Writes and posts as often as ordered, one after the other, and tells what was answered.
    func send(_ order: NotificationOrder) async throws -> SentNotification {
        guard let url = order.url ?? works.shelves.app(order.bundleID)?.notificationURLs[order.environment] else {
            throw OrderFault("\(order.bundleID) has no notification URL for \(order.environment.rawValue)")
        }
        let notification = try write(order)
        for copy in 1...max(1, order.copies) {
            await attempt(notification.uuid, notification.body, url, retry: copy == order.copies ? 0 : nil)
        }
        return works.shelves.notification(notification.uuid) ?? notification
    }

    /// Writes now, and posts when and as often as mischief has it.
    @discardableResult
    func release(_ order: NotificationOrder) throws -> SentNotification {
        guard let url = order.url ?? works.shelves.app(order.bundleID)?.notificationURLs[order.environment] else {
            throw OrderFault("\(order.bundleID) has no notification URL for \(order.environment.rawValue)")
        }
        // A person waits for a test: it goes out at once, and once.
        if order.type == "TEST" {
            let notification = try write(order)
            works.later(.zero) { await self.attempt(notification.uuid, notification.body, url, retry: 0) }
            return notification
        }
        var order = order
        var chance = stream("mischief", order)
        if works.manners.inventions { Mischief.invent(in: &order, chance: &chance) }
        let mischief = Mischief.draw(works.manners, works.pace, chance: &chance)
        let notification = try write(order, remarks: mischief.remarks)
        let letter = Held(uuid: notification.uuid, url: url)
        let bundleID = order.bundleID
        if mischief.isHeld {
            held.withLock { $0[bundleID, default: []].append(letter) }
            works.later(.milliseconds(works.pace.holdMax)) { await self.letGo(of: bundleID) }
        } else {
            works.later(.milliseconds(mischief.delay)) {
                await self.attempt(letter.uuid, notification.body, letter.url, retry: 0)
                await self.letGo(of: bundleID)
            }
        }
        if let copyAfter = mischief.copyAfter {
            works.later(.milliseconds(mischief.delay + copyAfter)) {
                await self.attempt(letter.uuid, notification.body, letter.url, retry: nil)
            }
        }
        return notification
    }

    /// One stream for each subject, so that a run repeats however its happenings are interleaved.
    private func stream(_ question: String, _ order: NotificationOrder) -> Chance.Stream {
        let subject = "\(order.environment) \(order.bundleID) \(order.type) \(order.transactionID ?? "")"
        return works.chance.stream(question, "\(subject) \(works.count("\(question) \(subject)"))")
    }

    /// Sends what was held back for a newer notification.
    private func letGo(of bundleID: String) async {
        let letters = held.withLock { $0.removeValue(forKey: bundleID) } ?? []
        for letter in letters {
            guard let notification = works.shelves.notification(letter.uuid) else { continue }
            await attempt(letter.uuid, notification.body, letter.url, retry: 0)
        }
    }

    /// One attempt, and the next one of Apple's schedule if it failed in production.
    ///
    /// - Parameter retry: how many retries went before; nil for a copy that is not tried again.
    private func attempt(_ uuid: String, _ body: [UInt8], _ url: String, retry: Int?) async {
        guard works.shelves.notification(uuid)?.isSent != false else { return }
        let attempt = await postman.deliver(body, to: url, patience: .milliseconds(works.pace.senderPatience))
        var environment = StoreEnvironment.sandbox
        works.shelves.change(notification: uuid) {
            $0.attempts.append(attempt)
            environment = $0.environment
        }
        works.journal.debug(
            "posted a notification", ["notification": .string(uuid), "status": .int(Int64(attempt.status))])
        guard !attempt.isDelivered, let retry, retry < Pace.retryHours.count, environment == .production,
            works.manners.retries
        else { return }
        works.later(.milliseconds(Pace.retryHours[retry] * works.pace.retryHour)) {
            await self.attempt(uuid, body, url, retry: retry + 1)
        }
    }
}
