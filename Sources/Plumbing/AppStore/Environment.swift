/// The two places where Apple sells: real money, and trial. Spelled as in Apple's payloads.
package enum Environment: String, Sendable, CaseIterable, Hashable {
    case production = "Production"
    case sandbox = "Sandbox"
}
