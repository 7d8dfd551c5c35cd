package import Time

/// The body of Get Notification History: the same bytes on every page.
///
/// Source: App Store Server API, notificationHistoryRequest (read 2026-08). Apple keeps 180 days, in the
/// Sandbox 30; a start further back is refused with 4000012, and an end in the future is cut to now.
package struct NotificationHistoryRequest: Sendable, Equatable {
    /// Apple takes one or the other, never both.
    package enum Filter: Sendable, Equatable {
        case type(String, subtype: String? = nil)
        /// Any transaction of the customer; the original one too.
        case transaction(String)
    }

    package var start: Moment
    package var end: Moment
    package var filter: Filter?
    /// Only what was not delivered, including what is still being tried.
    package var onlyFailures: Bool

    package init(start: Moment, end: Moment, filter: Filter? = nil, onlyFailures: Bool = false) {
        self.start = start
        self.end = end
        self.filter = filter
        self.onlyFailures = onlyFailures
    }

    /// JSON, members in a fixed order.
    package var bytes: [UInt8] {
        var text = #"{"startDate":\#(start.milliseconds),"endDate":\#(end.milliseconds)"#
        switch filter {
        case .type(let type, let subtype):
            text += #","notificationType":\#(JSONText.quoted(type))"#
            if let subtype { text += #","notificationSubtype":\#(JSONText.quoted(subtype))"# }
        case .transaction(let id): text += #","transactionId":\#(JSONText.quoted(id))"#
        case nil: break
        }
        if onlyFailures { text += #","onlyFailures":true"# }
        return Array((text + "}").utf8)
    }
}
