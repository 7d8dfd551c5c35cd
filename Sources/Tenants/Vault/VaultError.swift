import Crypto
package import FoundationEssentials

/// Why the vault could not do what was asked. Says for whom, and what to do; never shows a secret.
package enum VaultError: Error, Hashable, CustomStringConvertible {
    /// Neither the app nor its tenant has an active signing key.
    case noKey(TenantID, AppID)
    /// The key is there and does not open.
    case unreadable(TenantID, SigningKeyID, Trouble)
    /// An inbox's token is there and does not open.
    case inboxUnreadable(TenantID, inbox: Int64, Trouble)
    /// The address of an app's other receiver is there and does not open.
    case relayUnreadable(TenantID, AppID, Trouble)
    /// The secret of an app's callback is there and does not open.
    case callbackUnreadable(TenantID, AppID, Trouble)
    /// The secret of a channel is there and does not open.
    case channelUnreadable(TenantID, UUID, Trouble)
    /// A person's code generator is there and does not open.
    case factorUnreadable(UUID, Trouble)
    /// Nothing can be sealed without a master key.
    case noMasterKey

    package enum Trouble: Hashable, Sendable {
        /// The master key it was sealed with is not configured.
        case masterKeyMissing
        /// The master key is right, and the sealed form is damaged or belongs elsewhere.
        case damaged
        /// It was wiped when the key was taken out of use.
        case wiped
    }

    package var description: String {
        switch self {
        case .noKey(let tenant, let app):
            "\(tenant), \(app): no signing key; add one with \"refund-desk key add\""
        case .unreadable(let tenant, let key, let trouble): "\(tenant), \(key): \(Self.text(trouble, again: "key add"))"
        case .inboxUnreadable(let tenant, let inbox, let trouble):
            "\(tenant), inbox \(inbox): \(Self.text(trouble, again: "inbox add"))"
        case .relayUnreadable(let tenant, let app, let trouble):
            "\(tenant), \(app), address of the other receiver: \(Self.relayText(trouble))"
        case .callbackUnreadable(let tenant, let app, let trouble):
            "\(tenant), \(app), secret of the callback: \(Self.words(trouble, again: "make another one"))"
        case .channelUnreadable(let tenant, let id, let trouble):
            "\(tenant), secret of a channel \(id.uuidString.lowercased()): \(Self.words(trouble, again: "enter it again"))"
        case .factorUnreadable(let id, let trouble):
            "code generator \(id.uuidString.lowercased()): \(Self.words(trouble, again: "remove it and add it again"))"
        case .noMasterKey:
            "no master key: write one with \"refund-desk master-key new --file PATH\" and name it in REFUND_DESK_MASTER_KEY_FILE"
        }
    }

    private static func text(_ trouble: Trouble, again command: String) -> String {
        words(trouble, again: "run \"refund-desk \(command)\" again")
    }

    static func words(_ trouble: Trouble, again remedy: String) -> String {
        switch trouble {
        case .masterKeyMissing:
            "the master key it was sealed with is not in REFUND_DESK_MASTER_KEY; add that key to the list, or \(remedy)"
        case .damaged: "its sealed form is damaged or belongs to another row; \(remedy)"
        case .wiped: "it was taken out of use"
        }
    }

    /// Why it does not open, without what to do.
    static func cause(_ trouble: Trouble) -> String {
        switch trouble {
        case .masterKeyMissing: "the master key it was sealed with is not configured"
        case .damaged: "its sealed form is damaged or belongs to another row"
        case .wiped: "it was taken out of use"
        }
    }

    private static func relayText(_ trouble: Trouble) -> String {
        switch trouble {
        case .masterKeyMissing:
            "the master key it was sealed with is not in REFUND_DESK_MASTER_KEY; add that key, or enter the address again"
        case .damaged: "its sealed form is damaged; enter the address again"
        case .wiped: "it was taken out of use"
        }
    }

    static func trouble(_ error: EnvelopeError) -> Trouble {
        switch error {
        case .unknownMasterKey: .masterKeyMissing
        case .unknownForm, .damaged: .damaged
        }
    }
}
