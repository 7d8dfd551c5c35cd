package import Time

/// The decoded `signedPayload` of a notification (`responseBodyV2DecodedPayload`).
///
/// Everything is optional and read where asked for; members this program does not know stay in `raw`.
/// Source: App Store Server Notifications, responseBodyV2DecodedPayload.
package struct NotificationPayload: Sendable {
    let json: JSONValue

    /// - Throws: `JSONError` for a text that is not strict JSON in UTF-8.
    package init(json bytes: [UInt8]) throws(JSONError) { json = try JSONDocument(bytes).root }

    init(_ document: JSONDocument) { json = document.root }

    /// The JSON text, to the byte.
    package var raw: [UInt8] { json.document.bytes }

    package var notificationType: String? { json["notificationType"]?.string }
    /// nil for a type that is missing or newer than this program.
    package var type: NotificationType? { notificationType.flatMap(NotificationType.init) }
    package var subtype: String? { json["subtype"]?.string }
    package var notificationUUID: String? { json["notificationUUID"]?.string }
    package var version: String? { json["version"]?.string }
    package var signedDate: Moment? { json["signedDate"]?.moment }

    package enum Shape: String, Sendable, CaseIterable {
        case data, summary, externalPurchaseToken, appData
    }

    /// The shapes that are present; a sound payload has exactly one.
    package var shapes: [Shape] {
        Shape.allCases.filter { part($0) != nil }
    }

    package var data: NotificationData? { part(.data).map(NotificationData.init) }
    package var summary: NotificationSummary? { part(.summary).map(NotificationSummary.init) }
    package var externalPurchaseToken: ExternalPurchaseToken? {
        part(.externalPurchaseToken).map(ExternalPurchaseToken.init)
    }
    package var appData: NotificationAppData? { part(.appData).map(NotificationAppData.init) }

    /// From whichever shape is present.
    package var bundleId: String? { part?["bundleId"]?.string }
    /// From whichever shape is present; absent in Sandbox.
    package var appAppleId: Int64? { part?["appAppleId"]?.int }
    /// As written; an external purchase token has none, and tells it by the prefix of its id.
    package var environment: String? {
        if let token = externalPurchaseToken {
            guard let id = token.externalPurchaseId, !id.isEmpty else { return nil }
            return (id.hasPrefix("SANDBOX") ? Environment.sandbox : .production).rawValue
        }
        return part?["environment"]?.string
    }

    private var part: JSONValue? { Shape.allCases.lazy.compactMap { part($0) }.first }

    private func part(_ shape: Shape) -> JSONValue? {
        let value =
            switch shape {
            case .data: json["data"]
            case .summary: json["summary"]
            case .externalPurchaseToken: json["externalPurchaseToken"]
            case .appData: json["appData"]
            }
        guard let value, !value.isNull else { return nil }
        return value
    }
}

/// What a notification about a purchase carries.
package struct NotificationData: Sendable {
    let json: JSONValue

    package var environment: String? { json["environment"]?.string }
    package var appAppleId: Int64? { json["appAppleId"]?.int }
    package var bundleId: String? { json["bundleId"]?.string }
    package var bundleVersion: String? { json["bundleVersion"]?.string }
    package var signedTransactionInfo: String? { json["signedTransactionInfo"]?.string }
    package var signedRenewalInfo: String? { json["signedRenewalInfo"]?.string }
    /// As of the payload's `signedDate`.
    package var status: Known<SubscriptionStatus>? { json["status"]?.int32.map(Known.init) }
    package var consumptionRequestReason: Known<ConsumptionRequestReason>? {
        json["consumptionRequestReason"]?.string.map(Known.init)
    }
    /// True where a member is there whose value is not of the kind Apple documents.
    package var hasUnreadableTransaction: Bool {
        json["signedTransactionInfo"].map { !$0.isNull && $0.string == nil } ?? false
    }
}

/// What a mass extension of renewal dates came to.
package struct NotificationSummary: Sendable {
    let json: JSONValue

    package var requestIdentifier: String? { json["requestIdentifier"]?.string }
    package var environment: String? { json["environment"]?.string }
    package var appAppleId: Int64? { json["appAppleId"]?.int }
    package var bundleId: String? { json["bundleId"]?.string }
    package var productId: String? { json["productId"]?.string }
    package var storefrontCountryCodes: [String]? {
        json["storefrontCountryCodes"]?.elements.map { $0.compactMap(\.string) }
    }
    package var succeededCount: Int64? { json["succeededCount"]?.int }
    package var failedCount: Int64? { json["failedCount"]?.int }
}

package struct ExternalPurchaseToken: Sendable {
    let json: JSONValue

    /// Begins with `SANDBOX` in the sandbox.
    package var externalPurchaseId: String? { json["externalPurchaseId"]?.string }
    package var tokenCreationDate: Moment? { json["tokenCreationDate"]?.moment }
    package var tokenExpirationDate: Moment? { json["tokenExpirationDate"]?.moment }
    package var tokenType: String? { json["tokenType"]?.string }
    package var appAppleId: Int64? { json["appAppleId"]?.int }
    package var bundleId: String? { json["bundleId"]?.string }
}

/// What a notification about withdrawn parental consent carries.
package struct NotificationAppData: Sendable {
    let json: JSONValue

    package var environment: String? { json["environment"]?.string }
    package var appAppleId: Int64? { json["appAppleId"]?.int }
    package var bundleId: String? { json["bundleId"]?.string }
    package var signedAppTransactionInfo: String? { json["signedAppTransactionInfo"]?.string }
}
