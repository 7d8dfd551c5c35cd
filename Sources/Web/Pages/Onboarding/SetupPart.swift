/// The forms of the setup page, by the name in their address.
package enum SetupPart: String, Hashable, Sendable, CaseIterable {
    /// Name, Apple ID, environments.
    case details
    /// Puts the Apple ID that Apple's own notification named in the place of the one that was typed.
    case appleID = "apple-id"
    case key
    case probe
    /// Who gets Apple's notifications today.
    case receiver
    /// Tries again to pass on what the other receiver did not take.
    case redelivery
    /// Asks Apple for a TEST notification.
    case test
    case consent
    case evidence
    /// What one product says of sample content.
    case product
    /// An API token for the app's backend.
    case token
    /// Reports about nobody's purchase, to see that it works.
    case trial

    /// The section of the page it stands in.
    package var section: String {
        switch self {
        case .details: "app"
        case .key: "key"
        case .probe: "probe"
        case .receiver, .redelivery, .test, .appleID: "url"
        case .consent: "consent"
        case .evidence, .product, .token, .trial: "evidence"
        }
    }
}
