import Crypto
import Journal
import Postgres
import Support
import Tenants
import Testing
import Time

@testable import Tenants

/// Valid samples to spoil.
enum Samples {
    static let now = Moment(milliseconds: 1_781_524_800_000)

    static let arrival = Arrival(address: "192.0.2.1", userAgent: "Test")

    static func keyring(_ seeds: UInt8...) throws -> MasterKeyring {
        MasterKeyring(keys: seeds.map { MasterKey(master: SecretBytes(copying: [UInt8](repeating: $0, count: 32))) })
    }

    /// A `.p8` file as Apple lets one download it: PKCS#8 of the scalar with its public point.
    static func file(_ key: borrowing P256Key) -> SecretBytes {
        let head: [UInt8] = [
            0x30, 0x81, 0x87, 0x02, 0x01, 0x00, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06,
            0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07, 0x04, 0x6D, 0x30, 0x6B, 0x02, 0x01, 0x01, 0x04, 0x20,
        ]
        let scalar = key.scalar().withBytes { bytes in (0..<bytes.count).map { bytes[$0] } }
        let text = Base64.encode(head + scalar + [0xA1, 0x44, 0x03, 0x42, 0x00] + key.publicKey.x963)
        var lines = "-----BEGIN PRIVATE KEY-----\n"
        var rest = text[...]
        while !rest.isEmpty {
            lines += rest.prefix(64) + "\n"
            rest = rest.dropFirst(64)
        }
        return SecretBytes(copying: Array((lines + "-----END PRIVATE KEY-----\n").utf8))
    }

    static let keyID = "2X9R4HXF34"
    static let issuerID = "57246542-96fe-1a63-e053-0824d011072a"

    static func checkedKey(_ keyID: String = keyID) throws -> CheckedSigningKey {
        try SigningKeyUpload.check(file: file(try P256Key.generate()), keyID: keyID, issuerID: issuerID)
    }
}

/// Two tenants with an app each, in a database of their own.
struct TwoTenants: Sendable {
    let database: TestDatabase
    let clock = ManualClock(Samples.now)
    let a: Tenant
    let b: Tenant
    let appA: App
    let appB: App

    var vault: Vault { get throws { try vault(Samples.keyring(1)) } }

    func vault(_ keyring: MasterKeyring) -> Vault {
        Vault(database: database.database, keyring: keyring, clock: clock.clock, journal: .silent)
    }

    var signIn: SignIn {
        SignIn(
            database: database.database, keyring: (try? Samples.keyring(1)) ?? .none, clock: clock.clock,
            journal: .silent
        ) { try $0() }
    }

    @discardableResult
    func with<R: Sendable>(_ tenant: Tenant, _ body: (Transaction) async throws -> R) async throws -> R {
        try await database.database.transaction(tenant.id.scope, body)
    }

    @discardableResult
    func asHouse<R: Sendable>(_ body: (Transaction) async throws -> R) async throws -> R {
        try await database.database.transaction(.house, body)
    }
}

extension SignIn {
    /// Signs in somebody without a second factor.
    func entered(email: String, password: [UInt8], _ arrival: Arrival) async throws -> NewSession {
        guard case .entered(let session) = try await withPassword(email: email, password: password, from: arrival)
        else { throw SignInError.wrong }
        return session
    }
}

@discardableResult
func withTwoTenants<R: Sendable>(_ body: (TwoTenants) async throws -> R) async throws -> R {
    try await withDatabase { database in
        var made: [(Tenant, App)] = []
        for slug in ["acme", "bolt"] {
            let tenant = try await database.database.transaction(.house) { tx in
                try await TenantStore.add(slug: slug, name: slug, at: Samples.now, by: .commandLine, in: tx)
            }
            let app = try await database.database.transaction(tenant.id.scope) { tx in
                try await TenantStore.addApp(
                    NewApp(bundleID: "com.example.app"), to: tenant.id, at: Samples.now, by: .commandLine, in: tx)
            }
            made.append((tenant, app))
        }
        return try await body(
            TwoTenants(database: database, a: made[0].0, b: made[1].0, appA: made[0].1, appB: made[1].1))
    }
}
