import Crypto
import FoundationEssentials
import Journal
import Postgres
import Support
import Testing
import Time

@testable import Tenants

/// Somebody with a password, signed in.
private struct Someone: Sendable {
    static let email = "ada@example.com"
    static let password = Array("correct horse battery".utf8)

    let home: TwoTenants
    let signIn: SignIn
    let person: Person
    let session: Session

    static func with(_ body: (Someone) async throws -> Void) async throws {
        try await withTwoTenants { home in
            let signIn = home.signIn
            let (person, link) = try await home.asHouse { tx in
                let person = try await PersonStore.findOrAdd(email: email, at: Samples.now, in: tx)
                try await PersonStore.addMember(
                    person, of: home.a, role: .support, at: Samples.now, by: .commandLine, in: tx)
                return (person, try await signIn.makeLink(for: person.id, in: tx))
            }
            let new = try await signIn.withLink(link.reveal(), settingPassword: password, from: Samples.arrival)
            try await body(Someone(home: home, signIn: signIn, person: person, session: new.session))
        }
    }

    /// The step after the password; fails where there is none.
    func step() async throws -> String {
        let entry = try await signIn.withPassword(
            email: Self.email, password: Self.password, from: Samples.arrival)
        guard case .secondFactor(let token) = entry else { throw SignInError.wrong }
        return token.reveal()
    }

    /// The code that the generator shows some steps from now.
    func code(_ secret: [UInt8], _ offset: Int64 = 0) -> String {
        let step = OneTimePassword.step(secondsSince1970: home.clock.now.milliseconds / 1000) + offset
        return String(decoding: OneTimePassword.code(SecretBytes(copying: secret), step: step), as: UTF8.self)
    }

    /// Sets a generator up. Its secret, its id and the recovery codes.
    func generator() async throws -> (secret: [UInt8], id: UUID, codes: [String]) {
        let id = try await signIn.beginGenerator(named: "Telephone", for: session)
        let offered = try #require(try await signIn.newGenerator(id, of: session))
        let secret = try #require(Self.base32(offered.secret.reveal()))
        let codes = try await signIn.confirmGenerator(id, code: code(secret), of: session, from: Samples.arrival)
        // The next step: the code that confirmed it is used up.
        home.clock.advance(by: .seconds(30))
        return (secret, id, codes.map { $0.reveal() })
    }

    private static func base32(_ text: String) -> [UInt8]? {
        var (bytes, bits, held): ([UInt8], UInt32, Int) = ([], 0, 0)
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
        for letter in text {
            guard let value = alphabet.firstIndex(of: letter) else { return nil }
            bits = bits << 5 | UInt32(value)
            held += 5
            if held >= 8 {
                held -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(held)))
            }
        }
        return bytes
    }
}

@Suite struct `Second factors` {
    @Test func `a generator guards nothing until its first right code`() async throws {
        try await Someone.with { ada in
            let id = try await ada.signIn.beginGenerator(named: "Telephone", for: ada.session)
            let offered = try #require(try await ada.signIn.newGenerator(id, of: ada.session))
            #expect(offered.uri.reveal().hasPrefix("otpauth://totp/Refund%20Desk%3Aada@example.com?secret="))
            await #expect(throws: SignInError.wrong) {
                try await ada.signIn.confirmGenerator(id, code: "000000", of: ada.session, from: Samples.arrival)
            }
            _ = try await ada.signIn.entered(email: Someone.email, password: Someone.password, Samples.arrival)
            _ = try await ada.generator()
            _ = try await ada.step()
        }
    }

    @Test func `BL-120: after the password comes a code, and only then a session with a new id`() async throws {
        try await Someone.with { ada in
            let (secret, _, _) = try await ada.generator()
            let before = Random.token(bytes: 32)
            let token = try await ada.step()
            #expect(try await ada.signIn.session(cookie: token) == nil)
            #expect(try await ada.signIn.secondFactor(token: token)?.hasGenerator == true)
            let new = try await ada.signIn.withCode(
                ada.code(secret), token: token, from: Arrival(address: "192.0.2.1", cookie: before))
            #expect(new.session.method == .totp && new.session.person == ada.person.id)
            #expect(new.token.reveal() != before && new.token.reveal() != token)
            await #expect(throws: SignInError.stepEnded) {
                try await ada.signIn.withCode(ada.code(secret, 1), token: token, from: Samples.arrival)
            }
        }
    }

    @Test func `a code works once, even in another sign-in`() async throws {
        try await Someone.with { ada in
            let (secret, _, _) = try await ada.generator()
            let code = ada.code(secret)
            _ = try await ada.signIn.withCode(code, token: try await ada.step(), from: Samples.arrival)
            let second = try await ada.step()
            await #expect(throws: SignInError.wrong) {
                try await ada.signIn.withCode(code, token: second, from: Samples.arrival)
            }
            _ = try await ada.signIn.withCode(ada.code(secret, 1), token: second, from: Samples.arrival)
        }
    }

    @Test func `of one code sent many times at once one lets in`() async throws {
        try await Someone.with { ada in
            let (secret, _, _) = try await ada.generator()
            let code = ada.code(secret)
            var tokens: [String] = []
            for _ in 0..<4 { tokens.append(try await ada.step()) }
            let steps = tokens
            let entered = await withTaskGroup(of: Bool.self) { group in
                for token in steps {
                    group.addTask { (try? await ada.signIn.withCode(code, token: token, from: Samples.arrival)) != nil }
                }
                return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(entered == 1)
        }
    }

    @Test func `five wrong codes end the step, ten in a window stop the person whatever the address`() async throws {
        try await Someone.with { ada in
            let (secret, _, _) = try await ada.generator()
            var outcomes: [SignInError] = []
            for round in 0..<3 {
                let token = try await ada.step()
                for _ in 0..<6 {
                    do {
                        _ = try await ada.signIn.withCode(
                            "000000", token: token, from: Arrival(address: "192.0.2.\(round)"))
                    } catch let error as SignInError { outcomes.append(error) }
                }
            }
            #expect(outcomes.prefix(6) == [.wrong, .wrong, .wrong, .wrong, .wrong, .stepEnded])
            #expect(outcomes.count { $0 == .wrong } == SignInTries.codesMax)
            let token = try await ada.step()
            await #expect(throws: SignInError.self) {
                try await ada.signIn.withCode(ada.code(secret), token: token, from: Samples.arrival)
            }
            ada.home.clock.advance(by: SignInTries.window)
            _ = try await ada.signIn.withCode(ada.code(secret), token: try await ada.step(), from: Samples.arrival)
        }
    }

    @Test func `a step ends after five minutes, and with a change of password`() async throws {
        try await Someone.with { ada in
            let (secret, _, _) = try await ada.generator()
            let late = try await ada.step()
            ada.home.clock.advance(by: .minutes(5))
            await #expect(throws: SignInError.stepEnded) {
                try await ada.signIn.withCode(ada.code(secret), token: late, from: Samples.arrival)
            }
            let open = try await ada.step()
            try await ada.signIn.setPassword(Array("another battery horse".utf8), of: ada.person.id)
            await #expect(throws: SignInError.stepEnded) {
                try await ada.signIn.withCode(ada.code(secret), token: open, from: Samples.arrival)
            }
        }
    }

    @Test func `a recovery code works once, however it is typed`() async throws {
        try await Someone.with { ada in
            let (_, _, codes) = try await ada.generator()
            #expect(codes.count == RecoveryCodes.count && Set(codes).count == RecoveryCodes.count)
            let typed = codes[0].lowercased().replacing("-", with: " ")
            let new = try await ada.signIn.withCode(typed, token: try await ada.step(), from: Samples.arrival)
            #expect(new.session.method == .recoveryCode)
            let second = try await ada.step()
            await #expect(throws: SignInError.wrong) {
                try await ada.signIn.withCode(codes[0], token: second, from: Samples.arrival)
            }
            #expect(try await ada.signIn.factors(of: ada.session).recoveryCodesLeft == RecoveryCodes.count - 1)
            let anew = try await ada.signIn.newRecoveryCodes(for: new.session, from: Samples.arrival)
            await #expect(throws: SignInError.wrong) {
                try await ada.signIn.withCode(codes[1], token: second, from: Samples.arrival)
            }
            _ = try await ada.signIn.withCode(anew[0].reveal(), token: second, from: Samples.arrival)
        }
    }

    @Test func `nothing that is stored shows a secret or a recovery code`() async throws {
        try await Someone.with { ada in
            let (secret, id, codes) = try await ada.generator()
            let rows = try await ada.home.database.asSuperuser(
                "select f::text || (select string_agg(c::text, ' ') from tenants.recovery_codes c) as all from tenants.factors f"
            )
            let text: String = try rows[0]("all")
            #expect(!text.contains(Hex.encode(secret)) && !text.contains(codes[0]))
            // Bound to its person and its factor: elsewhere it does not open.
            try await ada.home.database.asSuperuser("update tenants.factors set factor_id = gen_random_uuid()")
            let token = try await ada.step()
            await #expect(throws: SignInError.wrong) {
                try await ada.signIn.withCode(ada.code(secret), token: token, from: Samples.arrival)
            }
            _ = id
        }
    }

    @Test func `a change of master key wraps generators anew`() async throws {
        try await Someone.with { ada in
            let (secret, _, _) = try await ada.generator()
            let vault = ada.home.vault(try Samples.keyring(2, 1))
            #expect(try await ada.home.asHouse { tx in try await vault.sealedWithOlderKeys(in: tx) } == 1)
            let report = try await vault.rotate()
            #expect(report.rewrapped == 1 && report.unreadable == 0)
            let signIn = SignIn(
                database: ada.home.database.database, keyring: try Samples.keyring(2), clock: ada.home.clock.clock,
                journal: .silent
            ) { try $0() }
            _ = try await signIn.withCode(ada.code(secret), token: try await ada.step(), from: Samples.arrival)
        }
    }

    @Test func `what lets one in is changed soon after signing in only`() async throws {
        try await Someone.with { ada in
            let (_, id, _) = try await ada.generator()
            ada.home.clock.advance(by: Session.freshFor)
            await #expect(throws: SignInError.stale) {
                try await ada.signIn.removeFactor(id, of: ada.session, from: Samples.arrival)
            }
            await #expect(throws: SignInError.stale) {
                try await ada.signIn.beginGenerator(named: "x", for: ada.session)
            }
            await #expect(throws: SignInError.stale) { try await ada.signIn.offerPasskey(to: ada.session) }
            await #expect(throws: SignInError.stale) {
                try await ada.signIn.newRecoveryCodes(for: ada.session, from: Samples.arrival)
            }
        }
    }

    @Test func `with the last factor the recovery codes go, and each change stands in the audit log`() async throws {
        try await Someone.with { ada in
            let (_, id, _) = try await ada.generator()
            try await ada.signIn.removeFactor(id, of: ada.session, from: Samples.arrival)
            let factors = try await ada.signIn.factors(of: ada.session)
            #expect(factors.confirmed.isEmpty && factors.recoveryCodesLeft == 0)
            _ = try await ada.signIn.entered(email: Someone.email, password: Someone.password, Samples.arrival)
            let rows = try await ada.home.database.asSuperuser(
                "select string_agg(action, ' ' order by seq) as actions from tenants.audit where action like 'person.%'"
            )
            #expect(try rows[0]("actions") == "person.factor-added person.factor-removed")
        }
    }
}

@Suite struct `Passkeys` {
    private static let site = PasskeySite(id: "refunds.example", origin: "https://refunds.example")

    private static func add(_ authenticator: SampleAuthenticator, to ada: Someone) async throws {
        let offer = try await ada.signIn.offerPasskey(to: ada.session)
        try await ada.signIn.addPasskey(
            named: "Laptop", clientData: authenticator.clientData("webauthn.create", offer.challenge),
            attestation: authenticator.attestation(), token: offer.token.reveal(), on: site, for: ada.session,
            from: Samples.arrival)
    }

    private static func answer(
        _ authenticator: SampleAuthenticator, _ challenge: [UInt8], handle: [UInt8] = []
    ) throws -> PasskeyAnswer {
        let clientData = authenticator.clientData("webauthn.get", challenge)
        let data = authenticator.authenticatorData(attested: false)
        return PasskeyAnswer(
            credentialID: authenticator.credentialID, clientData: clientData, authenticatorData: data,
            signature: try authenticator.signature(data, clientData), userHandle: handle)
    }

    @Test func `a passkey alone signs in, once a challenge`() async throws {
        try await Someone.with { ada in
            let authenticator = try SampleAuthenticator()
            try await Self.add(authenticator, to: ada)
            let asked = try await ada.signIn.challengePasskey(from: Samples.arrival)
            let answer = try Self.answer(authenticator, asked.challenge, handle: ada.person.id.handle)
            let new = try await ada.signIn.withPasskey(
                answer, token: asked.token.reveal(), on: Self.site, from: Samples.arrival)
            #expect(new.session.person == ada.person.id && new.session.method == .passkey)
            await #expect(throws: SignInError.stepEnded) {
                try await ada.signIn.withPasskey(
                    answer, token: asked.token.reveal(), on: Self.site, from: Samples.arrival)
            }
            // It guards the password too.
            #expect(try await ada.signIn.secondFactor(token: try await ada.step())?.hasPasskey == true)
        }
    }

    @Test func `a challenge that was answered wrongly is used up`() async throws {
        try await Someone.with { ada in
            let authenticator = try SampleAuthenticator()
            try await Self.add(authenticator, to: ada)
            let asked = try await ada.signIn.challengePasskey(from: Samples.arrival)
            let wrong = try Self.answer(authenticator, [UInt8](repeating: 1, count: 32))
            await #expect(throws: SignInError.passkey(.challenge)) {
                try await ada.signIn.withPasskey(
                    wrong, token: asked.token.reveal(), on: Self.site, from: Samples.arrival)
            }
            let right = try Self.answer(authenticator, asked.challenge)
            await #expect(throws: SignInError.stepEnded) {
                try await ada.signIn.withPasskey(
                    right, token: asked.token.reveal(), on: Self.site, from: Samples.arrival)
            }
        }
    }

    @Test func `an unknown passkey and another person's handle are refused`() async throws {
        try await Someone.with { ada in
            let (known, unknown) = (try SampleAuthenticator(), try SampleAuthenticator())
            try await Self.add(known, to: ada)
            var asked = try await ada.signIn.challengePasskey(from: Samples.arrival)
            let strange = try Self.answer(unknown, asked.challenge)
            let token = asked.token.reveal()
            await #expect(throws: SignInError.wrong) {
                try await ada.signIn.withPasskey(strange, token: token, on: Self.site, from: Samples.arrival)
            }
            asked = try await ada.signIn.challengePasskey(from: Samples.arrival)
            let other = try Self.answer(known, asked.challenge, handle: Random.bytes(16))
            let second = asked.token.reveal()
            await #expect(throws: SignInError.wrong) {
                try await ada.signIn.withPasskey(other, token: second, on: Self.site, from: Samples.arrival)
            }
        }
    }

    @Test func `a passkey is registered once, and offered as known afterwards`() async throws {
        try await Someone.with { ada in
            let authenticator = try SampleAuthenticator()
            try await Self.add(authenticator, to: ada)
            #expect(try await ada.signIn.offerPasskey(to: ada.session).known == [authenticator.credentialID])
            await #expect(throws: SignInError.knownPasskey) { try await Self.add(authenticator, to: ada) }
        }
    }

    @Test func `signatures counted backwards are noted`() async throws {
        try await Someone.with { ada in
            var authenticator = try SampleAuthenticator()
            authenticator.signCount = 9
            try await Self.add(authenticator, to: ada)
            for count: UInt32 in [10, 10] {
                authenticator.signCount = count
                let asked = try await ada.signIn.challengePasskey(from: Samples.arrival)
                _ = try await ada.signIn.withPasskey(
                    try Self.answer(authenticator, asked.challenge), token: asked.token.reveal(), on: Self.site,
                    from: Samples.arrival)
            }
            let rows = try await ada.home.database.asSuperuser(
                "select count(*) as n from tenants.audit where action = 'person.passkey-counted-back'")
            #expect(try rows[0]("n") == Int64(1))
        }
    }

    @Test func `challenges from one address have an end`() async throws {
        try await Someone.with { ada in
            var refused = 0
            for _ in 0..<SignInTries.challengesMax + 3 {
                do {
                    _ = try await ada.signIn.challengePasskey(from: Samples.arrival)
                } catch SignInError.throttled { refused += 1 }
            }
            #expect(refused == 3)
        }
    }
}

@Suite struct `Sessions` {
    @Test func `a person sees their sessions, ends one, and all others`() async throws {
        try await Someone.with { ada in
            let enter = { (agent: String) in
                try await ada.signIn.entered(
                    email: Someone.email, password: Someone.password, Arrival(address: "192.0.2.9", userAgent: agent))
            }
            let (one, two, three) = (try await enter("one"), try await enter("two\u{7}\n"), try await enter("three"))
            let lines = try await ada.signIn.sessions(of: one.session)
            #expect(Set(lines.compactMap(\.userAgent)) == ["one", "two", "three", "Test"])
            #expect(lines.filter(\.isCurrent).map(\.id) == [one.session.id])
            #expect(try await ada.signIn.end(two.session.id, of: one.session, from: Samples.arrival))
            #expect(try await ada.signIn.session(cookie: two.token.reveal()) == nil)
            #expect(try await !ada.signIn.end(two.session.id, of: one.session, from: Samples.arrival))
            try await ada.signIn.endOthers(of: one.session, from: Samples.arrival)
            #expect(try await ada.signIn.session(cookie: three.token.reveal()) == nil)
            #expect(try await ada.signIn.session(cookie: one.token.reveal()) != nil)
        }
    }

    @Test func `nobody ends another person's session`() async throws {
        try await Someone.with { ada in
            let other = try await ada.home.asHouse { tx in
                let bob = try await PersonStore.findOrAdd(email: "bob@example.com", at: Samples.now, in: tx)
                return try await ada.signIn.start(bob.id, by: .link, from: Samples.arrival, at: Samples.now, in: tx)
            }
            #expect(try await !ada.signIn.end(ada.session.id, of: other.session, from: Samples.arrival))
            #expect(try await ada.signIn.sessions(of: other.session).count == 1)
        }
    }
}
