/// How somebody came in.
package enum SignInMethod: String, Hashable, Sendable, CaseIterable {
    case password
    case link
    /// Password, and a code of a generator.
    case totp
    case passkey
    /// A trusted proxy named the person.
    case proxy
    /// Password, and a recovery code.
    case recoveryCode = "recovery-code"
    /// The first start's link.
    case setUp = "set-up"
}
