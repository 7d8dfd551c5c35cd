/// Apple's two environments that a purchase of a released or tested app can belong to.
///
/// The raw values are Apple's, capitals and all; nothing else is mapped to them.
package enum Environment: String, Sendable, Hashable, CaseIterable {
    case production = "Production"
    case sandbox = "Sandbox"
}
