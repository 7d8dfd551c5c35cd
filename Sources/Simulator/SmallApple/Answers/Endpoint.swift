import HTTP

/// One endpoint of the App Store Server API.
struct Endpoint: Sendable {
    let method: HTTP.Method
    /// The path below the environment's prefix.
    let pattern: String
    /// Calls a second that an app may make in production (apple sheet 4.5).
    let perSecond: Int64
    let answer: @Sendable (Caller) async throws(AppleError) -> Answer
}
