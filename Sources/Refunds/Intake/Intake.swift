import AppStore
import Crypto
import FoundationEssentials
package import Journal
package import Postgres
package import Queue
import Synchronization
package import Tenants
package import Time

/// The way in: a delivery is verified, made durable and handed to the workers, or refused.
///
/// The outer signature covers every byte, so it is verified before the acknowledgement, together with the
/// dates and whose notification it is. The inner signed texts are verified by the worker before anything
/// of them is used. Concurrent deliveries share a commit; each is answered only after its own row is durable.
package final class Intake: Sendable {
    /// Bytes of deliveries that may wait in memory at once; beyond it senders are asked to come back.
    package static let waitingBytesMax = 64 * 1024 * 1024
    /// For the answers 503: soon enough to be early, late enough not to be a load.
    static let retryAfter: Duration = .seconds(30)

    private let apple: AppleSide
    private let database: Database
    private let headers: SignatureHeaders
    private let quarantine: Quarantine
    private let bell: Bell
    private let journal: Journal
    private let counters: Counters
    private let collector: Collector<NotificationStore.NewRow, NotificationStore.Receipt>
    private let waitingBytes = Atomic<Int>(0)

    package init(
        apple: AppleSide, database: Database, headers: SignatureHeaders, quarantine: Quarantine, bell: Bell,
        journal: Journal, counters: Counters
    ) {
        self.apple = apple
        self.database = database
        self.headers = headers
        self.quarantine = quarantine
        self.bell = bell
        self.journal = journal
        self.counters = counters
        collector = Collector(database: database, wait: .seconds(5)) { items, database in
            try await NotificationStore.write(items, database: database)
        }
    }

    /// Takes in one delivery. Returns only after its own row is durable, or with the reason why not.
    package func receive(_ body: [UInt8], inbox: Inbox, meta: DeliveryMeta, at now: Moment) async -> IntakeOutcome {
        let waiting = waitingBytes.add(body.count, ordering: .relaxed).newValue
        defer { waitingBytes.subtract(body.count, ordering: .relaxed) }
        guard waiting <= Self.waitingBytesMax else {
            return unavailable("too many deliveries wait", inbox, error: nil)
        }
        let signedText: [UInt8]
        let verified: VerifiedNotification
        do throws(JWSError) {
            signedText = try NotificationBody.signedPayload(body)
        } catch {
            // The body may hold anything, the shared secret of a version 1 receipt among it.
            return await refuse(
                Refusal(reason: error.reason.rawValue, detail: error.text, withholding: body, meta: meta), error, inbox,
                now)
        }
        do throws(JWSError) {
            verified = try await apple.verifier(for: inbox.app).outer(
                signedText, for: AppIdentity(bundleID: inbox.app.bundleID, appleID: inbox.app.appleID),
                inbox: inbox.inboxID, at: now, from: .posted)
        } catch {
            if error.isOurTrouble { return unavailable(error.text, inbox, error: error) }
            return await refuse(
                Refusal(reason: error.reason.rawValue, detail: error.text, body: signedText, meta: meta), error, inbox,
                now)
        }
        do {
            if let appleID = verified.learnedAppleID, let other = try await learn(appleID, of: inbox.app, at: now) {
                let error = JWSError(
                    .appleIDMismatch, "the notification is about the app \(appleID), and this address is of \(other)")
                return await refuse(
                    Refusal(reason: error.reason.rawValue, detail: error.text, body: signedText, meta: meta), error,
                    inbox,
                    now)
            }
            let receipt = try await collector.submit(
                NotificationStore.NewRow(
                    verified, headerNumber: try await headers.number(of: verified.jws.headerText),
                    wrapping: BodyWrapping.of(body, around: signedText), of: inbox.app, at: now))
            guard receipt.isFirst else {
                count("duplicate", inbox.app)
                return .duplicate
            }
            bell.ring()
            count("accepted", inbox.app)
            return .accepted
        } catch {
            return unavailable("the notification could not be stored", inbox, error: error)
        }
    }

    /// - Returns: the Apple ID that was known before, where it is another one.
    private func learn(_ appleID: Int64, of app: App, at now: Moment) async throws -> Int64? {
        let learned = try await database.transaction(app.tenant.scope, within: .seconds(5)) { tx in
            try await TenantStore.learnAppleID(appleID, of: app.tenant, app: app.id, at: now, in: tx)
        }
        switch learned {
        case .same: return nil
        case .differs(let known): return known
        case .learned:
            journal.info(
                "learned an app's Apple ID from its first Production notification",
                ["tenant": .init(app.tenant.rawValue), "app": .init(app.id.rawValue), "appAppleId": .init(appleID)])
            return nil
        }
    }

    private func refuse(_ refusal: Refusal, _ error: JWSError, _ inbox: Inbox, _ now: Moment) async -> IntakeOutcome {
        count("rejected", inbox.app)
        let isMisdirected = error.reason == .bundleMismatch || error.reason == .appleIDMismatch
        await quarantine.refuse(refusal, of: inbox.app, inboxID: inbox.inboxID, isMisdirected: isMisdirected, at: now)
        return .rejected(reason: error.reason.rawValue, text: error.text)
    }

    private func unavailable(_ text: String, _ inbox: Inbox, error: (any Error)?) -> IntakeOutcome {
        count("unavailable", inbox.app)
        journal.error(
            "a delivery could not be taken in and is asked for again: \(text)",
            [
                "tenant": .init(inbox.app.tenant.rawValue), "app": .init(inbox.app.id.rawValue),
                "error": error.map { JournalValue($0) } ?? .none,
            ])
        return .unavailable(retryAfter: Self.retryAfter, text: text)
    }

    private func count(_ outcome: String, _ app: App) {
        counters.count(
            "deliveries_total", ["outcome": outcome], of: app, help: "Deliveries of notifications, by outcome.")
    }
}
