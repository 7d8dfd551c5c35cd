package import Crypto
import Synchronization

/// The In-App Purchase keys of all teams, by key id.
package final class KnownKeys: Sendable {
    struct Key: Sendable {
        let issuerID: String
        let publicKey: P256PublicKey
    }

    private let keys = Mutex<[String: Key]>([:])

    package init() {}

    package func put(_ publicKey: P256PublicKey, keyID: String, issuerID: String) {
        keys.withLock { $0[keyID] = Key(issuerID: issuerID, publicKey: publicKey) }
    }

    /// A key that is revoked fails from then on, as if it had never been.
    package func revoke(_ keyID: String) { keys.withLock { $0[keyID] = nil } }

    var all: [(keyID: String, key: Key)] {
        keys.withLock { $0.sorted { $0.key < $1.key }.map { (keyID: $0.key, key: $0.value) } }
    }

    func key(_ keyID: String) -> Key? { keys.withLock { $0[keyID] } }
}
