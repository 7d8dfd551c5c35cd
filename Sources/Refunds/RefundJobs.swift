/// Every kind of work of this room.
package enum RefundJobs {
    package enum Kind: String, Sendable, CaseIterable {
        /// Read a stored notification.
        case notification
        /// Decide and send the reply to one request.
        case reply
        /// Look at one request when its time is up.
        case deadline
    }
}
