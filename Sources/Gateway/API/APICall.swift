import HTTP
import Journal
import Refunds
import Tenants
import Time

/// A call whose caller is known and may make it.
struct APICall: Sendable {
    let request: Request
    let context: Context
    let token: APIToken
    let now: Moment

    /// The body as JSON.
    ///
    /// - Throws: `Problem`: another media type, a content coding, no strict JSON.
    func body() throws(Problem) -> JSON {
        if let type = request.headers.mediaType, type != "application/json" {
            throw Problem(.unsupportedMediaType, "send application/json")
        }
        if let coding = request.headers["Content-Encoding"], coding.lowercased() != "identity" {
            throw Problem(.unsupportedMediaType, "send the body without Content-Encoding")
        }
        do {
            return try JSONReader.read(request.body)
        } catch {
            throw Problem.bad("the body is not JSON: \(error)")
        }
    }
}

/// Lets callers in: a bearer token, its scope, and the app it names.
struct APIDoor: Sendable {
    let tokens: APITokens
    let reports: Reports
    let clock: WallClock

    typealias Call = @Sendable (APICall) async throws -> Response
    typealias AppCall = @Sendable (APICall, App) async throws -> Response

    func call(_ scope: APIScope, _ body: @escaping Call) -> Handler {
        { request, context in
            do {
                let token = try await enter(request, scope)
                var response = try await body(
                    APICall(request: request, context: context, token: token, now: clock.now))
                // Facts about customers are in nobody's cache.
                response.headers.set("Cache-Control", "no-store")
                return response
            } catch let problem as Problem {
                return problem.response
            } catch {
                return trouble(error, context).response
            }
        }
    }

    /// The same for addresses below `/apps/{bundleId}`. Another tenant's app is as absent as none.
    func appCall(_ scope: APIScope, _ body: @escaping AppCall) -> Handler {
        call(scope) { call in
            guard
                let app = try await reports.app(
                    of: call.token.tenant, bundleID: call.context.parameter("bundleId")),
                call.token.reaches(app.id)
            else { throw Problem.notFound("there is no such app") }
            return try await body(call, app)
        }
    }

    private func enter(_ request: Request, _ scope: APIScope) async throws -> APIToken {
        guard request.headers.all("Authorization").count == 1, let bearer = request.bearerToken else {
            throw Problem(
                .unauthorized, "a token is needed: Authorization: Bearer rd_…", headers: ["WWW-Authenticate": "Bearer"])
        }
        guard let token = try await tokens.token(bearer) else {
            throw Problem(
                .unauthorized, "the token is unknown, revoked or has ended",
                headers: ["WWW-Authenticate": "Bearer error=\"invalid_token\""])
        }
        guard token.allows(scope) else {
            throw Problem(
                .forbidden, "the token lacks the scope \(scope.rawValue)",
                headers: ["WWW-Authenticate": "Bearer error=\"insufficient_scope\", scope=\"\(scope.rawValue)\""])
        }
        return token
    }

    private func trouble(_ error: any Error, _ context: Context) -> Problem {
        context.journal.error("a call failed", ["route": .string(context.route), "error": JournalValue(error)])
        return Records.isPassingTrouble(error)
            ? Problem(.serviceUnavailable, "not now; call again", headers: ["Retry-After": "5"])
            : Problem(.internalServerError, "internal error; the request id tells the operator more")
    }
}
