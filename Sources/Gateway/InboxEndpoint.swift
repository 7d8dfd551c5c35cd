import HTTP
import Journal
import Refunds
import Tenants

/// `POST /n/{inbox}`: one app's notifications.
///
/// With or without a final slash, with any query and any Content-Type. Nothing happens here but
/// finding the inbox, handing the bytes over, and telling Apple what became of them.
struct InboxEndpoint: Sendable {
    /// Apple's notifications have 6 to 20 KB; one that is larger than this is no notification.
    static let bodyBytesMax = 1024 * 1024

    let directory: InboxDirectory
    let intake: Intake

    var route: Route {
        Route(
            .post, "/n/{inbox}", bodyMax: Self.bodyBytesMax, trailingSlash: true, sensitive: true
        ) { request, context in
            try await receive(request, context)
        }
    }

    private func receive(_ request: Request, _ context: Context) async throws -> Response {
        if let coding = request.headers["Content-Encoding"], coding.lowercased() != "identity", !coding.isEmpty {
            return .text("send the body without Content-Encoding\n", status: .unsupportedMediaType)
        }
        let inbox: Inbox?
        do {
            inbox = try await directory.inbox(token: context.parameter("inbox"))
        } catch {
            // Not knowing is our trouble: a 404 would lose the notification for good.
            context.journal.error("an inbox could not be looked up", ["error": JournalValue(error)])
            return Answer.unavailable(retryAfter: .seconds(30))
        }
        guard let inbox else { return .text("no such inbox\n", status: .notFound) }
        let meta = DeliveryMeta(
            userAgent: request.headers["User-Agent"], forwardedFor: request.headers["X-Forwarded-For"],
            peer: request.peer.address ?? "unix")
        return Answer.response(
            to: await intake.receive(request.body, inbox: inbox, meta: meta, at: context.receivedAt))
    }
}
