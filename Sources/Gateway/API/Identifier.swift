import FoundationEssentials
import HTTP

/// Ids as the App Store writes them.
///
/// What cannot be one is refused at the door: stored, it would meet no purchase, and the caller would
/// believe that it was reported. In a body or a query that is a mistake in the call; in a path there is nothing at such an
/// address, as there is nothing at one whose id is unknown or another tenant's.
enum Identifier {
    /// A transaction: decimal digits.
    case transaction
    /// A customer: the UUID that the app gave Apple.
    case appAccountToken

    /// Apple's have 15 to 19 digits today; all that fit in its 64 bits have at most 20.
    static let digitsMax = 20

    /// What it should be.
    var rule: String {
        switch self {
        case .transaction: "Apple's transaction ID, 1 to \(Self.digitsMax) decimal digits"
        case .appAccountToken: "a UUID, such as 7e3fb204-2f6d-4a3c-9d5e-6a1c0f9b8e21"
        }
    }

    func fits(_ text: String) -> Bool {
        switch self {
        case .transaction:
            (1...Self.digitsMax).contains(text.utf8.count) && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
        case .appAccountToken: text.utf8.count == 36 && UUID(uuidString: text) != nil
        }
    }

    /// The text, where it can be one.
    ///
    /// - Parameter place: how the message calls where it stood: `the member`, `the parameter`.
    /// - Throws: `Problem` naming it.
    func check(_ text: String, _ place: StaticString, _ name: String) throws(Problem) -> String {
        guard fits(text) else { throw .bad("\(place) \"\(name)\" must be \(rule)", member: name) }
        return text
    }
}

extension APICall {
    /// An id out of the path.
    ///
    /// - Throws: `Problem` 404 naming the part.
    func identifier(_ kind: Identifier, _ name: String) throws(Problem) -> String {
        let text = context.parameter(name)
        guard kind.fits(text) else {
            throw Problem(
                .notFound, "there is nothing at this address: its part \"\(name)\" must be \(kind.rule)", member: name)
        }
        return text
    }
}
