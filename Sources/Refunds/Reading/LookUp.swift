/// What a text that somebody looked up names.
package struct LookUp: Sendable {
    /// Newest first.
    package let cases: [CaseLine]
    package let notifications: [NotificationLine]

    package init(cases: [CaseLine], notifications: [NotificationLine]) {
        self.cases = cases
        self.notifications = notifications
    }
}
