import AppStore
import HTTP
import Time

/// What most services mean by their answers; each kind says where it differs.
enum ServiceAnswer {
    static let pauseMax: Duration = .hours(1)

    /// - Parameters:
    ///   - goneAt: statuses that mean the hook or its key is no longer known.
    ///   - words: what the service says, read from its body.
    static func read(_ response: ClientResponse, goneAt: Set<Int> = [404, 410], words: String) -> ChannelAnswer {
        let status = response.status
        let said = words.isEmpty ? "answered \(status)" : "answered \(status): \(words)"
        switch status {
        case 200...299: return .accepted(words.isEmpty ? "\(status)" : words)
        case _ where goneAt.contains(status): return .gone(said)
        case 429: return .again(said, after: retryAfter(response))
        case 408, 425, 500...: return .again(said, after: retryAfter(response))
        case 300...399: return .again("answered \(status), a redirect, which is not followed", after: nil)
        default: return .refused(said)
        }
    }

    /// Whole seconds, at most an hour; nil where the service names none.
    static func retryAfter(_ response: ClientResponse) -> Duration? {
        guard let text = response.headers["Retry-After"] else { return nil }
        // Some write a fraction, which the field's form does not have.
        return seconds(String(text.prefix { $0.isNumber }))
    }

    static func seconds(_ text: String) -> Duration? {
        Int64(text).map { min(pauseMax, .seconds(max(1, $0))) }
    }

    /// The body as a JSON object, where it is one.
    static func json(_ response: ClientResponse) -> JSONValue? { try? JSONDocument(response.body).root }

    /// The body as text, in one line.
    static func text(_ response: ClientResponse) -> String {
        ChannelText.line(String(decoding: response.body.prefix(2048), as: UTF8.self))
    }
}
