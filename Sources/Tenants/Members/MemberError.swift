/// Why a member or an invitation stays as it is.
package enum MemberError: Error, Hashable, CustomStringConvertible {
    case badEmail(EmailAddress.Trouble)
    /// Nobody of that id is a member here.
    case noMember
    /// No open invitation of that id.
    case noInvitation
    case alreadyMember
    case alreadyInvited
    /// An admin wants to touch an owner, or give more than they have.
    case ownersOnly
    /// Whoever asks may do nothing of the kind (any more).
    case notAllowed
    case lastOwner
    /// The tenant has an owner; inviting is theirs.
    case hasOwner
    /// The link was used, withdrawn, has ended, or never was.
    case invitationEnded
    /// Somebody has an account with the invitation's address: they sign in first.
    case hasAccount
    case tooMany

    package var description: String {
        switch self {
        case .badEmail(let trouble): "\(trouble)"
        case .noMember: "that person is no member any more"
        case .noInvitation: "that invitation was accepted or withdrawn meanwhile"
        case .alreadyMember: "that person is a member already"
        case .alreadyInvited: "that address has an open invitation: renew it for a new link, or withdraw it"
        case .ownersOnly: "only an owner changes owners or makes one"
        case .notAllowed: "your role does not allow this any more"
        case .lastOwner: "a tenant keeps at least one owner: make somebody else an owner first"
        case .hasOwner: "the tenant has an owner, who invites everybody else"
        case .invitationEnded: "the invitation is unknown, was used or withdrawn, or has ended; ask for a new one"
        case .hasAccount: "there is an account with that address; sign in with it first"
        case .tooMany: "there are too many open invitations; withdraw some"
        }
    }
}
