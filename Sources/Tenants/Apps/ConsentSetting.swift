package import Time

/// Who has agreed that data about their purchases is sent to Apple.
package enum ConsentSetting: Hashable, Sendable {
    /// Each customer is asked; the app's backend reports the answer.
    case perCustomer
    /// Everybody who bought at or after this moment agreed to this wording.
    case allFrom(Moment, wording: String)
}

/// Beside the wording of consent of all: where it is shown, and who says that it is.
package struct ConsentDeclaration: Hashable, Sendable {
    /// Such as "terms of use, section 4, shown before each purchase".
    package let shownWhere: String
    /// A name, as the person gave it.
    package let declaredBy: String
    package let declaredAt: Moment

    package init(shownWhere: String, declaredBy: String, declaredAt: Moment) {
        self.shownWhere = shownWhere
        self.declaredBy = declaredBy
        self.declaredAt = declaredAt
    }
}
