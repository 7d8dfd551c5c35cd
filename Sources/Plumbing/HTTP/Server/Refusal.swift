/// A request that is answered without asking a handler, and whose connection then closes: where it
/// ends and the next begins is no longer certain.
struct Refusal: Error, Equatable {
    let status: Status
    /// For the person who wrote the client. Never an echo of what was sent.
    let text: String
    var retryAfterSeconds: Int?
    /// What was asked for, where that much could be read.
    var path: String?

    static func bad(_ text: String) -> Refusal { Refusal(status: .badRequest, text: text) }

    /// The same refusal, with the path it is about.
    func about(_ path: String) -> Refusal {
        var copy = self
        copy.path = self.path ?? path
        return copy
    }

    static let tooLarge = Refusal(status: .contentTooLarge, text: "the body is too large")
    static let slow = Refusal(status: .requestTimeout, text: "the request took too long")
}
