/// Where a notification comes from, in Apple's words.
package enum AppEnvironment: String, Hashable, Sendable, CaseIterable {
    case production = "Production"
    case sandbox = "Sandbox"
}
