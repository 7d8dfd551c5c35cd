import Crypto
import FoundationEssentials
package import Journal
import Postgres
import Time

/// What a browser is asked to make a passkey with.
package struct PasskeyOffer: Sendable {
    /// For a cookie of its own.
    package let token: Redacted<String>
    package let challenge: [UInt8]
    /// Of the person, as authenticators keep it: its id, which says nothing to anybody.
    package let userHandle: [UInt8]
    package let email: String
    package let name: String?
    /// Credentials that are registered already.
    package let known: [[UInt8]]
}

/// What a browser is asked to sign in with.
package struct PasskeyChallenge: Sendable {
    package let token: Redacted<String>
    package let challenge: [UInt8]
}

/// What a browser answers after asking a passkey to sign in.
package struct PasskeyAnswer: Sendable {
    package let credentialID: [UInt8]
    package let clientData: [UInt8]
    package let authenticatorData: [UInt8]
    package let signature: [UInt8]
    /// Empty where the authenticator gave none.
    package let userHandle: [UInt8]

    package init(
        credentialID: [UInt8], clientData: [UInt8], authenticatorData: [UInt8], signature: [UInt8],
        userHandle: [UInt8]
    ) {
        self.credentialID = credentialID
        self.clientData = clientData
        self.authenticatorData = authenticatorData
        self.signature = signature
        self.userHandle = userHandle
    }
}

extension SignIn {
    // MARK: Registering

    /// Throws `SignInError.stale`, `.tooMany`.
    package func offerPasskey(to session: Session) async throws -> PasskeyOffer {
        let now = clock.now
        guard session.isFresh(at: now) else { throw SignInError.stale }
        let person = session.person
        return try await database.transaction(.house) { tx in
            guard try await FactorStore.hasRoom(for: .passkey, of: person, in: tx) else { throw SignInError.tooMany }
            let known = try await tx.rows(
                """
                select credential_id
                from tenants.factors
                where person_id = \(person.rawValue) and kind = 'passkey'
                order by created_at, factor_id
                limit \(FactorStore.passkeysMax)
                """
            ).map { row throws(PostgresError) -> [UInt8] in try row("credential_id") }
            let begun = try await Ceremonies.begin(.passkeyAdd, person: person, at: now, in: tx)
            return PasskeyOffer(
                token: begun.token, challenge: begun.challenge, userHandle: person.handle, email: session.email,
                name: session.name, known: known)
        }
    }

    /// Keeps a passkey that was just made. Throws `SignInError.stale`, `.stepEnded`, `.tooMany`, `.badName`, `.passkey`,
    /// `.knownPasskey`.
    package func addPasskey(
        named name: String, clientData: [UInt8], attestation: [UInt8], token: String, on site: PasskeySite,
        for session: Session, from arrival: Arrival
    ) async throws {
        let now = clock.now
        guard session.isFresh(at: now) else { throw SignInError.stale }
        let name = try Self.name(name).text
        let (person, id) = (session.person, Random.uuid())
        let challenge = try await use(token, .passkeyAdd, of: person, at: now)
        let credential: WebAuthn.NewCredential
        do throws(WebAuthnError) {
            credential = try WebAuthn.credential(
                clientData: clientData, attestation: attestation, challenge: challenge, of: site.relyingParty)
        } catch {
            throw SignInError.passkey(error)
        }
        try await database.transaction(.house) { tx in
            guard try await FactorStore.hasRoom(for: .passkey, of: person, in: tx) else { throw SignInError.tooMany }
            let added = try await tx.execute(
                """
                insert into tenants.factors
                  (factor_id, person_id, kind, name, created_at, confirmed_at, credential_id, public_key, algorithm,
                   sign_count)
                values (\(id), \(person.rawValue), 'passkey', \(name), \(now), \(now), \(credential.id),
                  \(credential.key.der), \(credential.key.algorithm.rawValue), \(Int64(credential.signCount)))
                on conflict (credential_id) do nothing
                """)
            guard added == 1 else { throw SignInError.knownPasskey }
            try await self.noteAdded(id, .passkey, of: person, at: now, from: arrival, in: tx)
        }
    }

    // MARK: Signing in

    /// Anybody may ask for a challenge; so many from one address. Throws `SignInError.throttled`.
    package func challengePasskey(from arrival: Arrival) async throws -> PasskeyChallenge {
        let now = clock.now
        if let wait = try await SignInTries.challenges(from: arrival.address).count(at: now, in: database) {
            throw SignInError.throttled(retryAfter: wait)
        }
        return try await database.transaction(.house) { tx in
            let begun = try await Ceremonies.begin(.passkeySignIn, person: nil, at: now, in: tx)
            return PasskeyChallenge(token: begun.token, challenge: begun.challenge)
        }
    }

    /// Signs in by a passkey alone: having it and unlocking it are two factors.
    ///
    /// Throws `SignInError.stepEnded`, `.wrong` for a passkey that nobody registered, `.passkey`.
    package func withPasskey(
        _ answer: PasskeyAnswer, token: String, on site: PasskeySite, from arrival: Arrival
    ) async throws -> NewSession {
        let now = clock.now
        let challenge = try await use(token, .passkeySignIn, of: nil, at: now)
        return try await database.transaction(.house) { tx in
            guard
                let row = try await tx.row(
                    """
                    select factor_id, person_id, public_key, algorithm, sign_count
                    from tenants.factors
                    where credential_id = \(answer.credentialID) and kind = 'passkey'
                    for update
                    """)
            else { throw SignInError.wrong }
            let (id, person): (UUID, PersonID) = (
                try row("factor_id"), PersonID(rawValue: try row("person_id"))
            )
            guard answer.userHandle.isEmpty || answer.userHandle == person.handle else { throw SignInError.wrong }
            let (stored, number): (Int64, Int32) = (try row("sign_count"), try row("algorithm"))
            guard let algorithm = SignaturePublicKey.Algorithm(rawValue: number) else { throw SignInError.wrong }
            let key = try SignaturePublicKey(der: try row("public_key"), algorithm: algorithm)
            let count: Int64
            do throws(WebAuthnError) {
                count = Int64(
                    try WebAuthn.signCount(
                        clientData: answer.clientData, authenticatorData: answer.authenticatorData,
                        signature: answer.signature, key: key, challenge: challenge, of: site.relyingParty))
            } catch {
                throw SignInError.passkey(error)
            }
            if count <= stored, count > 0 || stored > 0 {
                // Perhaps a copy of the authenticator, perhaps only a careless one: for people to judge.
                self.journal.warning(
                    "a passkey counts its signatures backwards", ["factor": .string(id.uuidString.lowercased())])
                try await self.note(
                    "person.passkey-counted-back", of: person, at: now, from: arrival.address,
                    detail: [
                        "factor": .text(id.uuidString.lowercased()), "was": .number(stored), "is": .number(count),
                    ],
                    in: tx)
            }
            try await tx.execute(
                """
                update tenants.factors set sign_count = \(max(count, stored)), last_used_at = \(now)
                where factor_id = \(id)
                """)
            return try await self.start(person, by: .passkey, from: arrival, at: now, in: tx)
        }
    }

    /// Uses a challenge up, whatever comes of it.
    private func use(
        _ token: String, _ kind: Ceremony.Kind, of person: PersonID?, at now: Moment
    ) async throws -> [UInt8] {
        try await database.transaction(.house) { tx in
            guard let step = try await Ceremonies.look(token, kind, at: now, in: tx), step.person == person,
                try await Ceremonies.end(token, in: tx)
            else { throw SignInError.stepEnded }
            return step.challenge
        }
    }
}

extension PersonID {
    /// The 16 bytes of the id.
    var handle: [UInt8] {
        let b = rawValue.uuid
        return [b.0, b.1, b.2, b.3, b.4, b.5, b.6, b.7, b.8, b.9, b.10, b.11, b.12, b.13, b.14, b.15]
    }
}

/// The site as browsers and passkeys know it.
package struct PasskeySite: Hashable, Sendable {
    /// The host.
    package let id: String
    /// Scheme, host and port.
    package let origin: String

    package init(id: String, origin: String) {
        self.id = id
        self.origin = origin
    }

    var relyingParty: WebAuthn.RelyingParty { WebAuthn.RelyingParty(id: id, origin: origin) }
}

extension [UInt8] {
    /// base64url without padding, as passkeys travel.
    package var base64URL: String { Base64URL.encode(self) }

    /// Strict: no padding, no other characters.
    package init?(base64URL text: String) {
        guard let bytes = Base64URL.decode(text) else { return nil }
        self = bytes
    }
}
