import AppStore
import Crypto
import Support
import Testing
import Time

/// What stands the same for all tests of signed texts; keys are made once, because P-384 is slow.
enum Given {
    static let now = Moment(milliseconds: 1_790_000_000_000)
    static let app = AppIdentity(bundleID: Sample.bundleID, appleID: Sample.appleID)
    static let chain = Result { try SampleChain(now: now) }
    static let evil = Result { try SampleChain(now: now) }

    static func verifier(_ chain: SampleChain, revocation: RevocationCheck = .off) -> Verifier {
        Verifier(trust: TrustAnchors(roots: [chain.root]), revocation: revocation, clock: WallClock { now })
    }
}

@Suite struct VerifierTests {
    let now = Given.now
    let chain: SampleChain
    let evil: SampleChain
    let verifier: Verifier

    init() throws {
        chain = try Given.chain.get()
        evil = try Given.evil.get()
        verifier = Given.verifier(chain)
    }

    private func outer(
        _ text: String, app: AppIdentity = Given.app, from source: Verifier.Source = .posted
    ) async throws(JWSError) -> VerifiedNotification {
        try await verifier.outer(Array(text.utf8), for: app, at: now, from: source)
    }

    private func refusal(
        _ text: String, app: AppIdentity = Given.app, from source: Verifier.Source = .posted
    ) async -> JWSError? {
        do {
            _ = try await outer(text, app: app, from: source)
            return nil
        } catch {
            return error
        }
    }

    private func note(
        _ changes: KeyValuePairs<String, SampleValue> = [:], _ type: String = "TEST", environment: String = "Production"
    ) -> SampleValue {
        Sample.notification(type, now, environment: environment).with(changes)
    }

    private func data(_ change: (inout SampleValue) -> Void, environment: String = "Production") -> SampleValue {
        var note = note(environment: environment)
        if var data = note["data"] {
            change(&data)
            note["data"] = data
        }
        return note
    }

    // MARK: What holds

    @Test func `a whole notification holds, outside and inside`() async throws {
        let sample = try Sample.notification(
            "DID_RENEW", transaction: Sample.subscription(now), renewal: Sample.renewal(now), chain: chain, at: now)
        let text = try chain.jws(sample)
        let verified = try await outer(text)
        #expect(verified.type == "DID_RENEW")
        #expect(verified.environment == .production)
        #expect(verified.signedAt == now)
        #expect(verified.learnedAppleID == nil)
        #expect("\(verified.uuid)".lowercased() == verified.payload.notificationUUID)
        #expect(String(decoding: verified.jws.text, as: UTF8.self) == text)
        #expect(verified.payload.raw == sample.bytes)
        let inner = try await verifier.transaction(
            try #require(verified.payload.data?.signedTransactionInfo), bundleID: Sample.bundleID,
            environment: .production, from: .notification)
        #expect(inner.transactionId == "2000000900000012")
        let renewal = try await verifier.renewal(
            try #require(verified.payload.data?.signedRenewalInfo), environment: .production,
            originalTransactionID: inner.originalTransactionId)
        #expect(renewal.autoRenewStatus == 1)
        #expect(verifier.knownChains == 1)
    }

    @Test func `BL-001: a TEST notification carries no transaction`() async throws {
        let verified = try await outer(chain.jws(note(environment: "Sandbox")))
        #expect(verified.environment == .sandbox)
        #expect(verified.payload.data?.signedTransactionInfo == nil)
    }

    @Test func `BL-012: transaction or renewal info may be missing`() async throws {
        let bought = try Sample.notification(
            "ONE_TIME_CHARGE", transaction: Sample.transaction(now), chain: chain, at: now)
        #expect(try await outer(chain.jws(bought)).payload.data?.signedRenewalInfo == nil)
        let renewed = try Sample.notification(
            "DID_CHANGE_RENEWAL_STATUS", transaction: nil, renewal: Sample.renewal(now), chain: chain, at: now)
        #expect(try await outer(chain.jws(renewed)).payload.data?.signedTransactionInfo == nil)
    }

    @Test func `a type that is new is verified like any other`() async throws {
        let verified = try await outer(chain.jws(note(["subtype": "ODD"], "SOMETHING_NEW_2031")))
        #expect(verified.type == "SOMETHING_NEW_2031" && verified.payload.type == nil)
    }

    @Test func `slashes in the header may be escaped`() async throws {
        var header = chain.header.json
        header.replace("/", with: "\\/")
        _ = try await outer(chain.jws(note(), header: .raw(header)))
    }

    @Test func `BL-056: the url alphabet is read at every length, and nothing else`() async throws {
        var lengths: Set<Int> = []
        for number in 0..<200 where lengths.count < 2 {
            let version = String(repeating: "ÿ>?~", count: 1 + number % 3) + String(number)
            let text = try chain.jws(
                data {
                    $0["bundleVersion"] = .string(version); $0["productId"] = "caf\u{E9}.\u{4E2D}"
                })
            let parts = text.split(separator: ".")
            let length = parts[1].utf8.count % 4
            guard parts[1].contains("-"), parts[1].contains("_"), length >= 2 else { continue }
            lengths.insert(length)
            let payload = try await outer(text).payload
            #expect(payload.data?.bundleVersion == version)
            #expect(String(decoding: payload.raw, as: UTF8.self).contains("caf\u{E9}.\u{4E2D}"))
            let standard = parts[1].replacing("-", with: "+").replacing("_", with: "/")
            #expect(await refusal("\(parts[0]).\(standard).\(parts[2])")?.isOurTrouble == false)
            #expect(await refusal("\(parts[0]).\(parts[1])=.\(parts[2])")?.isOurTrouble == false)
        }
        #expect(lengths == [2, 3])
    }

    @Test func `BL-057: a signature whose half begins with a zero byte holds`() async throws {
        for half in [0, 32] {
            var text = ""
            repeat {
                text = try chain.jws(note())
            } while Base64URL.decode(String(text.split(separator: ".")[2]))?[half] != 0
            _ = try await outer(text)
        }
    }

    @Test func `BL-133: certificates are in the standard alphabet with padding`() async throws {
        var padded: SampleChain
        repeat {
            padded = try chain.withLeaf { $0.organization = String(repeating: "s", count: Int.random(in: 1...9)) }
        } while !Base64.encode(padded.leaf.der).hasSuffix("==") || !Base64.encode(padded.leaf.der).contains("+")
            || !Base64.encode(padded.leaf.der).contains("/")
        _ = try await outer(padded.jws(note()))

        let texts = padded.x5c.map { value in if case .string(let text) = value { text } else { "" } }
        let spoiled: [SampleValue] = [
            .array(texts.map { .string($0.replacing("+", with: "-").replacing("/", with: "_")) }),
            .array(texts.map { .string($0.replacing("=", with: "")) }),
            .array(texts.map { .string(String($0.prefix(64)) + "\n" + $0.dropFirst(64)) }),
            .string(texts[0]), [], [7, .string(texts[1]), .string(texts[2])],
            [.string(texts[0]), .string(texts[1]), 7], .array(padded.x5c + [padded.x5c[2]]), .null,
            [.string(texts[0]), .string(texts[1]), ""],
            [.string(texts[0]), .string(texts[1]), .string(String(repeating: "A", count: 10_000))],
        ]
        for x5c in spoiled {
            let reason = try await refusal(padded.jws(note(), header: ["alg": "ES256", "x5c": x5c]))?.reason
            #expect(reason == .certificateListInvalid)
        }
        #expect(try await refusal(padded.jws(note(), header: ["alg": "ES256"]))?.reason == .certificateListInvalid)
        let nonsense: SampleValue = ["alg": "ES256", "x5c": ["AAAA", .string(texts[1]), .string(texts[2])]]
        #expect(try await refusal(padded.jws(note(), header: nonsense))?.reason == .certificateUnreadable)
    }

    // MARK: Whose signature

    @Test func `BL-052: a foreign leaf under the real names is refused`() async throws {
        let header: SampleValue = ["alg": "ES256", "x5c": [evil.x5c[0], chain.x5c[1], chain.x5c[2]]]
        #expect(try await refusal(evil.jws(note(), header: header))?.reason == .chainNotTrusted)
    }

    @Test func `BL-053: a complete foreign chain with the same names is refused`() async throws {
        #expect(try await refusal(evil.jws(note()))?.reason == .chainNotTrusted)
        // The real root in third place does not help it.
        let header: SampleValue = ["alg": "ES256", "x5c": [evil.x5c[0], evil.x5c[1], chain.x5c[2]]]
        #expect(try await refusal(evil.jws(note(), header: header))?.reason == .chainNotTrusted)
        let strange = try SampleChain(now: now) { $0.root.commonName = "Elsewhere" }
        #expect(try await refusal(strange.jws(note()))?.reason == .rootNotTrusted)
    }

    @Test func `with the built-in trust, the third certificate must be Apple's root`() async throws {
        let strict = Verifier(trust: .builtIn, clock: WallClock { [now] in now })
        let text = try chain.jws(note())
        await #expect {
            _ = try await strict.outer(Array(text.utf8), for: Given.app, at: now, from: .posted)
        } throws: {
            ($0 as? JWSError)?.reason == .rootNotTrusted
        }
        #expect(strict.isReady)
    }

    @Test func `BL-025: without trust roots everything is our own trouble`() async throws {
        let empty = Verifier(trust: TrustAnchors(roots: []), clock: WallClock { [now] in now })
        #expect(!empty.isReady)
        let text = try chain.jws(note())
        await #expect {
            _ = try await empty.outer(Array(text.utf8), for: Given.app, at: now, from: .posted)
        } throws: {
            ($0 as? JWSError)?.reason == .trustRootsMissing && ($0 as? JWSError)?.isOurTrouble == true
        }
    }

    @Test func `a signed byte that was changed is noticed, outside and inside`() async throws {
        let text = try chain.jws(note())
        let parts = text.split(separator: ".").map(String.init)
        let other = try chain.jws(note()).split(separator: ".").map(String.init)
        #expect(await refusal("\(parts[0]).\(other[1]).\(parts[2])")?.reason == .signatureInvalid)
        #expect(await refusal("\(parts[0]).\(parts[1]).\(other[2])")?.reason == .signatureInvalid)
        #expect(await refusal("\(parts[0]).\(parts[1]).")?.reason == .signatureInvalid)
        #expect(await refusal("\(parts[0]).\(parts[1]).AAAA")?.reason == .signatureInvalid)
        #expect(await refusal("\(parts[0]).\(parts[1]).\(parts[2])AAAA")?.reason == .signatureInvalid)
    }

    @Test(
        arguments: [
            ("none", ""), ("HS256", "hmac"), ("ES384", nil), ("es256", nil), ("RS256", nil), (nil, nil),
        ] as [(String?, String?)])
    func `BL-058: the sender does not choose the algorithm`(name: String?, kind: String?) async throws {
        var header = chain.header
        header["alg"] = name.map(SampleValue.string)
        var text = try chain.jws(note(), header: header)
        let signed = String(text.split(separator: ".").prefix(2).joined(separator: "."))
        switch kind {
        case "": text = signed + "."
        case "hmac":
            text =
                signed + "."
                + Base64URL.encode(Digest.hmacSHA256(key: chain.leafKey.point, message: Array(signed.utf8)))
        default: break
        }
        #expect(await refusal(text)?.reason == .algorithmNotAllowed)
    }

    @Test func `a header that demands extensions is refused`() async throws {
        let header = chain.header.with(["crit": ["b64"], "b64": false])
        #expect(try await refusal(chain.jws(note(), header: header))?.reason == .headerUnreadable)
        #expect(try await refusal(chain.jws(note(), header: .raw("[]")))?.reason == .headerUnreadable)
        #expect(
            try await refusal(chain.jws(note(), header: .raw("{\"alg\":\"ES256\",\"alg\":\"ES256\"}")))?.reason
                == .headerUnreadable)
    }

    @Test func `both of Apple's markers are demanded`() async throws {
        let leaf = try chain.withLeaf { $0.extensions = [] }
        #expect(try await refusal(leaf.jws(note()))?.reason == .leafMarkerMissing)
        let intermediate = try chain.withIntermediate { $0.extensions = [.init(oid: "1.2.840.113635.100.6.2.15")] }
        #expect(try await refusal(intermediate.jws(note()))?.reason == .intermediateMarkerMissing)
    }

    @Test func `an intermediate that is no authority is refused`() async throws {
        let plain = try chain.withIntermediate { $0.isCA = false }
        #expect(try await refusal(plain.jws(note()))?.reason == .chainNotTrusted)
    }

    @Test func `a critical extension that nobody knows is refused`() async throws {
        let odd = try chain.withLeaf { $0.extensions.append(.init(oid: "1.3.6.1.4.1.55555.2", isCritical: true)) }
        #expect(try await refusal(odd.jws(note()))?.reason == .chainNotTrusted)
    }

    @Test func `BL-055: test data of Xcode is named as what it is`() async throws {
        let xcode = note(environment: "Xcode")
        let one: SampleValue = ["alg": "ES256", "kid": "Apple_Xcode_Key", "x5c": [chain.x5c[0]]]
        #expect(try await refusal(chain.jws(xcode, header: one))?.reason == .xcodeTestData)
        #expect(try await refusal(chain.jws(note(), header: one))?.reason == .xcodeTestData)
        #expect(try await refusal(chain.jws(xcode))?.reason == .xcodeTestData)
        #expect(try await refusal(chain.jws(note(environment: "LocalTesting")))?.reason == .xcodeTestData)
        let inner = try chain.jws(Sample.transaction(now).with(["environment": "Xcode"]), header: one)
        await #expect {
            _ = try await verifier.transaction(
                inner, bundleID: Sample.bundleID, environment: .production, from: .notification)
        } throws: {
            ($0 as? JWSError)?.reason == .xcodeTestData && ($0 as? JWSError)?.text.contains("Xcode") == true
        }
    }

    // MARK: Dates

    @Test func `BL-060: an ended or not yet begun certificate is named with its date`() async throws {
        let ended = try chain.withLeaf { $0.notAfter = now - .days(1) }
        let leaf = try #require(try await refusal(ended.jws(note())))
        #expect(leaf.reason == .certificateExpired)
        #expect(leaf.text.contains("Sample Receipt Signing") && leaf.text.contains((now - .days(1)).iso8601))

        let early = try chain.withLeaf { $0.notBefore = now + .days(1) }
        let future = try #require(try await refusal(early.jws(note())))
        #expect(future.reason == .certificateNotYetValid)
        #expect(future.text.contains("Sample Receipt Signing") && future.text.contains((now + .days(1)).iso8601))

        let old = try chain.withIntermediate { $0.notAfter = now - .days(1) }
        let intermediate = try #require(try await refusal(old.jws(note())))
        #expect(intermediate.reason == .certificateExpired)
        #expect(intermediate.text.contains("Sample Developer Relations"))
        #expect(intermediate.text.contains((now - .days(1)).iso8601))

        let never = try chain.withIntermediate {
            $0.notBefore = now - .days(900)
            $0.notAfter = now - .days(800)
        }
        #expect(try await refusal(never.jws(note()))?.reason == .certificateExpired)
    }

    @Test func `BL-096: a chain is judged when the text was signed, and a posted text must be recent`() async throws {
        let ended = try chain.withLeaf {
            $0.notBefore = now - .days(400)
            $0.notAfter = now - .days(30)
        }
        let old = try ended.jws(note(["signedDate": .int((now - .days(60)).milliseconds)]))
        #expect(try await outer(old, from: .history).signedAt == now - .days(60))
        #expect(await refusal(old)?.reason == .signedTooLongAgo)

        let justEnded = try chain.withLeaf { $0.notAfter = now - .hours(1) }
        let retry = try justEnded.jws(note(["signedDate": .int((now - .hours(150)).milliseconds)]))
        #expect(await refusal(retry) == nil)
        let late = try justEnded.jws(note(["signedDate": .int((now - .minutes(30)).milliseconds)]))
        #expect(await refusal(late)?.reason == .certificateExpired)
    }

    @Test func `how far a text may be from our clock`() async throws {
        func reason(_ moment: Moment, _ source: Verifier.Source = .posted) async throws -> JWSError.Reason? {
            try await refusal(chain.jws(note(["signedDate": .int(moment.milliseconds)])), from: source)?.reason
        }
        #expect(try await reason(now + .minutes(5)) == nil)
        #expect(try await reason(now + .minutes(5) + .milliseconds(1)) == .signedInFuture)
        #expect(try await reason(now + .minutes(6), .history) == .signedInFuture)
        #expect(try await reason(now - .days(8)) == nil)
        #expect(try await reason(now - .days(8) - .milliseconds(1)) == .signedTooLongAgo)
        #expect(try await reason(Moment(milliseconds: 253_402_300_799_999)) == .signedInFuture)
        #expect(try await reason(Moment(milliseconds: 0)) == .signedTooLongAgo)
        #expect(try await reason(Moment(milliseconds: 0), .history) == .certificateNotYetValid)
        #expect(try await reason(Moment(milliseconds: -62_135_596_800_000), .history) == .certificateNotYetValid)
        #expect(try await refusal(chain.jws(note().without("signedDate")))?.reason == .signedDateMissing)
        for absurd: SampleValue in [
            "now", nil, .int(.max), .int(.min), .raw("1e13"), .raw("1.5"), .raw("99999999999999999999"),
        ] {
            #expect(
                try await refusal(chain.jws(note(["signedDate": absurd])), from: .history)?.reason == .signedDateMissing
            )
        }
    }

    // MARK: Identity

    @Test func `BL-013: the app id is demanded and compared in Production only`() async throws {
        #expect(try await refusal(chain.jws(note(environment: "Sandbox"))) == nil)
        #expect(try await refusal(chain.jws(data({ $0["appAppleId"] = 7 }, environment: "Sandbox"))) == nil)
        #expect(try await refusal(chain.jws(data { $0["appAppleId"] = SampleValue?.none }))?.reason == .appleIDMissing)
        #expect(try await refusal(chain.jws(data { $0["appAppleId"] = "6450000001" }))?.reason == .appleIDMissing)
        #expect(try await refusal(chain.jws(data { $0["appAppleId"] = 6_450_000_999 }))?.reason == .appleIDMismatch)
    }

    @Test func `an unknown app id is learned from Production alone`() async throws {
        let app = AppIdentity(bundleID: Sample.bundleID, appleID: nil)
        #expect(try await outer(chain.jws(note()), app: app).learnedAppleID == Sample.appleID)
        #expect(
            try await outer(chain.jws(data({ $0["appAppleId"] = 7 }, environment: "Sandbox")), app: app).learnedAppleID
                == nil)
        #expect(
            try await refusal(chain.jws(data { $0["appAppleId"] = SampleValue?.none }), app: app)?.reason
                == .appleIDMissing)
    }

    @Test func `the bundle id is compared always and exactly`() async throws {
        for environment in ["Production", "Sandbox"] {
            for spoiled: SampleValue in ["com.example.beta", "com.example.Alpha", "com.example.alpha ", "", 7, nil] {
                let text = try chain.jws(data({ $0["bundleId"] = spoiled }, environment: environment))
                #expect(await refusal(text)?.reason == .bundleMismatch)
            }
        }
        #expect(try await refusal(chain.jws(data { $0["bundleId"] = SampleValue?.none }))?.reason == .bundleMismatch)
    }

    @Test(arguments: ["production", "PRODUCTION", "Staging", ""])
    func `an environment that is spelled otherwise is refused`(name: String) async throws {
        #expect(try await refusal(chain.jws(data { $0["environment"] = .string(name) }))?.reason == .environmentUnknown)
    }

    @Test func `BL-045: each of the four shapes is accepted`() async throws {
        let identity: SampleValue = [
            "environment": "Production", "appAppleId": .int(Sample.appleID), "bundleId": .string(Sample.bundleID),
        ]
        let shapes: [(String, SampleValue)] = [
            ("summary", identity.with(["productId": "p", "succeededCount": 3, "failedCount": 1])),
            (
                "externalPurchaseToken",
                identity.without("environment").with(["externalPurchaseId": "p1", "tokenCreationDate": 1])
            ), ("appData", identity.with(["signedAppTransactionInfo": "x"])),
        ]
        for (name, value) in shapes {
            let verified = try await outer(chain.jws(note().without("data").with(name, value)))
            #expect(verified.environment == .production)
            #expect(verified.payload.shapes.map(\.rawValue) == [name])
        }
    }

    @Test func `BL-086: a sandbox token is told by its prefix, and two shapes are refused`() async throws {
        func token(_ id: String) -> SampleValue {
            note().without("data").with([
                "externalPurchaseToken": [
                    "externalPurchaseId": .string(id), "appAppleId": .int(Sample.appleID),
                    "bundleId": .string(Sample.bundleID),
                ]
            ])
        }
        #expect(try await outer(chain.jws(token("SANDBOX_9f"))).environment == .sandbox)
        #expect(try await outer(chain.jws(token("9f"))).environment == .production)
        let both = note(["summary": ["bundleId": .string(Sample.bundleID), "environment": "Production"]])
        #expect(try await refusal(chain.jws(both))?.reason == .shapesAmbiguous)
        #expect(try await refusal(chain.jws(note().without("data")))?.reason == .shapesAmbiguous)
        #expect(try await refusal(chain.jws(note(["data": nil])))?.reason == .shapesAmbiguous)
        #expect(try await outer(chain.jws(note(["summary": nil]))).environment == .production)
    }

    @Test func `BL-047: another signed text is not a notification`() async throws {
        #expect(try await refusal(chain.jws(Sample.transaction(now)))?.reason == .notANotification)
        #expect(try await refusal(chain.jws(Sample.renewal(now)))?.reason == .notANotification)
        for text in ["a", "a.b", "a.b.c.d", "..", ".", "", "a..c"] {
            #expect(await refusal(text)?.reason == .notANotification, "\(text)")
        }
        for spoiled: SampleValue in [nil, 7, ""] {
            #expect(try await refusal(chain.jws(note(["notificationType": spoiled])))?.reason == .notANotification)
        }
        for spoiled: SampleValue in [nil, 7, "", "42"] {
            #expect(try await refusal(chain.jws(note(["notificationUUID": spoiled])))?.reason == .notANotification)
        }
        #expect(try await refusal(chain.jws(Array("[]".utf8)))?.reason == .payloadUnreadable)
        #expect(try await refusal(chain.jws(Array("nope".utf8)))?.reason == .payloadUnreadable)
        #expect(try await refusal(chain.jws(note([:], "T\u{0}")))?.reason == .payloadUnreadable)
    }

    // MARK: Inner texts

    private func inner(
        _ text: String, from source: Verifier.TransactionSource = .notification
    ) async -> JWSError.Reason? {
        do {
            _ = try await verifier.transaction(
                text, bundleID: Sample.bundleID, environment: .production, from: source, signedAt: now)
            return nil
        } catch {
            return error.reason
        }
    }

    @Test func `BL-059: the inner text is verified like the outer one, and its id is needed`() async throws {
        let sample = Sample.transaction(now)
        #expect(try await inner(chain.jws(sample)) == nil)
        #expect(try await inner(evil.jws(sample)) == .chainNotTrusted)
        #expect(await inner("{\"transactionId\":\"1\"}") == .malformed)
        #expect(try await inner(chain.jws(sample.without("transactionId"))) == .transactionIDMissing)
        #expect(try await inner(chain.jws(sample.with(["transactionId": ""]))) == .transactionIDMissing)
        #expect(try await inner(chain.jws(sample.with(["transactionId": 5]))) == .transactionIDMissing)
        #expect(try await inner(chain.jws(sample.with(["bundleId": "com.example.beta"]))) == .bundleMismatch)
        #expect(try await inner(chain.jws(sample.with(["environment": "Sandbox"]))) == .environmentMismatch)
        #expect(try await inner(chain.jws(sample.without("environment"))) == .environmentMismatch)
        #expect(try await inner(chain.jws(sample.without("signedDate"))) == nil)
        #expect(
            try await inner(chain.jws(sample.with(["signedDate": .int((now + .hours(1)).milliseconds)])))
                == .signedInFuture)
    }

    @Test func `BL-087: a transaction without bundle id is accepted from a look-up only`() async throws {
        let text = try chain.jws(Sample.transaction(now).without("bundleId"))
        #expect(await inner(text, from: .lookup) == nil)
        #expect(await inner(text, from: .notification) == .bundleMismatch)
        let foreign = try chain.jws(Sample.transaction(now).with(["bundleId": "com.example.beta"]))
        #expect(await inner(foreign, from: .lookup) == .bundleMismatch)
    }

    @Test func `renewal info belongs to its transaction and environment`() async throws {
        func reason(_ sample: SampleValue) async throws -> JWSError.Reason? {
            do {
                _ = try await verifier.renewal(
                    chain.jws(sample), environment: .production, originalTransactionID: "2000000900000010")
                return nil
            } catch let error as JWSError {
                return error.reason
            }
        }
        #expect(try await reason(Sample.renewal(now)) == nil)
        #expect(try await reason(Sample.renewal(now).with(["environment": "Sandbox"])) == .environmentMismatch)
        #expect(try await reason(Sample.renewal(now).with(["originalTransactionId": "1"])) == .transactionMismatch)
    }
}

extension SampleValue {
    fileprivate func with(_ name: String, _ value: SampleValue) -> SampleValue {
        var copy = self
        copy[name] = value
        return copy
    }
}
