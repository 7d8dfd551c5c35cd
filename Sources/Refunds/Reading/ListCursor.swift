package import FoundationEssentials
package import Time

/// The place in a list, newest first, after which the next page begins.
///
/// Its text form is `<milliseconds>.<id>`: nothing secret, and the same page for whoever holds it.
package struct ListCursor: Hashable, Sendable {
    package let at: Moment
    package let id: UUID

    package init(at: Moment, id: UUID) {
        self.at = at
        self.id = id
    }

    /// Nil for anything that `text` does not make.
    package init?(text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let milliseconds = Int64(parts[0]), String(milliseconds) == parts[0],
            // PostgreSQL's range of timestamps ends long after this, Swift's arithmetic too.
            abs(milliseconds) < 253_402_300_800_000,
            let id = UUID(uuidString: String(parts[1])), id.text == parts[1]
        else { return nil }
        self.init(at: Moment(milliseconds: milliseconds), id: id)
    }

    package var text: String { "\(at.milliseconds).\(id.text)" }
}

extension UUID {
    /// Lower case, as Apple writes them and as they stand in our URLs.
    package var text: String { uuidString.lowercased() }
}
