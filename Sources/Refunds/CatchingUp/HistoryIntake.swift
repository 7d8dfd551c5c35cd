import AppStore
import Crypto
import FoundationEssentials
import Postgres
import Tenants
import Time

/// The way in for what Apple's history names: verified like a delivery, and stored once, whoever brings it.
struct HistoryIntake: Sendable {
    let apple: AppleSide
    let headers: SignatureHeaders

    /// A page's items: those that are believed, each once, and those that are not.
    struct Sorted: Sendable {
        var rows: [NotificationStore.NewRow] = []
        /// By the row's place: Apple's attempts, as JSON.
        var attempts: [String] = []
        var refusals: [Refusal] = []
        /// Named by the first of the notifications of an app whose Apple ID is not known yet.
        var learned: Int64?
    }

    /// How many were named for the first time.
    struct Kept: Sendable, Hashable {
        var held = 0
        var fetched = 0
        var refused = 0
    }

    /// Verifies a page.
    ///
    /// - Throws: a `JWSError` that is our own trouble, and what the database throws: the page is to be read again.
    func sort(
        _ items: ArraySlice<NotificationRecord>, of app: App, _ environment: Environment, refusalsMax: Int,
        at now: Moment
    ) async throws -> Sorted {
        var sorted = Sorted()
        var seen: Set<UUID> = []
        let verifier = apple.verifier(for: app)
        let identity = AppIdentity(bundleID: app.bundleID, appleID: app.appleID)
        for item in items {
            let text = Array(item.signedPayload.utf8)
            let verified: VerifiedNotification
            do throws(JWSError) {
                verified = try await verifier.outer(text, for: identity, at: now, from: .history)
                guard verified.environment == environment else {
                    throw JWSError(
                        .environmentMismatch,
                        "the notification is from \(verified.environment.rawValue), in the history of \(environment.rawValue)"
                    )
                }
                if let learned = verified.learnedAppleID, let known = sorted.learned, known != learned {
                    throw JWSError(.appleIDMismatch, "two notifications of one history name different apps")
                }
            } catch {
                if error.isOurTrouble { throw error }
                guard sorted.refusals.count < refusalsMax else { continue }
                sorted.refusals.append(
                    Refusal(
                        reason: error.reason.rawValue, detail: "From Apple's history: \(error.text)", body: text,
                        meta: nil))
                continue
            }
            sorted.learned = sorted.learned ?? verified.learnedAppleID
            guard seen.insert(verified.uuid).inserted else { continue }
            sorted.rows.append(
                NotificationStore.NewRow(
                    verified, headerNumber: try await headers.number(of: verified.jws.headerText), wrapping: nil,
                    of: app,
                    at: now))
            sorted.attempts.append(KeptAttempt.json(item.attempts))
        }
        return sorted
    }

    /// Keeps a page, with a job for each notification that is new here; counts each that is named for the first time.
    func keep(
        _ sorted: Sorted, of app: App, _ environment: Environment, at now: Moment, in tx: Transaction
    ) async throws -> Kept {
        var sorted = sorted
        if let appleID = sorted.learned,
            case .differs(let known) = try await TenantStore.learnAppleID(
                appleID, of: app.tenant, app: app.id, at: now, in: tx)
        {
            // Somebody else learned another one meanwhile: none of these is of this app.
            sorted.rows = []
            sorted.attempts = []
            sorted.refusals = [
                Refusal(
                    reason: JWSError.Reason.appleIDMismatch.rawValue,
                    detail: "From Apple's history: the notification is about the app \(appleID), not about \(known)",
                    body: nil, meta: nil)
            ]
        }
        var (kept, tallies) = (Kept(), [Moment: HistoryStore.Tally]())
        let signed = Dictionary(sorted.rows.map { ($0.uuid, $0.signedAt) }) { first, _ in first }
        for found in try await NotificationStore.fetch(sorted.rows, attempts: sorted.attempts, in: tx) {
            let day = HistoryStore.day(signed[found.uuid] ?? now)
            if found.isNew {
                kept.fetched += 1
                tallies[day, default: .init()].fetched += 1
            } else {
                kept.held += 1
                tallies[day, default: .init()].held += 1
            }
        }
        for refusal in sorted.refusals {
            if try await HistoryStore.isRefused(refusal.sha256, of: app.id, tenant: app.tenant, in: tx) { continue }
            try await Quarantine.store(refusal, of: app, counts: [refusal.reason: 1], at: now, in: tx)
            kept.refused += 1
            tallies[HistoryStore.day(now), default: .init()].refused += 1
        }
        try await HistoryStore.add(tallies, of: app.id, environment, tenant: app.tenant, in: tx)
        return kept
    }
}

/// An attempt of Apple's to deliver a notification, as it is kept with one that was fetched.
struct KeptAttempt: Codable, Sendable, Hashable {
    /// Milliseconds.
    let at: Int64?
    let result: String

    static func json(_ attempts: [SendAttempt]) -> String {
        let kept = attempts.map {
            KeptAttempt(at: $0.at?.milliseconds, result: Text.kept($0.result.raw, bytesMax: 100))
        }
        return (try? JSONEncoder().encode(kept)).map { String(decoding: $0, as: UTF8.self) } ?? "[]"
    }

    static func read(_ text: String?) -> [KeptAttempt] {
        text.flatMap { try? JSONDecoder().decode([KeptAttempt].self, from: Data($0.utf8)) } ?? []
    }
}
