/// The notification types of App Store Server Notifications V2 and the subtypes each may carry.
///
/// Source: notificationType and subtype pages (apple sheet 1.5, 1.6).
enum NotificationTypes {
    static let subtypes: [String: Set<String>] = [
        "CONSUMPTION_REQUEST": [], "REFUND": [], "REFUND_DECLINED": [], "REFUND_REVERSED": [], "REVOKE": [],
        "ONE_TIME_CHARGE": [], "SUBSCRIBED": ["INITIAL_BUY", "RESUBSCRIBE"], "DID_RENEW": ["BILLING_RECOVERY"],
        "DID_CHANGE_RENEWAL_STATUS": ["AUTO_RENEW_ENABLED", "AUTO_RENEW_DISABLED"],
        "DID_CHANGE_RENEWAL_PREF": ["UPGRADE", "DOWNGRADE"], "DID_FAIL_TO_RENEW": ["GRACE_PERIOD"],
        "GRACE_PERIOD_EXPIRED": [],
        "EXPIRED": ["VOLUNTARY", "BILLING_RETRY", "PRICE_INCREASE", "PRODUCT_NOT_FOR_SALE"],
        "OFFER_REDEEMED": ["UPGRADE", "DOWNGRADE"], "PRICE_INCREASE": ["PENDING", "ACCEPTED"],
        "RENEWAL_EXTENDED": [], "RENEWAL_EXTENSION": ["SUMMARY", "FAILURE"],
        "EXTERNAL_PURCHASE_TOKEN": ["UNREPORTED", "CREATED", "ACTIVE_TOKEN_REMINDER"], "RESCIND_CONSENT": [],
        "METADATA_UPDATE": [], "MIGRATION": [], "PRICE_CHANGE": [], "TEST": [],
    ]
}
