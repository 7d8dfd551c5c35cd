/// The name of one message, by which later ones refer to it: `<left@right>`.
package struct MessageID: Hashable, Sendable, CustomStringConvertible {
    /// With its angle brackets.
    package let text: String

    /// Nil unless both halves are dot-atoms and fit into a line.
    ///
    /// - Parameter right: usually a host name of ours, so that nobody else makes the same name.
    package init?(_ left: String, at right: String) {
        guard DotAtom.isOne(left), DotAtom.isOne(right), left.utf8.count + right.utf8.count <= 240 else { return nil }
        text = "<\(left)@\(right)>"
    }

    package var description: String { text }
}
