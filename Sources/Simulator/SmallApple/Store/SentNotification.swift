package import Time

/// A notification that was signed, and every attempt to deliver it.
package struct SentNotification: Sendable {
    /// One attempt, as Get Notification History reports it (apple sheet 1.8), with what the server answered.
    package struct Attempt: Sendable {
        package let at: Moment
        package let url: String
        /// 0 where no answer came.
        package let status: Int
        package let body: String
        package let error: String?
        /// `SUCCESS`, `TIMED_OUT`, `UNSUCCESSFUL_HTTP_RESPONSE_CODE`, …
        package let result: String

        /// 200…206 count as delivered, everything else does not (apple sheet 1.2).
        package var isDelivered: Bool { result == "SUCCESS" }
    }

    package let uuid: String
    package let type: String
    package let subtype: String?
    package let environment: StoreEnvironment
    package let bundleID: String
    package let transactionID: String?
    package let signedAt: Moment
    package let signedPayload: String
    /// What the payload says, with the inner strings still signed.
    package let payload: JSON
    package internal(set) var attempts: [Attempt] = []
    /// What was done to it on purpose, for people: "sent twice", "held back", …
    package internal(set) var mischief: [String] = []

    package var isDelivered: Bool { attempts.contains(where: \.isDelivered) }

    /// The body that is posted.
    package var body: [UInt8] { versionOne?.bytes ?? JSON.object(["signedPayload": .string(signedPayload)]).bytes }

    /// Set where version 1 is chosen for the address: an unsigned body. History keeps none of these.
    var versionOne: JSON?
    /// False for what version 1 has no word for: it is never posted.
    var isSent = true

    var customer: String?
}
