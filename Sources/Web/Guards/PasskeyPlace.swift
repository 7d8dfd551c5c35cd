import Tenants

/// Whether passkeys work at the desk's address.
enum PasskeyPlace: Hashable, Sendable {
    case works(PasskeySite)
    /// An address of digits: passkeys belong to a name.
    case digits
    /// Not encrypted, and not this very machine.
    case plain

    /// Nil where they work.
    func trouble(at origin: String) -> String? {
        switch self {
        case .works: nil
        case .digits:
            "This desk's address is \(origin): a number. Passkeys belong to a name, so browsers cannot make one here. Give the desk a name in REFUND_DESK_PUBLIC_URL; on one's own machine, http://localhost works."
        case .plain:
            "This desk's address is \(origin), without encryption. Browsers make passkeys over https only, and on http://localhost."
        }
    }
}
