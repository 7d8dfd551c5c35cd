/// What a probe means, in words.
package struct ProbeWords: Sendable, Hashable {
    /// One sentence that stands alone.
    package let summary: String
    /// The mistake, where it can be known.
    package let cause: String?
    /// What it cannot be, and why.
    package let ruledOut: [String]
    /// What is left to check, in the order in which it is worth checking.
    package let left: [String]
    /// What is worth knowing though it is no trouble yet, such as a clock that begins to drift.
    package let remarks: [String]

    package init(
        summary: String, cause: String? = nil, ruledOut: [String] = [], left: [String] = [], remarks: [String] = []
    ) {
        self.summary = summary
        self.cause = cause
        self.ruledOut = ruledOut
        self.left = left
        self.remarks = remarks
    }
}
