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
        commerce: CommerceDesk, deciding: DecidingDesk, clock: WallClock
    ) {
        inbox = InboxEndpoint(directory: directory, intake: intake)
        api = API(
            tokens: tokens, reports: reports, records: records, commerce: commerce, deciding: deciding, clock: clock)
    }

    package var routes: [Route] { [inbox.route] + api.routes }

    /// Answers for what no route takes, below the gateway's own paths: under `/api` problems in JSON, under
    /// `/n` a line of text. What the router said before it still says everywhere else.
    package static func answerTroubles(in router: inout Router) {
        let (notFound, methodNotAllowed, refused) = (router.notFound, router.methodNotAllowed, router.refused)
        router.notFound = { request, context in
            switch request.segments.first {
            case "api": Problem.notFound("there is nothing at this address").response
            case "n": .text("there is no such inbox\n", status: .notFound)
            default: try await notFound(request, context)
            }
        }
        router.methodNotAllowed = { request, context in
            switch request.segments.first {
            case "api":
                Problem(.methodNotAllowed, "this address does not answer to \(request.method.name)").response
            case "n": .text("notifications are sent here by POST\n", status: .methodNotAllowed)
            default: try await methodNotAllowed(request, context)
            }
        }
        router.refused = { status, text, path in
            guard let path else { return refused(status, text, path) }
            if path == "/api" || path.hasPrefix("/api/") { return Problem(status, text).response }
            if path == "/n" || path.hasPrefix("/n/") { return .text(text + "\n", status: status) }
            return refused(status, text, path)
        }
    }
}
