package import Time

/// Who has agreed that data about their purchases is sent to Apple.
package enum ConsentSetting: Hashable, Sendable {
    /// Each customer is asked; the app's backend reports the answer.
    case perCustomer
    /// Everybody who bought at or after this moment agreed to this wording.
    case allFrom(Moment, wording: String)

    /// 2008-07-10, when the App Store opened: nobody bought anything in it before.
    package static let firstStart = Moment(milliseconds: 1_215_648_000_000)

    /// The moment, if everybody who bought since then can have agreed.
    ///
    /// Throws `AppChangeError` naming `consentFrom`.
    package static func checkedStart(_ from: Moment, at now: Moment) throws(AppChangeError) -> Moment {
        guard from >= firstStart else {
            throw AppChangeError(
                "consentFrom",
                "lies before 2008-07-10, when the App Store opened: give the day on which the wording was first shown")
        }
        guard from <= now else {
            throw AppChangeError(
                "consentFrom", "lies in the future: nobody can have agreed yet (days begin at midnight UTC)")
        }
        return from
    }
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
