import AppStore
import Crypto
package import FoundationEssentials
import Journal
import Loop
package import Postgres
import Refunds
package import Tenants
package import Time

/// Two tenants with apps, people and cases, written straight into a test's database: for tests of
/// pages, which must not need the engine.
package struct SampleDesk: Sendable {
    package let alpha: Tenant
    package let beta: Tenant
    package let alphaApp: App
    package let alphaLite: App
    package let betaApp: App
    package let signIn: SignIn
    package let database: Database
    package let clock: ManualClock

    private static let hash = PasswordOnce()

    /// 2026-06-15 12:00:00.123 UTC
    package static let signed = Moment(milliseconds: 1_781_524_800_123)
    package static let password = "the password of a sample"

    /// `sam@alpha.example` supports alpha, `bea@beta.example` supports beta, `ops@desk.example` runs
    /// the installation; all have `password`.
    package static func make(in test: TestDatabase) async throws -> SampleDesk {
        let clock = ManualClock(signed + .minutes(40))
        let hashing = Offload(name: "hashing", threads: 2, queueMax: 20)
        let keyring = try MasterKeyring(text: MasterKeyring.newKeyText())
        let signIn = SignIn(database: test.database, keyring: keyring, clock: clock.clock, journal: .silent) {
            try await hashing.run($0)
        }
        let now = clock.now
        let (alpha, beta, people) = try await test.database.transaction(.house) { tx in
            let alpha = try await TenantStore.add(
                slug: "alpha", name: "Alpha Games", at: now, by: .commandLine, in: tx)
            let beta = try await TenantStore.add(slug: "beta", name: "Beta Works", at: now, by: .commandLine, in: tx)
            var people: [Person] = []
            for email in ["sam@alpha.example", "bea@beta.example", "ops@desk.example"] {
                people.append(try await PersonStore.findOrAdd(email: email, at: now, in: tx))
            }
            try await PersonStore.addMember(
                people[0], of: alpha, role: .support, at: now, by: .commandLine, in: tx)
            try await PersonStore.addMember(people[1], of: beta, role: .viewer, at: now, by: .commandLine, in: tx)
            try await PersonStore.makeInstallation(people[2], in: tx)
            return (alpha, beta, people)
        }
        try await hash.give(to: people.map(\.id), by: signIn, in: test)
        func app(_ bundle: String, _ name: String, of tenant: Tenant) async throws -> App {
            try await test.database.transaction(.tenant(tenant.id.rawValue)) { tx in
                var new = NewApp(bundleID: bundle)
                new.name = name
                return try await TenantStore.addApp(new, to: tenant.id, at: now, by: .commandLine, in: tx)
            }
        }
        return SampleDesk(
            alpha: alpha, beta: beta, alphaApp: try await app("com.example.alpha", "Alpha", of: alpha),
            alphaLite: try await app("com.example.alpha.lite", "Alpha Lite", of: alpha),
            betaApp: try await app("com.example.beta", "Beta", of: beta), signIn: signIn, database: test.database,
            clock: clock)
    }

    /// Another app of alpha's, made to rehearse with a simulator that is not there.
    package func addRehearsal() async throws -> App {
        let root = try AppleSigner(around: clock.now).root.der
        let now = clock.now
        return try await transaction(for: alphaApp) { tx in
            var new = NewApp(bundleID: "com.example.rehearsal")
            new.name = "Try-out"
            new.rehearsal = try RehearsalSide(rootFile: root, apiURL: "https://simulator.example")
            return try await TenantStore.addApp(new, to: alpha.id, at: now, by: .commandLine, in: tx)
        }
    }

    /// A transaction of the tenant that an app belongs to.
    @discardableResult
    package func transaction<R: Sendable>(
        for app: App, _ body: (Transaction) async throws -> R
    ) async throws -> R {
        try await database.transaction(.tenant(app.tenant.rawValue), body)
    }
}

/// Hashes the samples' password once for all tests: it is meant to be slow.
private actor PasswordOnce {
    private var hash: String?

    func give(to people: [PersonID], by signIn: SignIn, in test: TestDatabase) async throws {
        if hash == nil, let first = people.first {
            try await signIn.setPassword(Array(SampleDesk.password.utf8), of: first)
            let row = try await test.database.rows(
                .house, "select password from tenants.people where person_id = \(first.rawValue)"
            ).first
            hash = try row?("password")
        }
        try await test.database.execute(
            .house, "update tenants.people set password = \(hash) where person_id = any(\(people.map(\.rawValue)))")
    }
}

/// A case to be written, valid as it stands.
package struct SampleCase: Sendable {
    package var id = Random.uuid()
    package var notification = Random.uuid()
    package var transactionID = "2000000900000001"
    package var originalTransactionID: String?
    package var isSandbox = false
    package var productID = "coins.100"
    package var customer: String? = "7e3fb204-2f6d-4a3c-9d5e-6a1c0f9b8e21"
    package var state = "answered"
    package var stateReason: String?
    package var outcome = "pending"
    package var reason: String? = "UNINTENDED_PURCHASE"
    package var price: Int64? = 9990
    package var currency: String? = "USD"
    package var signedAt = SampleDesk.signed
    package var purchasedAt = SampleDesk.signed
    package var deliveries: Int32 = 1
    package var errorMessage: String?
    /// What Apple was told, in an answered case; null: before that was kept.
    package var told: String? = "GRANT_FULL"
    /// What the rules said; nil: none was asked.
    package var answer: String? = "GRANT_FULL"
    /// Whether a lot kept the preference back; nil: none was drawn.
    package var heldOut: Bool?
    /// Thousandths of a percent.
    package var share: Int32?

    package init() {}

    package var deadline: Moment { signedAt + (isSandbox ? .minutes(5) : .hours(12)) }
}

extension SampleDesk {
    /// Writes a case with its request, decision, reply and notification, as the engine leaves them.
    @discardableResult
    package func add(_ sample: SampleCase, to app: App) async throws -> UUID {
        try await transaction(for: app) { tx in
            for statement in statements(for: sample, of: app) { try await tx.execute(statement) }
        }
        return sample.id
    }

    private func statements(for c: SampleCase, of app: App) -> [SQL] {
        let (tenant, id) = (app.tenant.rawValue, app.id.rawValue)
        let environment = c.isSandbox ? "Sandbox" : "Production"
        let original = c.originalTransactionID ?? c.transactionID
        let received = c.signedAt + .milliseconds(740)
        let isAsked = c.state != "unasked"
        let fields = Array("{\"transactionId\":\(JSONText.quoted(c.transactionID))}".utf8)
        var all: [SQL] = [
            """
            insert into refunds.cases (tenant_id, case_id, app_id, environment, transaction_id, original_transaction_id,
              product_id, customer, state, state_reason, outcome, reason, price, currency, listed_at, deadline, told)
            values (\(tenant), \(c.id), \(id), \(environment), \(c.transactionID), \(original), \(c.productID),
              \(c.customer), \(c.state), \(c.stateReason), \(c.outcome), \(c.reason), \(c.price), \(c.currency),
              \(c.signedAt), \(isAsked ? c.deadline : nil), \(c.state == "answered" ? c.told : nil))
            """,
            """
            insert into refunds.transactions (tenant_id, app_id, environment, transaction_id, original_transaction_id,
              signed_at, product_id, type, customer, purchased_at, price, currency, storefront, ownership, fields)
            values (\(tenant), \(id), \(environment), \(c.transactionID), \(original), \(c.signedAt), \(c.productID),
              'Consumable', \(c.customer), \(c.purchasedAt), \(c.price), \(c.currency), 'USA', 'PURCHASED', \(fields))
            on conflict do nothing
            """,
            """
            insert into refunds.notifications (tenant_id, app_id, notification_uuid, environment, type, signed_at,
              received_at, deliveries, standing, transaction_id)
            values (\(tenant), \(id), \(c.notification), \(environment), 'CONSUMPTION_REQUEST', \(c.signedAt),
              \(received), \(c.deliveries), 'acted', \(c.transactionID))
            """,
            """
            insert into refunds.notification_bodies (tenant_id, app_id, notification_uuid, received_at, form, headers,
              signature, body)
            values (\(tenant), \(id), \(c.notification), \(received), 0, '{}', ''::bytea, \(signedText(of: c)))
            """,
        ]
        if c.outcome == "refunded" {
            all.append(
                """
                insert into refunds.facts (tenant_id, case_id, fact_id, kind, signed_at, source, revoked_at,
                  revocation_type, revocation_share, revocation_reason)
                values (\(tenant), \(c.id), \(Random.uuid()), 'refund', \(c.signedAt + .minutes(30)), 'notification',
                  \(c.signedAt + .minutes(29)), 'REFUND_FULL', 100000, 0)
                """)
        }
        guard isAsked else { return all }
        all += [
            """
            insert into refunds.facts (tenant_id, case_id, fact_id, kind, signed_at, source, reason)
            values (\(tenant), \(c.id), \(c.notification), 'request', \(c.signedAt), 'notification', \(c.reason))
            """,
            """
            insert into refunds.rounds (tenant_id, case_id, round_id, requested_at, deadline, state, state_reason,
              first_received_at, decision, decided_at, hold_until, ask_until)
            values (\(tenant), \(c.id), \(c.notification), \(c.signedAt), \(c.deadline), \(c.state), \(c.stateReason),
              \(received), \(Self.decision), \(received), \(c.state == "held" ? c.deadline - .minutes(1) : nil),
              \(c.state == "held" ? c.deadline - .minutes(1) : nil))
            """,
        ]
        if let answer = c.answer {
            let use = c.share.map { "\tu\($0)" } ?? ""
            let facts = "r\(c.reason ?? "OTHER")\te\(c.isSandbox ? "S" : "P")\tp\(c.productID)\td\("DELIVERED")\(use)"
            let price = c.price.flatMap { price in c.currency.map { "\tm\(price)\tc\($0)" } } ?? ""
            all.append(
                """
                insert into refunds.decisions (tenant_id, case_id, app_id, environment, round_id, requested_at, decided_at,
                  facts, share, rule, answer, held_out)
                values (\(tenant), \(c.id), \(id), \(environment), \(c.notification), \(c.signedAt), \(received),
                  \(facts + price), \(c.share), 5, \(answer), \(c.heldOut))
                """)
        }
        guard c.state == "answered" || c.state == "refused" else { return all }
        let isAccepted = c.state == "answered"
        all += [
            """
            insert into refunds.replies (tenant_id, case_id, round_id, api, body, frozen_at)
            values (\(tenant), \(c.id), \(c.notification), 2, \(Self.replyBody), \(received))
            """,
            """
            insert into refunds.attempts (tenant_id, case_id, round_id, attempt_no, worker, started_at, send_by,
              give_up_at, ended_at, result, status, apple_code, apple_message, apple_request_id)
            values (\(tenant), \(c.id), \(c.notification), 1, 1, \(received), \(received + .seconds(5)),
              \(received + .seconds(35)), \(received + .milliseconds(180)), \(isAccepted ? "accepted" : "refused"),
              \(isAccepted ? 202 : 400), \(isAccepted ? nil : 4_000_047 as Int64?), \(c.errorMessage),
              'b0c9b1ce-1f5b-4a51-8c26-77d7a0f8f0aa')
            """,
        ]
        return all
    }

    package static let replyBody = Array(
        #"{"customerConsented":true,"sampleContentProvided":false,"deliveryStatus":"DELIVERED","consumptionPercentage":0,"refundPreference":"GRANT_FULL"}"#
            .utf8)

    private static let decision =
        #"{"row":5,"situation":"not used at all","preference":"GRANT_FULL","saw":[{"name":"deliveryStatus","value":"DELIVERED","source":"by the app's setting"}],"remarks":[]}"#

    /// In compact form; nothing reads its signature here.
    private func signedText(of c: SampleCase) -> [UInt8] {
        func coded(_ text: String) -> String { Base64URL.encode(Array(text.utf8)) }
        let inner =
            #"{"transactionId":\#(JSONText.quoted(c.transactionID)),"productId":\#(JSONText.quoted(c.productID)),"purchaseDate":\#(c.purchasedAt.milliseconds)}"#
        let innerText = "\(coded("{}")).\(coded(inner)).\(coded("signature"))"
        let outer =
            #"{"notificationType":"CONSUMPTION_REQUEST","notificationUUID":"\#(c.notification.uuidString.lowercased())","data":{"signedTransactionInfo":"\#(innerText)"}}"#
        return Array("\(coded("{}")).\(coded(outer)).\(coded("signature"))".utf8)
    }

    /// Puts a refused delivery into an app's quarantine.
    package func addRefusal(
        _ number: Int64, to app: App, reason: String, detail: String = "refused", userAgent: String? = nil,
        forwardedFor: String? = nil, at: Moment = SampleDesk.signed
    ) async throws {
        try await transaction(for: app) { tx in
            try await tx.execute(
                """
                insert into refunds.refusals (tenant_id, app_id, slot, refusal_no, received_at, reason, detail,
                  body_sha256, bytes, user_agent, forwarded_for)
                values (\(app.tenant.rawValue), \(app.id.rawValue), \(number), \(number), \(at), \(reason), \(detail),
                  ''::bytea, 312, \(userAgent), \(forwardedFor))
                """)
        }
    }
}
