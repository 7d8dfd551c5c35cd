package import FoundationEssentials
import Journal
package import Postgres
package import Queue
package import Tenants
package import Time

/// Who changes something, and from where: for the audit log.
package struct Changer: Sendable {
    package let actor: AuditEntry.Actor
    package let address: String?

    package init(_ person: PersonID, address: String?) {
        actor = .person(person)
        self.address = address
    }
}

/// What the setup page of an app reads and does, each step in a transaction of its own.
///
/// Everything begins with the tenant and a bundle ID in one query; a foreign one is as absent as one that never was.
package final class SetupDesk: Sendable {
    /// Rows of the delivery log that the page shows.
    private static let relayLines = 20

    private let database: Database
    private let vault: Vault
    private let onboarding: Onboarding
    private let tokens: APITokens
    private let reports: Reports
    private let bell: Bell
    private let clock: WallClock
    private let outbound: OutboundRules

    /// - Parameter outbound: which addresses may be called for tenants.
    package init(
        database: Database, vault: Vault, onboarding: Onboarding, tokens: APITokens, reports: Reports, bell: Bell,
        clock: WallClock, outbound: OutboundRules
    ) {
        self.database = database
        self.vault = vault
        self.onboarding = onboarding
        self.tokens = tokens
        self.reports = reports
        self.bell = bell
        self.clock = clock
        self.outbound = outbound
    }

    // MARK: Reading

    /// The tenant's app with this bundle ID; nil when it is unknown or removed.
    package func app(of tenant: TenantID, bundleID: String) async throws -> App? {
        try await database.transaction(tenant.scope, isolation: .readOnly) { tx in
            try await TenantStore.app(of: tenant, bundleID: bundleID, in: tx)
        }
    }

    /// - Parameter withAddresses: for owners and admins; others see only how many there are.
    package func model(of app: App, withAddresses: Bool) async throws -> SetupModel {
        // Opened outside of the transaction: a database that is busy must not hold secrets in the clear for longer.
        let relayHost = try await relayHost(of: app)
        return try await database.transaction(app.tenant.scope, isolation: .readOnly) { tx in
            let state = try await onboarding.state(of: app, in: tx)
            let products = try await ProductStore.all(of: app, in: tx).filter { $0.sampleContent != nil }
            let tokens = try await tokens.all(of: app.tenant, in: tx).filter { $0.token.app == app.id }
            let stories = try await vault.keys(of: app.tenant, in: tx).filter { $0.info.serves(app) }.ownFirst
            let keys = SigningKeyState.allCases.flatMap { state in stories.filter { $0.info.state == state } }
            return SetupModel(
                app: app, environments: Self.environments(of: app, state, keys), keys: keys,
                canSeal: vault.hasMasterKey,
                addresses: try await addresses(of: app, inboxes: state.facts.inboxes, shown: withAddresses, in: tx),
                receiver: try await receiver(of: app, host: relayHost, in: tx), products: products,
                versionOneAt: state.facts.isVersionOne ? state.facts.versionOneAt : nil, tokens: tokens,
                hasReports: state.facts.hasReports, refused: Self.refused(state), sameAppleID: state.facts.sameAppleID,
                isAppleIDProven: state.facts.isAppleIDProven, readiness: state.readiness,
                stray: StrayEnvironment(of: app, heard: state.facts.heardAt, at: clock.now))
        }
    }

    private static func refused(_ state: OnboardingState) -> SetupModel.Refused? {
        guard let refused = state.facts.refused, let words = RefusedWords(refused, of: state.app) else { return nil }
        return SetupModel.Refused(at: refused.at, words: words)
    }

    /// - Parameter keys: active ones first; in each state the app's own before the tenant's, newest first.
    private static func environments(
        of app: App, _ state: OnboardingState, _ keys: [KeyStory]
    ) -> [SetupEnvironment] {
        let usable = keys.filter { $0.info.state != .retired }
        let taken = AppEnvironment.allCases.filter(app.environments.contains)
        // One simulator stands behind a rehearsal; its two environments are one for people.
        return (app.isRehearsal ? Array(taken.prefix(1)) : taken).map { id in
            let isSandbox = id == .sandbox
            var environment = SetupEnvironment(id: id, name: app.environmentLabel(id))
            environment.signer = KeyChoice.signing(usable.map { $0.candidate(for: app.id, isSandbox: isSandbox) })
                .map { usable[$0].info.id }
            environment.call = state.facts.calls[isSandbox: isSandbox]
            environment.trial = state.facts.trial(isSandbox: isSandbox)
            if let probe = state.facts.probes[isSandbox: isSandbox], let words = state.verdicts[isSandbox: isSandbox] {
                environment.probe = SetupProbe(
                    at: probe.at, result: probe.result, words: words,
                    keyID: state.facts.keys.first { $0.key.id == probe.key }?.key.keyID)
            }
            if let trouble = state.facts.troubles[isSandbox: isSandbox],
                let words = state.troubleWords[isSandbox: isSandbox]
            {
                environment.trouble = SetupProbe(at: trouble.at, result: trouble.result, words: words, keyID: nil)
            }
            if let test = state.facts.tests[isSandbox: isSandbox], let words = state.testWords[isSandbox: isSandbox] {
                environment.test = SetupTest(
                    state: test.state, askedAt: test.askedAt, words: words)
            }
            environment.lastNotification = state.facts.heard[isSandbox: isSandbox]?.at
            return environment
        }
    }

    private func addresses(
        of app: App, inboxes: Int, shown: Bool, in tx: Transaction
    ) async throws -> SetupModel.Addresses {
        guard shown else { return .counted(inboxes) }
        do {
            return .shown(try await vault.inboxes(of: app.tenant, app: app.id, in: tx).map(\.token))
        } catch is VaultError {
            return .unreadable
        }
    }

    private func relayHost(of app: App) async throws -> String? {
        do {
            guard let url = try await vault.relayURL(of: app)?.reveal() else { return nil }
            let authority = url.drop { $0 != ":" }.dropFirst(3).prefix { !"/?#".contains($0) }
            return String(authority)
        } catch is VaultError {
            return "an address that cannot be read any more"
        }
    }

    private func receiver(of app: App, host: String?, in tx: Transaction) async throws -> SetupModel.Receiver {
        guard let host else { return app.hasOtherReceiver == nil ? .notAsked : .nobody }
        return .relay(
            host: host, standing: try await RelayQueries.standing(of: app, in: tx),
            newest: try await RelayQueries.list(of: app, limit: Self.relayLines, in: tx).lines)
    }

    // MARK: Apps

    /// - Throws: `TenantStoreError`, `AppChangeError`, `VaultError.noMasterKey`.
    package func addApp(_ new: NewApp, to tenant: TenantID, by who: Changer) async throws -> App {
        if let side = new.rehearsal { try outbound.check(side.apiURL, member: "apiURL") }
        return try await database.transaction(tenant.scope) { tx in
            let app = try await TenantStore.addApp(
                new, to: tenant, at: clock.now, by: who.actor, address: who.address, in: tx)
            _ = try await vault.addInbox(to: app.id, of: tenant, by: who.actor, address: who.address, in: tx)
            return app
        }
    }

    /// Several apps from a list, a line each; a bad line harms no other.
    package func addApps(_ list: String, to tenant: TenantID, by who: Changer) async throws -> [AppList.Row] {
        try await AppList.add(list, to: tenant, with: vault, by: who.actor, address: who.address, in: database)
    }

    /// An Apple ID that no verified notification has named yet may be corrected.
    ///
    /// - Throws: `AppChangeError` naming the member.
    package func change(_ app: App, _ changes: AppChanges, by who: Changer) async throws {
        var changes = changes
        if let appleID = changes.appleID, let known = app.appleID, appleID != known {
            let isProven = try await database.transaction(app.tenant.scope, isolation: .readOnly) { tx in
                try await tx.row("select 1 as one where \(OnboardingQueries.takenFromProduction(app))") != nil
            }
            guard !isProven else {
                throw AppChangeError(
                    "appleID", "is \(known) by Apple's own word: notifications that name it were taken, so it stays")
            }
            changes.correctsAppleID = true
        }
        let allowed = changes
        _ = try await database.transaction(app.tenant.scope) { tx in
            try await TenantStore.change(
                app, allowed, with: vault, outbound: outbound, by: who.actor, address: who.address, at: clock.now,
                in: tx)
            // Another server has another story.
            if let url = allowed.callbackURL, url != app.callbackURL ?? "" { try await AskStore.forget(app, in: tx) }
        }
    }

    /// Sets a product's free sample.
    ///
    /// - Throws: `AppChangeError` naming `productID`.
    package func set(_ product: ProductSetting, of app: App, by who: Changer) async throws {
        try await database.transaction(app.tenant.scope) { tx in
            try await ProductStore.change(
                product.productID, of: app, by: who.actor, address: who.address, at: clock.now, in: tx
            ) { $0.sampleContent = product.sampleContent }
        }
    }

    // MARK: The other receiver

    /// Tries again, for another three days, to pass on what was not delivered. Returns how many.
    package func redeliver(_ app: App, by who: Changer) async throws -> Int {
        let count = try await database.transaction(app.tenant.scope) { tx in
            try await RelayQueries.retry(of: app, by: who.actor, address: who.address, at: clock.now, in: tx)
        }
        if count > 0 { bell.ring() }
        return count
    }

    // MARK: Keys

    /// Checks a key file, seals it, and makes it the one that signs.
    ///
    /// - Parameter isForAll: every app of the tenant; else this one alone. A rehearsal's key serves the rehearsal alone.
    /// - Throws: `SigningKeyUploadError`, `VaultError.noMasterKey`.
    package func addKey(
        _ bytes: ArraySlice<UInt8>, fileName: String?, keyID: String?, issuerID: String, for app: App, isForAll: Bool,
        by who: Changer
    ) async throws -> SigningKeyInfo {
        let checked = try SigningKeyUpload.check(body: bytes, fileName: fileName, keyID: keyID, issuerID: issuerID)
        return try await database.transaction(app.tenant.scope) { tx in
            try await vault.store(
                checked, of: app.tenant, for: isForAll && !app.isRehearsal ? nil : app.id, by: who.actor,
                address: who.address, in: tx)
        }
    }

    /// - Throws: `OnboardingError`.
    package func probe(_ app: App, by who: Changer) async throws {
        _ = try await onboarding.probe(app, by: who.actor, address: who.address)
    }

    /// - Throws: `OnboardingError`.
    package func sendTest(_ app: App, _ environment: AppEnvironment, by who: Changer) async throws {
        _ = try await onboarding.sendTest(
            app, isSandbox: environment == .sandbox, by: who.actor, address: who.address)
    }

    // MARK: Reports

    /// A token for the app's own backend: consent and usage of this app, nothing else. Its name says where it comes from.
    ///
    /// - Parameter id: of the form that asks: sent again it makes no second one.
    /// - Throws: `TokenError`.
    package func makeToken(_ id: UUID?, for app: App, by who: Changer) async throws -> NewAPIToken {
        try await database.transaction(app.tenant.scope) { tx in
            try await tokens.add(
                to: app.tenant, id: id, app: app.id, scopes: [.consent, .usage],
                name: "\(app.bundleID.prefix(70)), by its set-up page", by: who.actor, address: who.address, in: tx)
        }
    }

    /// Takes the reports that the code on the page sends, as the API would take them.
    ///
    /// - Throws: `ConsentLedger.Refusal`, `UsageStore.Refusal`.
    package func report(customer: String, transactionID: String, of app: App) async throws -> Reports.UsageState {
        let now = clock.now
        _ = try await reports.record(
            ConsentLedger.Report(consented: true, source: "setup page"), of: .customer(appAccountToken: customer),
            app: app, at: now)
        return try await reports.record(
            Reports.Usage(
                transactionID: transactionID, deliveryStatus: "DELIVERED", consumptionPercentage: 25_000,
                sampleContentProvided: false, observedAt: now), app: app, at: now)
    }
}
