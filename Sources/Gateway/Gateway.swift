package import HTTP
package import Refunds
package import Tenants
package import Time

/// Apple's door and the app's own: notifications in, reports in, cases out.
package struct Gateway: Sendable {
    private let inbox: InboxEndpoint
    private let api: API

    package init(
        directory: InboxDirectory, intake: Intake, tokens: APITokens, reports: Reports, records: Records,
        clock: WallClock
    ) {
        inbox = InboxEndpoint(directory: directory, intake: intake)
        api = API(tokens: tokens, reports: reports, records: records, clock: clock)
    }

    package var routes: [Route] { [inbox.route] + api.routes }

    /// For addresses that no route knows: under `/api` a problem in JSON, elsewhere what `other` says.
    package static func notFound(otherwise other: @escaping Handler) -> Handler {
        { request, context in
            guard request.segments.first == "api" else { return try await other(request, context) }
            return Problem.notFound("there is nothing at this address").response
        }
    }

    /// The same for a method that an address does not have.
    package static func methodNotAllowed(otherwise other: @escaping Handler) -> Handler {
        { request, context in
            guard request.segments.first == "api" else { return try await other(request, context) }
            return Problem(.methodNotAllowed, "this address does not answer to \(request.method.name)").response
        }
    }
}
