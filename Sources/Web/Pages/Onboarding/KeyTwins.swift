import Tenants

/// One private key that is kept under several Key IDs, known by the fingerprint of its public key.
struct KeyTwins: Equatable {
    let fingerprint: String
    /// In the order in which the keys were given.
    let keyIDs: [String]

    /// Those among keys that are not wiped.
    static func among(_ keys: [SigningKeyInfo]) -> [KeyTwins] {
        var found: [KeyTwins] = []
        for key in keys where key.state != .retired && !found.contains(where: { $0.fingerprint == key.fingerprint }) {
            var ids: [String] = []
            for other in keys
            where other.state != .retired && other.fingerprint == key.fingerprint && !ids.contains(other.keyID) {
                ids.append(other.keyID)
            }
            if ids.count > 1 { found.append(KeyTwins(fingerprint: key.fingerprint, keyIDs: ids)) }
        }
        return found
    }

    private var names: String { keyIDs.dropLast().joined(separator: ", ") + " and " + (keyIDs.last ?? "") }

    var notice: Notice {
        Notice(
            .attention, "One private key is kept under \(keyIDs.count) Key IDs: \(names).",
            more:
                "Their public keys have one fingerprint, \(fingerprint). Apple gives each key one Key ID, so at most one of them is right: the others are never accepted, and once the right one is revoked at Apple none of them signs. Compare with App Store Connect, and with the name of the file."
        )
    }
}
