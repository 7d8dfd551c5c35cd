/// A policy to begin with.
package enum PolicyTemplate: String, Sendable, CaseIterable {
    /// What is answered where an app has no policy of its own.
    case fair
    case strict
    case observe

    package var name: String {
        switch self {
        case .fair: "Fair"
        case .strict: "Strict"
        case .observe: "Observe only"
        }
    }

    package var words: String {
        switch self {
        case .fair:
            "Grants what failed or was not meant and not used, declines what is used up, and shares the rest by use."
        case .strict:
            "As fair, but declines from half used on, and states no preference where fair grants without a reported failure."
        case .observe: "Sends the facts and never a preference."
        }
    }

    /// The text that an editor starts with.
    package var text: String {
        switch self {
        case .fair:
            """
            # Fair: what is answered where an app has no policy of its own.
            if delivery is undelivered then prefer GRANT_FULL
            if reason is LEGAL then prefer GRANT_FULL
            # The app's setting is not enough against the customer's word.
            if reason is FULFILLMENT_ISSUE and delivery is unreported then send nothing until delivery is reported
            if use is unknown then send facts only
            if reason is FULFILLMENT_ISSUE or UNINTENDED_PURCHASE and use is none then prefer GRANT_FULL
            if reason is FULFILLMENT_ISSUE and use is part then send facts only
            if use is full then prefer DECLINE
            if use is part then prefer GRANT_PRORATED
            otherwise send facts only
            """
        case .strict:
            """
            # Strict: as fair, but declines from half used on, and prefers a refund only where a failure was reported.
            if delivery is undelivered then prefer GRANT_FULL
            if reason is LEGAL then send facts only
            # The app's setting is not enough against the customer's word.
            if reason is FULFILLMENT_ISSUE and delivery is unreported then send nothing until delivery is reported
            if use at least 50% then prefer DECLINE
            otherwise send facts only
            """
        case .observe:
            """
            # Observe only: Apple gets the facts, and decides without our preference.
            otherwise send facts only
            """
        }
    }
}
