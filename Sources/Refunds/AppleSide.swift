package import AppStore
import Crypto
package import HTTP
package import Journal
import Synchronization
package import Tenants
package import Time

/// Who is believed, and called, for an app: Apple for every real one, its own simulator for a rehearsal.
///
/// A rehearsal app has the one root and the one address it was made with and no other; the trust in Apple, or what
/// REFUND_DESK_TRUST_ROOTS puts in its place, is not for it. A real app has the installation's trust and never a
/// rehearsal's.
package final class AppleSide: Sendable {
    /// Rehearsal sides that are kept in memory; beyond it they are made anew.
    static let keptMax = 256

    private struct Side {
        let verifier: Verifier
        let api: AppStoreServerAPI
        let commerce: AdvancedCommerceAPI
    }

    private let real: Side
    private let rehearsalHTTP: HTTPClient
    private let clock: WallClock
    private let journal: Journal
    private let counters: Counters
    private let rehearsals = Mutex<[RehearsalSide: Side]>([:])

    /// - Parameters:
    ///   - verifier: for every app that is no rehearsal.
    ///   - api: for every app that is no rehearsal.
    ///   - commerce: for every app that is no rehearsal.
    ///   - rehearsalHTTP: calls addresses that tenants chose; guarded, and never the client that calls Apple.
    package init(
        verifier: Verifier, api: AppStoreServerAPI, commerce: AdvancedCommerceAPI, rehearsalHTTP: HTTPClient,
        clock: WallClock, journal: Journal, counters: Counters
    ) {
        real = Side(verifier: verifier, api: api, commerce: commerce)
        self.rehearsalHTTP = rehearsalHTTP
        self.clock = clock
        self.journal = journal
        self.counters = counters
    }

    /// Whether notifications of real apps can be verified at all.
    package var isReady: Bool { real.verifier.isReady }

    package func verifier(for app: App) -> Verifier { side(of: app).verifier }
    package func api(for app: App) -> AppStoreServerAPI { side(of: app).api }
    package func commerce(for app: App) -> AdvancedCommerceAPI { side(of: app).commerce }

    private func side(of app: App) -> Side {
        guard let rehearsal = app.rehearsal else { return real }
        return rehearsals.withLock { kept in
            if let side = kept[rehearsal] { return side }
            let side = make(rehearsal)
            if kept.count >= Self.keptMax { kept.removeAll(keepingCapacity: true) }
            kept[rehearsal] = side
            return side
        }
    }

    /// A root that does not read leaves an empty trust: nothing is believed then.
    ///
    /// Revocation is not asked for: the responder's address would be the simulator's word.
    private func make(_ rehearsal: RehearsalSide) -> Side {
        let roots = (try? Certificate(der: rehearsal.root)).map { [$0] } ?? []
        let hosts = AppStoreHosts(
            production: rehearsal.apiURL + "/production", sandbox: rehearsal.apiURL + "/sandbox")
        return Side(
            verifier: Verifier(trust: TrustAnchors(roots: roots), revocation: .off, clock: clock),
            api: AppStoreServerAPI(
                hosts: hosts, http: rehearsalHTTP, clock: clock, journal: journal, counters: counters),
            commerce: AdvancedCommerceAPI(hosts: hosts, http: rehearsalHTTP, clock: clock, counters: counters))
    }
}

extension AppEnvironment {
    package init(_ environment: Environment) {
        self = environment == .sandbox ? .sandbox : .production
    }
}

extension Environment {
    package init(_ environment: AppEnvironment) {
        self = environment == .sandbox ? .sandbox : .production
    }
}

extension AdvancedCommerceAPI.Call {
    init(_ kind: CommerceKind) {
        self =
            switch kind {
            case .refund: .refund
            case .revoke: .revoke
            case .cancel: .cancel
            }
    }
}
