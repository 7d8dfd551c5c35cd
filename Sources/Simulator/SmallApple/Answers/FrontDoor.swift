import Crypto
import HTTP
import Loop
import Time

/// The App Store Server API and the Advanced Commerce calls of both environments: ledger, script, token, limits, mischief, endpoint.
struct FrontDoor: Sendable {
    let works: Works
    let endpoints: [Endpoint]
    private let troubles = Troubles()
    private let commerce: CommerceDoor

    /// The older host names, `….itunes.apple.com`, are prefixes below this one; both serve the same
    /// (apple sheets 4.1, 6.2).
    static let olderHost = "/itunes"

    /// A hanging call is let go after this time, if its caller is that patient.
    private static let hangMax = Duration.seconds(300)

    init(works: Works, endpoints: [Endpoint]) {
        self.works = works
        self.endpoints = endpoints
        commerce = CommerceDoor(works: works)
    }

    var routes: [Route] {
        StoreEnvironment.allCases.flatMap { environment in
            ["", Self.olderHost].flatMap { host in
                endpoints.map { endpoint in
                    Route(endpoint.method, "\(host)/\(environment.pathPrefix)\(endpoint.pattern)") { request, context in
                        try await serve(request, context, environment, endpoint, host: host)
                    }
                }
            }
        }
    }

    /// Paths of an environment that do not exist are in the ledger too: paths are case-sensitive, and a slip
    /// there must be seen.
    func unknown(_ request: Request, _ context: Context) async throws -> Response {
        let host = "/" + (request.segments.first ?? "") == Self.olderHost ? Self.olderHost : ""
        let prefix = host.isEmpty ? request.segments.first : request.segments.dropFirst().first
        guard let environment = StoreEnvironment.allCases.first(where: { $0.pathPrefix == prefix }) else {
            return .text("not found\n", status: .notFound)
        }
        return try await serve(request, context, environment, nil, host: host)
    }

    private func serve(
        _ request: Request, _ context: Context, _ environment: StoreEnvironment, _ endpoint: Endpoint?,
        host: String
    ) async throws -> Response {
        let now = works.now
        let token = CallerToken.read(
            request.headers["Authorization"], environment: environment, keys: works.keys, shelves: works.shelves,
            now: now)
        var call = works.ledger.begin { number in
            Call(
                number: number, at: now, environment: environment, isOlderHost: !host.isEmpty,
                method: request.method.name,
                path: String(request.path.dropFirst(host.count + environment.pathPrefix.count + 1)),
                query: request.target.firstIndex(of: "?").map { String(request.target[$0...].dropFirst()) } ?? "",
                headers: request.headers.filter { $0.name.lowercased() != "authorization" }.map { ($0.name, $0.value) },
                tokenHeader: token.header, claims: token.claims, tokenFault: token.fault,
                body: String(decoding: request.body, as: UTF8.self))
        }
        let scripted = works.script.take(for: call.method, call.path, in: environment)
        var answer: Answer
        if let scripted, let status = scripted.status {
            answer = Answer(status: status, headers: scripted.headers, body: scripted.body, remarks: ["scripted"])
            if scripted.isWorked {
                let lost = await usual(request, context, call, token, endpoint, now)
                answer.remarks = ["scripted in place of \(lost.status)"] + lost.remarks
                answer.cameThrough = lost.cameThrough
            }
        } else {
            answer = await usual(request, context, call, token, endpoint, now)
            if scripted != nil { answer.remarks.append("scripted ending") }
        }
        call.status = answer.status
        call.answer = String(decoding: answer.body, as: UTF8.self)
        call.answerHeaders = answer.headers
        call.remarks = answer.remarks
        if let delay = scripted?.delay, delay > .zero {
            do {
                try await pause(delay)
            } catch {
                // The caller has gone: for it the answer never came.
                call.ending = .hung
                works.ledger.finish(call)
                throw error
            }
        }
        call.answeredAt = works.now
        return try await end(&call, answer, scripted?.ending ?? .send)
    }

    private func end(_ call: inout Call, _ answer: Answer, _ ending: ScriptedAnswer.Ending) async throws -> Response {
        switch ending {
        case .send:
            call.ending = .answered
            if answer.status < 500 { answer.cameThrough?() }
            works.ledger.finish(call)
            var headers = HeaderFields()
            for (name, value) in answer.headers { headers.add(name, value) }
            return Response(
                Status(answer.status), headers: headers, body: answer.body.isEmpty ? .empty : .bytes(answer.body))
        case .reset:
            call.ending = .reset
            works.ledger.finish(call)
        case .hang:
            call.ending = .hung
            works.ledger.finish(call)
            try await pause(Self.hangMax)
        }
        return Response(.ok, body: .stream { throw BrokenOff() })
    }

    private func pause(_ time: Duration) async throws {
        try await (EventLoop.current ?? works.loops.here).sleep(for: time)
    }

    /// The order: token, app, limit, mischief, and only then the call itself.
    private func usual(
        _ request: Request, _ context: Context, _ call: Call, _ token: CallerToken, _ endpoint: Endpoint?, _ now: Moment
    ) async -> Answer {
        guard let app = token.app else {
            return endpoint?.isCommerce == true
                ? commerce.refusesToken(requestID: context.requestID)
                : .unauthenticated(requestID: context.requestID)
        }
        guard !app.isWithdrawn else { return .error(.appNotFound) }
        guard let endpoint else { return Answer(status: 404, remarks: ["no such endpoint"]) }
        if endpoint.isCommerce {
            if let refusal = commerce.refusal(
                of: app, in: call.environment, isOlderHost: call.isOlderHost, now: now)
            {
                return refusal
            }
        } else if let until = works.limits.refusal(
            endpoint.method.name + endpoint.pattern, perSecond: endpoint.perSecond, app: app.bundleID,
            environment: call.environment, now: now)
        {
            return .rateLimited(until: until.milliseconds, remark: "the app's limit is used up")
        }
        if works.manners.troubles {
            switch troubles.next("\(call.environment) \(call.method) \(call.path)", chance: works.chance) {
            case .rateLimited(let milliseconds)?:
                return .rateLimited(until: now.milliseconds + milliseconds, remark: "mischief: 429")
            case .internalError?: return .error(.generalInternalRetryable, remarks: ["mischief: 500"])
            case nil: break
            }
        }
        do throws(AppleError) {
            return try await endpoint.answer(
                Caller(
                    app: app, environment: call.environment, parameters: context.parameters, query: request.query,
                    body: request.body, now: now))
        } catch {
            return .error(error)
        }
    }
}

/// Breaks the connection off in place of an answer.
struct BrokenOff: Error {}
