import HTTP
import Time

/// The body and paging token of Get Notification History (apple sheet 1.8).
struct NotificationSearch {
    private let start: Moment
    private let end: Moment
    private let type: String?
    private let subtype: String?
    let transactionID: String?
    private let onlyFailures: Bool
    /// How many were on earlier pages.
    let skip: Int
    private let fingerprint: Int64

    init(_ caller: Caller) throws(AppleError) {
        guard let body = try? JSONReader.read(caller.body).object else { throw .generalBadRequest }
        guard let startDate = body["startDate"]?.int else { throw .invalidStartDate }
        guard let endDate = body["endDate"]?.int else { throw .invalidEndDate }
        start = Moment(milliseconds: startDate)
        end = min(Moment(milliseconds: endDate), caller.now)
        guard startDate < endDate else { throw .startDateAfterEndDate }
        guard caller.now - start <= .seconds(caller.environment.notificationHistoryDays * 86_400) else {
            throw .startDateTooFarInPast
        }
        type = body["notificationType"]?.string
        subtype = body["notificationSubtype"]?.string
        transactionID = body["transactionId"]?.string ?? body["originalTransactionId"]?.string
        onlyFailures = body["onlyFailures"]?.bool ?? false
        if transactionID != nil, type != nil { throw .multipleFiltersSupplied }
        if type != nil || subtype != nil {
            guard let type, let subtypes = NotificationTypes.subtypes[type],
                subtype.map({ subtypes.contains($0) }) ?? true
            else { throw .invalidNotificationType }
        }
        // The same body is asked for on each page.
        fingerprint = Revision.fingerprint(of: caller.body)
        if let token = caller.query.first("paginationToken") {
            guard let numbers = Revision.read(token, kind: "n"), numbers.count == 2, numbers[1] == fingerprint,
                let skip = Int(exactly: numbers[0]), skip >= 0
            else { throw .invalidPaginationToken }
            self.skip = skip
        } else {
            skip = 0
        }
    }

    func token(after count: Int) -> String { Revision.text([Int64(count), fingerprint], kind: "n") }

    func wants(_ notification: SentNotification) -> Bool {
        (start...end).contains(notification.signedAt)
            && (type == nil || notification.type == type)
            && (subtype == nil || notification.subtype == subtype)
            && !(onlyFailures && notification.isDelivered)
    }
}
