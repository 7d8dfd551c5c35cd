import Crypto
import FoundationEssentials
import Journal
import Postgres
import Time

/// A step that waits for its answer: after the password, or with a challenge for a passkey. Found by the digest of a token
/// that only the browser has.
struct Ceremony {
    enum Kind: String {
        case secondFactor = "second-factor"
        case passkeySignIn = "passkey-sign-in"
        case passkeyAdd = "passkey-add"
    }

    static let life = Duration.minutes(5)
    static let triesMax = 5

    let person: PersonID?
    let challenge: [UInt8]
    let triesLeft: Int

    init(_ row: Row) throws(PostgresError) {
        let person: UUID? = try row("person_id")
        let challenge: [UInt8]? = try row("challenge")
        let tries: Int32 = try row("tries")
        self.person = person.map(PersonID.init(rawValue:))
        self.challenge = challenge ?? []
        triesLeft = max(0, Self.triesMax - Int(tries))
    }
}

/// SQL for steps that wait. House scope.
enum Ceremonies {
    static func begin(
        _ kind: Ceremony.Kind, person: PersonID?, at now: Moment, in tx: Transaction
    ) async throws -> (token: Redacted<String>, challenge: [UInt8]) {
        let token = Random.token(bytes: 32)
        let challenge = Random.bytes(WebAuthn.challengeBytes)
        try await tx.execute(
            """
            insert into tenants.ceremonies (token_sha256, kind, person_id, challenge, created_at, expires_at)
            values (\(digest(token)), \(kind.rawValue), \(person?.rawValue), \(challenge), \(now), \(now + Ceremony.life))
            """)
        return (Redacted(token), challenge)
    }

    /// Looks, and changes nothing.
    static func look(
        _ token: String, _ kind: Ceremony.Kind, at now: Moment, in tx: Transaction
    ) async throws -> Ceremony? {
        guard InboxToken.isWellFormed(token) else { return nil }
        return try await tx.row(
            """
            select c.person_id, c.challenge, c.tries
            from tenants.ceremonies c
            left join tenants.people p on p.person_id = c.person_id
            where c.token_sha256 = \(digest(token)) and c.kind = \(kind.rawValue) and c.expires_at > \(now)
              and c.tries < \(Int32(Ceremony.triesMax))
              and (p.person_id is null or c.created_at >= p.sessions_valid_from)
            """
        ).map { try Ceremony($0) }
    }

    /// Counts a try before its answer is looked at; nil when there is none left.
    static func tryOnce(
        _ token: String, _ kind: Ceremony.Kind, at now: Moment, in database: Database
    ) async throws -> Ceremony? {
        try await database.transaction(.house) { tx in
            guard let found = try await look(token, kind, at: now, in: tx) else { return nil }
            let counted = try await tx.execute(
                """
                update tenants.ceremonies set tries = tries + 1
                where token_sha256 = \(digest(token)) and tries < \(Int32(Ceremony.triesMax))
                """)
            return counted == 1 ? found : nil
        }
    }

    /// Uses a step up; false when somebody else did meanwhile.
    static func end(_ token: String, in tx: Transaction) async throws -> Bool {
        try await tx.execute("delete from tenants.ceremonies where token_sha256 = \(digest(token))") == 1
    }

    private static func digest(_ token: String) -> [UInt8] { Digest.sha256(Array(token.utf8)) }
}
