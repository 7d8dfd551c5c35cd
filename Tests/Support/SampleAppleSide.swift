import AppStore
package import Crypto
import HTTP
import Journal
package import Refunds
package import Time

/// One thread for all tests that call nobody, or a server of their own.
private let nowhere = HTTPClient(
    name: "nowhere", options: HTTPClient.Options(), journal: .silent, counters: Counters())

extension AppleSide {
    /// Believes these roots for real apps; its API for them leads nowhere, or to a server of the test's.
    package static func sample(
        trusting roots: [Certificate], calling url: String = "http://127.0.0.1:1", clock: WallClock
    ) -> AppleSide {
        let counters = Counters()
        let hosts = AppStoreHosts(production: url, sandbox: url)
        return AppleSide(
            verifier: Verifier(trust: TrustAnchors(roots: roots), clock: clock),
            api: AppStoreServerAPI(
                hosts: hosts, http: nowhere, clock: clock, journal: .silent, counters: counters),
            commerce: AdvancedCommerceAPI(hosts: hosts, http: nowhere, clock: clock, counters: counters),
            rehearsalHTTP: nowhere, clock: clock, journal: .silent, counters: counters)
    }
}
