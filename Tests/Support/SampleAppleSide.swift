import AppStore
package import Crypto
import HTTP
import Journal
package import Refunds
package import Time

/// One thread for all tests that call nobody.
private let nowhere = HTTPClient(
    name: "nowhere", options: HTTPClient.Options(), journal: .silent, counters: Counters())

extension AppleSide {
    /// Believes these roots for real apps; its API for them leads nowhere.
    package static func sample(trusting roots: [Certificate], clock: WallClock) -> AppleSide {
        let counters = Counters()
        return AppleSide(
            verifier: Verifier(trust: TrustAnchors(roots: roots), clock: clock),
            api: AppStoreServerAPI(
                hosts: AppStoreHosts(production: "http://127.0.0.1:1", sandbox: "http://127.0.0.1:1"), http: nowhere,
                clock: clock, journal: .silent, counters: counters),
            commerce: AdvancedCommerceAPI(
                hosts: AppStoreHosts(production: "http://127.0.0.1:1", sandbox: "http://127.0.0.1:1"), http: nowhere,
                clock: clock, counters: counters),
            rehearsalHTTP: nowhere, clock: clock, journal: .silent, counters: counters)
    }
}
