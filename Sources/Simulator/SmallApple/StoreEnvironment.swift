/// One of the two worlds of the App Store: they share nothing but the code that serves them.
package enum StoreEnvironment: String, Sendable, Hashable, CaseIterable {
    /// The raw values are Apple's, capital letter included (`environment` in payloads).
    case production = "Production"
    case sandbox = "Sandbox"

    /// The first segment of the paths under which this environment is served.
    package var pathPrefix: String {
        switch self {
        case .production: "production"
        case .sandbox: "sandbox"
        }
    }

    /// Apple's window for consumption information: 12 hours, in the sandbox 5 minutes.
    /// Source: Send Consumption Information; Testing refund requests (apple sheet 5.1).
    package var replyWindow: Duration {
        switch self {
        case .production: .seconds(12 * 3600)
        case .sandbox: .seconds(5 * 60)
        }
    }

    /// How far back notification history reaches: 180 days, in the sandbox 30.
    /// Source: Get Notification History (apple sheet 1.8).
    package var notificationHistoryDays: Int64 {
        switch self {
        case .production: 180
        case .sandbox: 30
        }
    }
}
