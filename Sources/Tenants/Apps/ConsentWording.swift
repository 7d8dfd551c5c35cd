package import Time

/// A text that customers agreed to, under the name by which reports of consent call it.
package struct ConsentWording: Hashable, Sendable {
    package let version: String
    package let text: String
    /// Since when customers were shown it.
    package let shownFrom: Moment
    /// Nil where a command kept it.
    package let author: PersonID?
    package let madeAt: Moment

    package init(version: String, text: String, shownFrom: Moment, author: PersonID? = nil, madeAt: Moment) {
        self.version = version
        self.text = text
        self.shownFrom = shownFrom
        self.author = author
        self.madeAt = madeAt
    }
}
