import HTTP
import Refunds

/// The page behind the link that a channel's mail address is confirmed with: for whoever reads there, signed in or not.
struct ConfirmationHandlers: Sendable {
    let console: Console

    func show(_ request: Request, _ context: Context) async throws -> Response {
        let token = context.parameter("token")
        return page(token, try await console.alerts.confirmation(token), isDone: false)
    }

    func confirm(_ request: Request, _ context: Context) async throws -> Response {
        let token = context.parameter("token")
        return page(token, try await console.alerts.confirm(token, address: context.client.address), isDone: true)
    }

    private func page(_ token: String, _ confirmation: ChannelConfirmation?, isDone: Bool) -> Response {
        console.page(
            ConfirmationPage(frame: console.strangersFrame, token: token, confirmation: confirmation, isDone: isDone)
                .html,
            status: confirmation == nil ? .notFound : .ok)
    }
}
