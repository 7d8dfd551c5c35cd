import HTTP

/// One endpoint of the App Store Server API or the Advanced Commerce API.
struct Endpoint: Sendable {
    let method: HTTP.Method
    /// The path below the environment's prefix.
    let pattern: String
    /// Calls a second that an app may make in production (apple sheet 4.5).
    let perSecond: Int64
    /// Whether it is a call of the Advanced Commerce API, which counts and refuses in its own way.
    var isCommerce = false
    let answer: @Sendable (Caller) async throws(AppleError) -> Answer
}
