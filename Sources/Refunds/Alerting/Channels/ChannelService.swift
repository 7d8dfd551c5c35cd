import HTTP
import Time

/// One kind of channel over HTTP: how a notice is put for it, and how its answers are read. Pure.
protocol ChannelService: Sendable {
    /// One after the other; the next is sent when the one before was accepted.
    func requests(for notice: Notice, at now: Moment) -> [ChannelRequest]

    /// What an answer to one of them means.
    func answer(to request: ChannelRequest, _ response: ClientResponse) -> ChannelAnswer

    /// What is to be sent because of an answer that was accepted.
    func following(_ request: ChannelRequest, _ response: ClientResponse, for notice: Notice) -> ChannelRequest?

    /// How long one call may take.
    var patience: Duration { get }
}

extension ChannelService {
    var patience: Duration { .seconds(30) }

    func following(_ request: ChannelRequest, _ response: ClientResponse, for notice: Notice) -> ChannelRequest? { nil }
}
