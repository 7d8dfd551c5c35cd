import Crypto
package import HTTP
package import Mail
package import Time

/// Sends notices over channels, each once for each call; when to try again is the caller's to decide.
package final class ChannelSender: Sendable {
    /// The longest time for one notice, all its calls together.
    static let totalMax: Duration = .seconds(30)
    private static let answerBytesMax = 64 * 1024

    private let services: HTTPClient
    private let tenants: HTTPClient
    private let mail: MailClient?
    private let bases: ChannelBases
    private let clock: WallClock
    /// PagerDuty takes about 120 a minute for each integration key.
    private let pagerDutyBudget = CallBudget(callsMax: 60, per: .minutes(1))

    /// - Parameters:
    ///   - services: calls the hosts that services have, or that the operator set.
    ///   - tenants: calls hosts that tenants chose: with an address guard, and without encryption only where allowed.
    ///   - mail: nil where no mail server is set.
    package init(services: HTTPClient, tenants: HTTPClient, mail: MailClient?, bases: ChannelBases, clock: WallClock) {
        self.services = services
        self.tenants = tenants
        self.mail = mail
        self.bases = bases
        self.clock = clock
    }

    var hasMail: Bool { mail != nil }

    /// Sends one notice. Every ending is an answer, within 30 seconds; no answer holds the channel's secret.
    package func send(_ notice: Notice, over channel: OpenedChannel) async -> ChannelAnswer {
        let answer: ChannelAnswer
        if let service = Self.service(channel, bases) {
            answer = await call(service, notice, channel)
        } else {
            answer = await sendMail(notice, channel)
        }
        let secrets = ChannelSecrets(channel)
        return answer.saying { ChannelText.bounded(secrets.hidden(in: ChannelText.line($0)), ChannelAnswer.wordsMax) }
    }

    private func sendMail(_ notice: Notice, _ channel: OpenedChannel) async -> ChannelAnswer {
        guard let mail else { return .again("no mail server is set: REFUND_DESK_SMTP_URL names one", after: nil) }
        guard let message = EmailChannel(channel: channel, bases: bases).message(for: notice) else {
            return .refused("the address is no e-mail address")
        }
        do throws(MailError) {
            try await mail.send(message)
            return EmailChannel.answer(nil)
        } catch {
            return EmailChannel.answer(error)
        }
    }

    private func call(_ service: any ChannelService, _ notice: Notice, _ channel: OpenedChannel) async -> ChannelAnswer
    {
        let deadline = Deadline.after(Self.totalMax)
        var waiting = service.requests(for: notice, at: clock.now)[...]
        if channel.kind == .pagerduty, let pause = spend(waiting.count, channel) {
            return .again("this routing key has had its calls for this minute", after: pause)
        }
        // Of several calls the first is the notice itself.
        var answer: ChannelAnswer?
        while let request = waiting.popFirst() {
            do throws(HTTPClientError) {
                let response = try await perform(request, within: service.patience, until: deadline)
                let its = service.answer(to: request, response)
                guard its.isAccepted else { return its }
                answer = answer ?? its
                if let next = service.following(request, response, for: notice) {
                    waiting.insert(next, at: waiting.startIndex)
                }
            } catch {
                return Self.answer(to: error)
            }
        }
        return answer ?? .refused("there is nothing to send")
    }

    private func perform(
        _ request: ChannelRequest, within patience: Duration, until deadline: Deadline
    ) async throws(HTTPClientError) -> ClientResponse {
        let client = request.host == .service ? services : tenants
        return try await client.send(
            ClientRequest(
                method: request.method, url: request.url, headers: request.fields, body: request.body,
                responseBytesMax: Self.answerBytesMax, totalTimeout: patience),
            until: deadline)
    }

    /// An answer too long to read came all the same: with what status is not known, so it is tried again.
    private static func answer(to error: HTTPClientError) -> ChannelAnswer {
        switch error.kind {
        case .badRequest, .addressRefused: .refused(error.text)
        default: .again(error.text, after: nil)
        }
    }

    private func spend(_ calls: Int, _ channel: OpenedChannel) -> Duration? {
        let key = Hex.encode(Digest.sha256(Array(channel.secretText.utf8)))
        return pagerDutyBudget.spend(calls, of: key, at: clock.now)
    }

    /// Nil for mail, which does not go over HTTP.
    static func service(_ channel: OpenedChannel, _ bases: ChannelBases) -> (any ChannelService)? {
        switch channel.kind {
        case .email: nil
        case .pagerduty: PagerDutyChannel(channel: channel, bases: bases)
        case .slack: SlackChannel(channel: channel, bases: bases)
        case .webhook: WebhookChannel(channel: channel, bases: bases)
        case .alertmanager: AlertmanagerChannel(channel: channel, bases: bases)
        case .jsm: JSMChannel(channel: channel, bases: bases)
        case .opsgenie: OpsgenieChannel(channel: channel, bases: bases)
        case .discord: DiscordChannel(channel: channel, bases: bases)
        case .teams: TeamsChannel(channel: channel, bases: bases)
        case .ntfy: NtfyChannel(channel: channel, bases: bases)
        case .telegram: TelegramChannel(channel: channel, bases: bases)
        case .pushover: PushoverChannel(channel: channel, bases: bases)
        case .gotify: GotifyChannel(channel: channel, bases: bases)
        case .googlechat: GoogleChatChannel(channel: channel, bases: bases)
        }
    }
}
