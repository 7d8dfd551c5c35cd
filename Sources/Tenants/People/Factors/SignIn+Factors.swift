import Crypto
package import FoundationEssentials
package import Journal
import Postgres
import Time

/// What the step after the password asks for.
package struct SecondFactorStanding: Hashable, Sendable {
    package let email: String
    package let hasGenerator: Bool
    package let hasPasskey: Bool
    package let hasRecoveryCodes: Bool

    package init(email: String, hasGenerator: Bool, hasPasskey: Bool, hasRecoveryCodes: Bool) {
        self.email = email
        self.hasGenerator = hasGenerator
        self.hasPasskey = hasPasskey
        self.hasRecoveryCodes = hasRecoveryCodes
    }
}

extension SignIn {
    // MARK: The step after the password

    /// Looks at a step and changes nothing; nil when it has ended.
    package func secondFactor(token: String) async throws -> SecondFactorStanding? {
        try await database.transaction(.house) { tx in
            guard let step = try await Ceremonies.look(token, .secondFactor, at: self.clock.now, in: tx),
                let person = step.person,
                let row = try await tx.row("select email from tenants.people where person_id = \(person.rawValue)")
            else { return nil }
            let factors = try await FactorStore.confirmed(of: person, in: tx)
            return SecondFactorStanding(
                email: try row("email"), hasGenerator: factors.contains { $0.kind == .generator },
                hasPasskey: factors.contains { $0.kind == .passkey },
                hasRecoveryCodes: try await RecoveryCodes.left(of: person, in: tx) > 0)
        }
    }

    /// Signs in with what was typed after the password: a generator's code, or a recovery code.
    ///
    /// Each try is counted before the code is looked at: five a step, and so many a person in a window and in a day.
    /// Throws `SignInError.stepEnded`, `.wrong`, `.throttled`.
    package func withCode(_ typed: String, token: String, from arrival: Arrival) async throws -> NewSession {
        let now = clock.now
        guard let step = try await Ceremonies.tryOnce(token, .secondFactor, at: now, in: database),
            let person = step.person
        else { throw SignInError.stepEnded }
        let guesses = SignInTries.codes(of: person)
        if let wait = try await guesses.count(at: now, in: database) { throw SignInError.throttled(retryAfter: wait) }
        let text = typed.filter { !$0.isWhitespace && $0 != "-" }
        let isCode = text.utf8.count == OneTimePassword.digits && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
        return try await database.transaction(.house) { tx in
            let isRight =
                isCode
                ? try await self.useGenerator(Array(text.utf8), of: person, at: now, in: tx)
                : try await RecoveryCodes.use(typed, of: person, at: now, in: tx)
            guard isRight else { throw SignInError.wrong }
            guard try await Ceremonies.end(token, in: tx),
                let row = try await tx.row("select email from tenants.people where person_id = \(person.rawValue)")
            else { throw SignInError.stepEnded }
            try await guesses.forgive(at: now, in: tx)
            try await SignInTries(email: try row("email"), address: arrival.address).forgive(at: now, in: tx)
            if !isCode {
                try await self.note("person.recovery-code-used", of: person, at: now, from: arrival.address, in: tx)
            }
            return try await self.start(person, by: isCode ? .totp : .recoveryCode, from: arrival, at: now, in: tx)
        }
    }

    // MARK: A person's own factors

    package func factors(of session: Session) async throws -> Factors {
        let person = session.person
        return try await database.transaction(.house) { tx in
            let row = try await tx.row(
                "select password is not null as has_password from tenants.people where person_id = \(person.rawValue)")
            return Factors(
                confirmed: try await FactorStore.confirmed(of: person, in: tx),
                recoveryCodesLeft: try await RecoveryCodes.left(of: person, in: tx),
                hasPassword: try row.map { try $0("has_password") } ?? false)
        }
    }

    /// Takes a factor away; with the last one the recovery codes go. Throws `SignInError.stale`, `.gone`.
    package func removeFactor(_ id: UUID, of session: Session, from arrival: Arrival) async throws {
        let now = clock.now
        guard session.isFresh(at: now) else { throw SignInError.stale }
        try await database.transaction(.house) { tx in
            guard let removed = try await FactorStore.remove(id, of: session.person, in: tx) else {
                throw SignInError.gone
            }
            if try await !FactorStore.guards(session.person, in: tx) {
                try await RecoveryCodes.forget(of: session.person, in: tx)
            }
            try await self.note(
                "person.factor-removed", of: session.person, at: now, from: arrival.address,
                detail: ["factor": .text(id.uuidString.lowercased()), "kind": .text(removed.kind.rawValue)], in: tx)
        }
    }

    /// New recovery codes, shown this once; those of before are void. Throws `SignInError.stale`.
    package func newRecoveryCodes(for session: Session, from arrival: Arrival) async throws -> [Redacted<String>] {
        let now = clock.now
        guard session.isFresh(at: now) else { throw SignInError.stale }
        return try await database.transaction(.house) { tx in
            guard try await FactorStore.guards(session.person, in: tx) else { throw SignInError.gone }
            try await self.note(
                "person.recovery-codes-made", of: session.person, at: now, from: arrival.address, in: tx)
            return try await RecoveryCodes.make(for: session.person, at: now, in: tx).map { Redacted($0) }
        }
    }
}
