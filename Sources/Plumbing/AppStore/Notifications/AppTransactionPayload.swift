package import Time

/// A decoded `signedAppTransactionInfo` (`AppTransaction`): that somebody got the app itself.
///
/// Source: AppTransaction (read 2026-08). It has no `signedDate`: its `receiptCreationDate` stands for it.
package struct AppTransactionPayload: Sendable {
    let json: JSONValue

    init(_ document: JSONDocument) { json = document.root }

    /// The environment, under the name that receipts had for it.
    package var receiptType: String? { json["receiptType"]?.string }
    package var appAppleId: Int64? { json["appAppleId"]?.int }
    package var bundleId: String? { json["bundleId"]?.string }
    package var receiptCreationDate: Moment? { json["receiptCreationDate"]?.moment }
    package var appTransactionId: String? { json["appTransactionId"]?.string }
}
