/// Why nothing is sent, on purpose.
package enum Withholding: String, Sendable, CaseIterable, Codable {
    /// The customer did not agree, agreed too late, or withdrew.
    case noConsent = "no-consent"
    /// Apple refuses consumption data for copies that a family member or a seat holds.
    case familyShared = "family-shared"
    /// The customer says it never came, and nobody reported that it did.
    case deliveryUnreported = "delivery-unreported"
    /// A rule of the app says so.
    case policy

    /// Whether even a reply that was decided and perhaps sent is not sent again.
    var forbidsRepeats: Bool {
        switch self {
        case .noConsent, .familyShared: true
        case .deliveryUnreported, .policy: false
        }
    }
}
