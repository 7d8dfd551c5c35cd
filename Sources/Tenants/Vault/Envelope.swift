import Crypto
import FoundationEssentials

/// What a sealed secret is bound to: opened for anybody else, or as another id, kind or key, it is refused.
struct SecretBinding {
    enum Kind: String, CaseIterable {
        case signingKey = "signing-key"
        case inbox
        /// The address of a tenant's own receiver: such addresses often hold a token.
        case relayURL = "relay-url"
        /// What reaches somebody who is paged.
        case channel
        /// What signs the questions to an app's server.
        case callback
        /// The shared secret of a person's code generator.
        case totp
    }

    /// Whose secret it is. People belong to no tenant.
    enum Owner: Hashable {
        case tenant(TenantID)
        case person(PersonID)
    }

    let owner: Owner
    let secret: UUID
    let kind: Kind
    /// Bound by the inner layer alone; for a signing key its key ID and public point.
    var inner: [[UInt8]] = []

    init(owner: Owner, secret: UUID, kind: Kind, inner: [[UInt8]] = []) {
        self.owner = owner
        self.secret = secret
        self.kind = kind
        self.inner = inner
    }

    init(tenant: TenantID, secret: UUID, kind: Kind, inner: [[UInt8]] = []) {
        self.init(owner: .tenant(tenant), secret: secret, kind: kind, inner: inner)
    }

    private func fields(_ label: String) -> LengthPrefixed {
        var fields = LengthPrefixed()
        fields.add(label)
        fields.add([Envelope.version])
        switch owner {
        case .tenant(let tenant): fields.add(tenant.rawValue)
        case .person(let person): fields.add("person \(person.rawValue.uuidString.lowercased())")
        }
        fields.add(secret.uuidString.lowercased())
        fields.add(kind.rawValue)
        return fields
    }

    var innerData: [UInt8] {
        var fields = fields("refund-desk secret")
        for field in inner { fields.add(field) }
        return fields.bytes
    }

    func wrapData(masterKeyID: [UInt8]) -> [UInt8] {
        var fields = fields("refund-desk data key")
        fields.add(masterKeyID)
        return fields.bytes
    }
}

/// Why a sealed form does not open.
enum EnvelopeError: Error, Hashable {
    /// Not a form we know: wrong length or version.
    case unknownForm
    /// Sealed with a master key that is not in the list.
    case unknownMasterKey([UInt8])
    /// The master key is right and something else is not: changed bytes, or another tenant's, secret's or key's.
    case damaged
}

/// The sealed form of a secret, version 1.
///
/// `01 | kekId[8] | nonce[12] | wrapped data key[32] | tag[16] | nonce[12] | ciphertext | tag[16]`, AES-256-GCM
/// twice: a fresh data key seals the secret, the master key's wrapping key seals the data key. Both layers are bound
/// to label, version, tenant, secret id and kind; the inner one to the key's ID and public point, the outer to `kekId`.
enum Envelope {
    static let version: UInt8 = 1
    private static let dataKeyBytes = 32
    private static let boxOverhead = 28
    private static let wrapStart = 1 + MasterKey.idBytes
    private static let innerStart = wrapStart + boxOverhead + dataKeyBytes

    static func seal(
        _ secret: borrowing SecretBytes, bound binding: SecretBinding, with master: MasterKey
    ) throws(OpenSSLError) -> [UInt8] {
        let dataKey = SecretBytes.random(count: dataKeyBytes)
        return [version] + master.id
            + (try SealedBox.seal(
                dataKey, key: master.wrapping, binding: binding.wrapData(masterKeyID: master.id)))
            + (try SealedBox.seal(secret, key: dataKey, binding: binding.innerData))
    }

    static func open(
        _ sealed: [UInt8], bound binding: SecretBinding, with keyring: MasterKeyring
    ) throws(EnvelopeError) -> SecretBytes {
        let dataKey = try openDataKey(sealed, bound: binding, with: keyring)
        do {
            return try SealedBox.open(Array(sealed[innerStart...]), key: dataKey, binding: binding.innerData)
        } catch {
            throw .damaged
        }
    }

    /// The same secret under another master key: only the data key is wrapped anew.
    ///
    /// Proven to open under the new key before it is handed back.
    static func rewrap(
        _ sealed: [UInt8], bound binding: SecretBinding, with keyring: MasterKeyring, to master: MasterKey
    ) throws -> [UInt8] {
        let dataKey = try openDataKey(sealed, bound: binding, with: keyring)
        let anew =
            [version] + master.id
            + (try SealedBox.seal(
                dataKey, key: master.wrapping, binding: binding.wrapData(masterKeyID: master.id)))
            + sealed[innerStart...]
        _ = try open(anew, bound: binding, with: MasterKeyring(keys: [master]))
        return anew
    }

    /// The name of the master key that a sealed form needs.
    static func masterKeyID(of sealed: [UInt8]) -> [UInt8]? {
        isForm(sealed) ? Array(sealed[1..<wrapStart]) : nil
    }

    private static func isForm(_ sealed: [UInt8]) -> Bool {
        sealed.count > innerStart + boxOverhead && sealed[0] == version
    }

    private static func openDataKey(
        _ sealed: [UInt8], bound binding: SecretBinding, with keyring: MasterKeyring
    ) throws(EnvelopeError) -> SecretBytes {
        guard let id = masterKeyID(of: sealed) else { throw .unknownForm }
        guard let master = keyring.key(id) else { throw .unknownMasterKey(id) }
        do {
            return try SealedBox.open(
                Array(sealed[wrapStart..<innerStart]), key: master.wrapping,
                binding: binding.wrapData(masterKeyID: id))
        } catch {
            throw .damaged
        }
    }
}
