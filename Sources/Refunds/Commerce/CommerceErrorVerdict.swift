/// What a refused commerce request needs next.
package enum CommerceErrorVerdict: String, Sendable, CaseIterable {
    /// Something in the request is wrong: make a new one without it.
    case mend
    /// Nothing to do: it is tried again, or Apple's notification comes.
    case wait
    /// Somebody has to look: the account, the key, this program.
    case tell
    /// Apple will not refund this purchase by this way.
    case never

    /// For a button's neighbourhood.
    package var text: String {
        switch self {
        case .mend: "Ask again with the mistake corrected"
        case .wait: "Wait"
        case .tell: "Tell whoever runs this"
        case .never: "This cannot be done"
        }
    }
}
