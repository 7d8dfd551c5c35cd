import Time

/// Writes and signs notifications.
///
/// Source: responseBodyV2DecodedPayload and its parts (apple sheet 1.3): exactly one of `data`, `summary`,
/// `externalPurchaseToken` and `appData` is there; the app's Apple id is left out in the sandbox.
struct NotificationWriter {
    let shelves: Shelves
    let authority: CertificateAuthority
    let clock: WallClock

    /// - Parameter chance: for the UUID, and for the purchase where one has to be made.
    func write(_ order: NotificationOrder, chance: inout Chance.Stream) throws -> SentNotification {
        guard let app = shelves.app(order.bundleID) else { throw OrderFault("no app \(order.bundleID) is registered") }
        let signedAt = clock.now + order.signedDateOffset
        let uuid = order.notificationUUID ?? chance.uuid()
        var payload: JSONObject = ["notificationType": .string(order.type)]
        payload["subtype"] = .optional(order.subtype)
        payload["notificationUUID"] = .string(uuid)
        var transaction: StoreTransaction?
        if order.rawPayload == nil {
            switch order.type {
            case "RENEWAL_EXTENSION" where order.subtype == "SUMMARY":
                payload["summary"] = .object(summary(app, order, chance: &chance))
            case "EXTERNAL_PURCHASE_TOKEN":
                payload["externalPurchaseToken"] = .object(externalPurchaseToken(app, order, signedAt, chance: &chance))
            case "RESCIND_CONSENT":
                payload["appData"] = .object(try appData(app, order, signedAt, chance: &chance))
            default:
                transaction = try purchase(app, order, signedAt, chance: &chance)
                payload["data"] = .object(try data(app, order, signedAt, transaction))
            }
        }
        payload["version"] = "2.0"
        payload["signedDate"] = .int(signedAt.milliseconds)
        let whole = order.rawPayload ?? .object(payload.changed(by: order.payload))
        var notification = SentNotification(
            uuid: whole["notificationUUID"]?.string ?? uuid, type: whole["notificationType"]?.string ?? order.type,
            subtype: whole["subtype"]?.string, environment: order.environment, bundleID: order.bundleID,
            transactionID: transaction?.id, signedAt: signedAt, signedPayload: try authority.sign(whole), payload: whole
        )
        notification.customer = transaction?.customer
        // A TEST has the form of version 2 whatever is chosen (apple sheet 1.7).
        if app.notificationVersion(order.environment) == 1, order.type != "TEST", order.rawPayload == nil {
            notification.versionOne = OldNotification.body(
                of: order, app: app, transaction: transaction, at: signedAt)
            notification.isSent = notification.versionOne != nil
        }
        return notification
    }

    private func identity(_ app: RegisteredApp, _ environment: StoreEnvironment) -> JSONObject {
        var members: JSONObject = ["environment": .string(environment.rawValue)]
        if environment == .production { members["appAppleId"] = .int(app.appAppleID) }
        members["bundleId"] = .string(app.bundleID)
        return members
    }

    // MARK: data

    private func data(
        _ app: RegisteredApp, _ order: NotificationOrder, _ signedAt: Moment, _ transaction: StoreTransaction?
    ) throws -> JSONObject {
        var data = identity(app, order.environment)
        data["bundleVersion"] = "412"
        if let transaction, transaction.isAutoRenewable {
            data["status"] = .int(Self.status(of: transaction.payload, at: signedAt))
        }
        if order.type == "CONSUMPTION_REQUEST" { data["consumptionRequestReason"] = .optional(order.reason) }
        if let raw = order.rawTransaction {
            data["signedTransactionInfo"] = .string(try authority.sign(raw))
        } else if let transaction {
            var inner = transaction.payload
            inner["signedDate"] = .int(signedAt.milliseconds)
            data["signedTransactionInfo"] = .string(try authority.sign(.object(inner.changed(by: order.transaction))))
        }
        if let renewal = transaction?.renewal {
            var inner = renewal
            inner["signedDate"] = .int(signedAt.milliseconds)
            data["signedRenewalInfo"] = .string(try authority.sign(.object(inner.changed(by: order.renewal))))
        }
        return data.changed(by: order.data)
    }

    /// 5 revoked, 2 expired, 1 active (apple sheet 1.3; billing retry is not played).
    static func status(of payload: JSONObject, at moment: Moment) -> Int {
        if payload["revocationDate"] != nil { return 5 }
        if let expires = payload["expiresDate"]?.int, expires <= moment.milliseconds { return 2 }
        return 1
    }

    /// The purchase that the notification speaks of, changed as the notification says.
    private func purchase(
        _ app: RegisteredApp, _ order: NotificationOrder, _ signedAt: Moment, chance: inout Chance.Stream
    ) throws -> StoreTransaction? {
        guard order.type != "TEST", order.rawTransaction == nil else { return nil }
        var transaction: StoreTransaction
        let wanted = order.transactionID ?? order.transaction["transactionId"]?.string
        if let wanted, let known = shelves.transaction(wanted, in: order.environment) {
            transaction = known
        } else if let id = order.transactionID {
            throw OrderFault("no transaction \(id) in \(order.environment.rawValue)")
        } else {
            transaction = made(app, order, signedAt, chance: &chance)
        }
        if !order.isBooked { Revocation.apply(type: order.type, to: &transaction, signedAt: signedAt) }
        // A new refund of an Advanced Commerce purchase may be asked for once the last one was decided.
        if ["REFUND", "REFUND_DECLINED"].contains(order.type), transaction.payload["advancedCommerceInfo"] != nil {
            transaction.requestedAt = nil
            transaction.isDecided = false
        }
        if order.type == "CONSUMPTION_REQUEST" {
            transaction.requestedAt = signedAt
            transaction.requestReason = order.reason
            transaction.answer = nil
            transaction.isDecided = order.decides ?? false
        }
        shelves.put(transaction)
        return transaction
    }

    private func made(
        _ app: RegisteredApp, _ order: NotificationOrder, _ signedAt: Moment, chance: inout Chance.Stream
    ) -> StoreTransaction {
        var wish = Till.Wish()
        wish.product = .first(ofType: order.productType ?? order.transaction["type"]?.string ?? "Consumable")
        wish.isFamilyShared = order.type == "REVOKE"
        var transaction = Till.purchase(wish, of: app, in: order.environment, now: signedAt, chance: &chance)
        // The changes are part of a purchase made for the order, so that the API knows it by its id.
        transaction.payload = transaction.payload.changed(by: order.transaction)
        if let id = order.transaction["transactionId"], order.transaction["originalTransactionId"] == nil {
            transaction.payload["originalTransactionId"] = id
        }
        if let original = transaction.payload["originalTransactionId"] {
            transaction.renewal?["originalTransactionId"] = original
            transaction.customer = original.string ?? transaction.customer
        }
        transaction.payload["signedDate"] = nil
        if !transaction.isAutoRenewable { transaction.renewal = nil }
        return transaction
    }

    // MARK: The other three

    private func summary(_ app: RegisteredApp, _ order: NotificationOrder, chance: inout Chance.Stream) -> JSONObject {
        var members: JSONObject = ["requestIdentifier": .string(chance.uuid())]
        for member in identity(app, order.environment).members { members[member.name] = member.value }
        members["productId"] = .string(app.bundleID + "." + Product.first(ofType: Product.autoRenewable).suffix)
        members["storefrontCountryCodes"] = ["USA", "DEU"]
        members["succeededCount"] = 5000
        members["failedCount"] = 3
        return members
    }

    private func externalPurchaseToken(
        _ app: RegisteredApp, _ order: NotificationOrder, _ signedAt: Moment, chance: inout Chance.Stream
    ) -> JSONObject {
        [
            "externalPurchaseId": .string((order.environment == .sandbox ? "SANDBOX_" : "") + chance.uuid()),
            "tokenCreationDate": .int(signedAt.milliseconds - 60_000), "appAppleId": .int(app.appAppleID),
            "bundleId": .string(app.bundleID),
        ]
    }

    private func appData(
        _ app: RegisteredApp, _ order: NotificationOrder, _ signedAt: Moment, chance: inout Chance.Stream
    ) throws -> JSONObject {
        var members = identity(app, order.environment)
        var inner: JSONObject = ["receiptType": .string(order.environment.rawValue)]
        if order.environment == .production { inner["appAppleId"] = .int(app.appAppleID) }
        inner["bundleId"] = .string(app.bundleID)
        inner["applicationVersion"] = "412"
        inner["receiptCreationDate"] = .int(signedAt.milliseconds)
        inner["originalPurchaseDate"] = .int(signedAt.milliseconds - 86_400_000)
        inner["originalApplicationVersion"] = "380"
        // Of the customer whose purchase is named; else of somebody who bought nothing.
        let known = order.transactionID.flatMap { shelves.transaction($0, in: order.environment) }
        inner["appTransactionId"] = known?.payload["appTransactionId"] ?? .string("70" + chance.digits(16))
        inner["originalPlatform"] = "iOS"
        members["signedAppTransactionInfo"] = .string(try authority.sign(.object(inner)))
        return members
    }
}
