package import FoundationEssentials
package import Journal

/// One channel, opened for one sending. No description shows its secret.
package struct OpenedChannel: Sendable {
    package let kind: ChannelKind
    package let id: UUID
    /// What is not secret: an address, a server; as `ChannelKind.check` returned it.
    package let target: String?
    package let secret: Redacted<String>?

    package init(kind: ChannelKind, id: UUID, target: String?, secret: Redacted<String>?) {
        self.kind = kind
        self.id = id
        self.target = target
        self.secret = secret
    }

    /// Empty where there is none.
    var secretText: String { secret?.reveal() ?? "" }
    var targetText: String { target ?? "" }

    /// The target as a base address: without final slashes.
    var targetBase: String {
        var base = targetText[...]
        while base.last == "/" { base.removeLast() }
        return String(base)
    }
}
