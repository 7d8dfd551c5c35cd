import Crypto
import HTTP
import Loop
import Time

/// Request Transaction Refund, Revoke Subscription and Cancel a Subscription.
///
/// Source: Advanced Commerce API, the pages of these calls (apple sheets 6.3–6.8). 200 says that a request was
/// accepted; the decision comes later, by notification.
struct CommerceEndpoints {
    let works: Works
    let clerk: CommerceClerk

    /// How long an answer waits for a decision at the most, if it is to wait for one.
    private static let decisionWaitMax = Duration.seconds(60)

    var all: [Endpoint] {
        CommerceKind.allCases.map { kind in
            Endpoint(
                method: .post, pattern: kind.pattern, perSecond: 5, isCommerce: true,
                answer: { caller throws(AppleError) in try await answer(kind, caller) })
        }
    }

    private func answer(_ kind: CommerceKind, _ caller: Caller) async throws(AppleError) -> Answer {
        let book = works.commerce
        guard book.standing(caller.app.bundleID, in: caller.environment).hasAddendum else {
            return .error(book.addendum.refusal, remarks: ["the addendum is not accepted"])
        }
        let id = caller.parameter("transactionId")
        let reading = CommerceReader(kind: kind).read(caller.body)
        guard let reference = reading.reference else { throw try failure(of: reading) }
        let digest = Digest.sha256(Array("\(caller.app.bundleID) \(kind.rawValue) \(id) ".utf8) + caller.body)
        let admission = book.admit(reference, digest: digest, in: caller.environment) { look in
            request(kind, reading, reference: reference, id: id, caller, look: look)
        }
        var answer: Answer
        switch admission {
        // Whose reference it is may still be waiting for its answer.
        case .repeated: return .error(CommerceError.repeatedRequestReferenceID)
        case .refused(let error): answer = .error(error)
        case .again(let request): answer = try signed(request, caller, remarks: ["the same call again"])
        case .accepted(let request):
            clerk.take(request)
            if book.settings.answersAfterDecision { await waitForDecision(of: request) }
            answer = try signed(request, caller, remarks: [])
        }
        answer.cameThrough = { book.answered(reference, in: caller.environment) }
        return answer
    }

    private func failure(of reading: CommerceReader.Reading) throws(AppleError) -> AppleError {
        switch reading.asked {
        case .failure(let error): error
        case .success: .generalInternal
        }
    }

    private func request(
        _ kind: CommerceKind, _ reading: CommerceReader.Reading, reference: String, id: String, _ caller: Caller,
        look: (String) -> CommerceBook.Look
    ) -> Result<CommerceRequest, AppleError> {
        do throws(AppleError) {
            let asked = try reading.asked.get()
            let found = try CommerceLookup(shelves: works.shelves).find(
                id, for: kind, of: caller.app.bundleID, in: caller.environment)
            let transaction = found.transaction
            let known = look(transaction.id)
            let rules = CommerceRules(
                transaction: transaction, latest: found.latest,
                isPending: known.isWaiting || transaction.requestedAt != nil,
                standingRefusal: known.refusal, now: caller.now)
            try rules.check(asked, in: caller.environment)
            return .success(
                CommerceRequest(
                    requestReferenceID: reference, kind: kind, environment: caller.environment,
                    bundleID: caller.app.bundleID, transactionID: transaction.id, at: caller.now, asked: asked,
                    state: kind == .cancel ? .cancelled : .waiting))
        } catch {
            return .failure(error)
        }
    }

    /// The transaction and its renewal as they stand now.
    private func signed(
        _ request: CommerceRequest, _ caller: Caller, remarks: [String]
    ) throws(AppleError) -> Answer {
        guard let transaction = works.shelves.transaction(request.transactionID, in: request.environment) else {
            throw .generalInternal
        }
        let now = works.now
        var members: JSONObject = ["signedTransactionInfo": .string(try sign(transaction.payload, now))]
        if let renewal = transaction.renewal { members["signedRenewalInfo"] = .string(try sign(renewal, now)) }
        var answer = Answer.json(.object(members))
        answer.remarks = remarks
        return answer
    }

    private func sign(_ payload: JSONObject, _ now: Moment) throws(AppleError) -> String {
        var payload = payload
        payload["signedDate"] = .int(now.milliseconds)
        guard let jws = try? works.authority.sign(.object(payload)) else { throw .generalInternal }
        return jws
    }

    private func waitForDecision(of request: CommerceRequest) async {
        let loop = EventLoop.current ?? works.loops.here
        let deadline = ContinuousClock.now + Self.decisionWaitMax
        while ContinuousClock.now < deadline, !works.isStopped,
            works.commerce.request(request.requestReferenceID, in: request.environment)?.state == .waiting
        {
            guard (try? await loop.sleep(for: .milliseconds(20))) != nil else { return }
        }
    }
}
