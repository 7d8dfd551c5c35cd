import Crypto
package import FoundationEssentials
package import Journal
import Postgres
import Time

/// A generator that waits for its first right code: what the app must be given.
package struct NewGenerator: Sendable {
    package let id: UUID
    package let name: String
    /// Base32, for typing.
    package let secret: Redacted<String>
    /// `otpauth://…`, for a QR code.
    package let uri: Redacted<String>

    package init(id: UUID, name: String, secret: Redacted<String>, uri: Redacted<String>) {
        self.id = id
        self.name = name
        self.secret = secret
        self.uri = uri
    }
}

extension SignIn {
    /// A generator that was not confirmed may be looked at for so long.
    static let generatorPatience = Duration.hours(1)
    static let issuer = "Refund Desk"

    /// Makes a generator's secret and seals it, bound to the person and the factor. It guards nothing until its first right
    /// code; one that was begun before is forgotten.
    ///
    /// Throws `SignInError.stale`, `.noMasterKey`, `.badName`, `.tooMany`.
    package func beginGenerator(named name: String, for session: Session) async throws -> UUID {
        let now = clock.now
        guard session.isFresh(at: now) else { throw SignInError.stale }
        guard keyring.newest != nil else { throw SignInError.noMasterKey }
        let name = try Self.name(name).text
        let (id, person) = (Random.uuid(), session.person)
        let sealed = try PersonalSecret.seal(
            SecretBytes.random(count: OneTimePassword.secretBytes), of: person, factor: id, with: keyring)
        try await database.transaction(.house) { tx in
            guard try await FactorStore.hasRoom(for: .generator, of: person, in: tx) else { throw SignInError.tooMany }
            try await tx.execute(
                """
                delete from tenants.factors
                where person_id = \(person.rawValue) and kind = 'totp' and confirmed_at is null
                """)
            try await tx.execute(
                """
                insert into tenants.factors (factor_id, person_id, kind, name, created_at, sealed, master_key_id)
                values (\(id), \(person.rawValue), 'totp', \(name), \(now), \(sealed.bytes), \(sealed.masterKeyID))
                """)
        }
        return id
    }

    /// What the app must be given, as long as the generator was not confirmed. Nil afterwards, and for another person's.
    package func newGenerator(_ id: UUID, of session: Session) async throws -> NewGenerator? {
        let rows = try await database.rows(
            .house,
            """
            select name, sealed
            from tenants.factors
            where factor_id = \(id) and person_id = \(session.person.rawValue) and kind = 'totp'
              and confirmed_at is null and created_at > \(clock.now - Self.generatorPatience)
            """)
        guard let row = rows.first else { return nil }
        let secret = try PersonalSecret.open(
            try row("sealed"), of: session.person, factor: id, with: keyring)
        let text = secret.withBytes { Base32.encode($0) }
        let label = Self.escaped("\(Self.issuer):\(session.email)")
        let uri =
            "otpauth://totp/\(label)?secret=\(text)&issuer=\(Self.escaped(Self.issuer))&algorithm=SHA1&digits=\(OneTimePassword.digits)&period=\(OneTimePassword.stepSeconds)"
        return NewGenerator(id: id, name: try row("name"), secret: Redacted(text), uri: Redacted(uri))
    }

    /// Confirms a generator by its first right code.
    ///
    /// Returns recovery codes, shown this once, where the person has none yet.
    /// Throws `SignInError.gone`, `.wrong`, `.stale`, `.tooMany`.
    package func confirmGenerator(
        _ id: UUID, code: String, of session: Session, from arrival: Arrival
    ) async throws -> [Redacted<String>] {
        let now = clock.now
        guard session.isFresh(at: now) else { throw SignInError.stale }
        let person = session.person
        return try await database.transaction(.house) { tx in
            guard try await FactorStore.hasRoom(for: .generator, of: person, in: tx) else { throw SignInError.tooMany }
            guard
                let row = try await tx.row(
                    """
                    select sealed
                    from tenants.factors
                    where factor_id = \(id) and person_id = \(person.rawValue) and kind = 'totp'
                      and confirmed_at is null and created_at > \(now - Self.generatorPatience)
                    for update
                    """)
            else { throw SignInError.gone }
            let secret = try PersonalSecret.open(
                try row("sealed"), of: person, factor: id, with: self.keyring)
            let step = OneTimePassword.step(
                of: Array(code.utf8.filter { $0 != 0x20 }), secret, around: Self.step(now), after: nil)
            guard let step else { throw SignInError.wrong }
            try await tx.execute(
                """
                update tenants.factors set confirmed_at = \(now), last_used_at = \(now), last_step = \(step)
                where factor_id = \(id)
                """)
            try await self.noteAdded(id, .generator, of: person, at: now, from: arrival, in: tx)
            guard try await RecoveryCodes.left(of: person, in: tx) == 0 else { return [] }
            return try await RecoveryCodes.make(for: person, at: now, in: tx).map { Redacted($0) }
        }
    }

    /// Whether one of the person's generators shows this code now; it works once.
    func useGenerator(_ code: [UInt8], of person: PersonID, at now: Moment, in tx: Transaction) async throws -> Bool {
        let rows = try await tx.rows(
            """
            select factor_id, sealed, last_step
            from tenants.factors
            where person_id = \(person.rawValue) and kind = 'totp' and confirmed_at is not null
            order by created_at, factor_id
            limit \(FactorStore.generatorsMax)
            for update
            """)
        for row in rows {
            let (id, sealed, last): (UUID, [UInt8], Int64?) = (
                try row("factor_id"), try row("sealed"), try row("last_step")
            )
            let step: Int64?
            do throws(VaultError) {
                let secret = try PersonalSecret.open(sealed, of: person, factor: id, with: keyring)
                step = OneTimePassword.step(of: code, secret, around: Self.step(now), after: last)
            } catch {
                // The other factors and the recovery codes still work.
                journal.error(
                    "a code generator's secret does not open",
                    ["factor": .string(id.uuidString.lowercased()), "error": .init(error)])
                continue
            }
            guard let step else { continue }
            try await tx.execute(
                """
                update tenants.factors set last_step = \(step), last_used_at = \(now)
                where factor_id = \(id)
                """)
            return true
        }
        return false
    }

    func noteAdded(
        _ id: UUID, _ kind: Factor.Kind, of person: PersonID, at now: Moment, from arrival: Arrival, in tx: Transaction
    ) async throws {
        try await note(
            "person.factor-added", of: person, at: now, from: arrival.address,
            detail: ["factor": .text(id.uuidString.lowercased()), "kind": .text(kind.rawValue)], in: tx)
    }

    private static func step(_ now: Moment) -> Int64 {
        OneTimePassword.step(secondsSince1970: now.milliseconds / 1000)
    }

    /// Percent-encoded but for letters, digits and a few signs that every app takes.
    private static func escaped(_ text: String) -> String {
        var out = ""
        for byte in text.utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E, 0x40:
                out.unicodeScalars.append(Unicode.Scalar(byte))
            default: out += "%" + Hex.encode([byte]).uppercased()
            }
        }
        return out
    }
}
