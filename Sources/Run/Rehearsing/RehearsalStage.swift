import AppStore
import HTTP
import Refunds
import Postgres
import Tenants
import Time

/// The simulator in the place of a person at a device and of Apple: makes purchases and sends what Apple would send.
final class RehearsalStage {
    /// Why a step could not be played.
    struct Fault: Error, CustomStringConvertible {
        let text: String
        var description: String { text }
    }

    let address: String
    private let http: HTTPClient
    private let house: House

    /// - Parameter given: nil: where the app or the settings call one already.
    init(of app: App, at given: BaseURL?, _ house: House) throws {
        let sandbox = house.configuration.appStoreSandbox
        if let given {
            guard given.isLoopback else { throw Failure("--simulator must be an address of this machine") }
            address = given.text
        } else if let side = app.rehearsal {
            address = side.apiURL
        } else if sandbox.isLoopback, sandbox.text.hasSuffix("/sandbox") {
            address = String(sandbox.text.dropLast("/sandbox".count))
        } else {
            throw Failure(
                "no simulator stands in Apple's place: name it with --simulator URL, or leave out --unattended")
        }
        self.house = house
        http = HTTPClient(
            name: "rehearsing", options: HTTPClient.Options(userAgent: "refund-desk/\(Version.number)"),
            journal: house.journal, counters: house.counters)
    }

    func leave() async { await http.shutdown() }

    /// - Returns: the transaction that the step is about: others may come and go meanwhile.
    func play(_ step: RehearsalStep, of app: App) async throws -> String? {
        switch step {
        case .ready: return nil
        case .granted: return try await notify(app, [("type", "REFUND"), ("productType", "Consumable")])
        case .declined: return try await notify(app, [("type", "REFUND_DECLINED"), ("productType", "Consumable")])
        case .prorated:
            return try await notify(
                app,
                [
                    ("type", "REFUND"), ("productType", "Consumable"),
                    (
                        "transaction",
                        .object([("revocationType", "REFUND_PRORATED"), ("revocationPercentage", 50_000)])
                    ),
                ])
        case .asked: return try await ask(app)
        }
    }

    /// A purchase of a customer who agreed, and Apple's question about it.
    private func ask(_ app: App) async throws -> String? {
        let made = try await post(
            "/control/transactions",
            [("bundleId", .text(app.bundleID)), ("environment", "Sandbox"), ("productType", "Consumable")])
        guard let purchase = made["transactions"]?.elements?.first?["transaction"],
            let id = purchase["transactionId"]?.string
        else { throw Fault(text: "the simulator made no purchase") }
        if app.consent == .perCustomer {
            let subject: ConsentLedger.Subject =
                purchase["appAccountToken"]?.string.map { .customer(appAccountToken: $0) }
                ?? .purchase(transactionID: id)
            let now = house.clock.now
            _ = try await house.database.transaction(app.tenant.scope) { tx in
                try await ConsentLedger.record(
                    ConsentLedger.Report(
                        consented: true, recordedAt: now - .hours(1), wordingVersion: nil, source: "rehearsal"),
                    of: subject, tenant: app.tenant, app: app.id, at: now, in: tx)
            }
        }
        return try await notify(
            app,
            [("type", "CONSUMPTION_REQUEST"), ("transactionId", .text(id)), ("reason", "OTHER"), ("decides", true)])
    }

    private func notify(_ app: App, _ members: [(String, JSON)]) async throws -> String? {
        let sent = try await post(
            "/control/notifications",
            [("bundleId", .text(app.bundleID)), ("environment", "Sandbox")] + members)
        guard let delivery = sent["deliveries"]?.elements?.last else {
            throw Fault(text: "the simulator delivered nothing")
        }
        guard delivery["status"]?.int == 200 else {
            let said = delivery["error"]?.string ?? delivery["body"]?.string ?? ""
            throw Fault(text: "the notification was not taken: \(delivery["status"]?.int ?? 0) \(said)")
        }
        return sent["transactionId"]?.string
    }

    private func post(_ path: String, _ members: [(String, JSON)]) async throws -> JSONValue {
        let answer: ClientResponse
        do {
            answer = try await http.send(
                ClientRequest(
                    method: .post, url: address + path, headers: ["Content-Type": "application/json"],
                    body: Array(JSON.object(members).text.utf8)))
        } catch {
            throw Fault(text: "the simulator at \(address) does not answer: \(error)")
        }
        guard (200..<300).contains(answer.status), let document = try? JSONDocument(answer.body) else {
            throw Fault(
                text:
                    "the simulator answered \(answer.status) to \(path): \(String(decoding: answer.body.prefix(200), as: UTF8.self))"
            )
        }
        return document.root
    }
}
