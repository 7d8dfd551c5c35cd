package import AppStore
package import Time

/// A value that a decision rests on, with where it comes from.
package struct Evidence<Value: Sendable & Hashable>: Sendable, Hashable {
    package let value: Value
    package let source: EvidenceSource

    package init(_ value: Value, _ source: EvidenceSource) {
        self.value = value
        self.source = source
    }
}

/// Where a value comes from, and when it was true.
package enum EvidenceSource: Sendable, Hashable {
    /// The app's own server reported it, as observed at a moment.
    case reported(observedAt: Moment)
    /// The app's server told it when it was asked.
    case callback(observedAt: Moment)
    /// It stood in a file that somebody of the tenant's uploaded.
    case csv(observedAt: Moment)
    /// Reckoned from what was reported or signed, by the product's model; when that was true.
    case computed(String, at: Moment)
    /// Nobody reported it: the app's setting speaks.
    case setting
    /// Nobody reported it: the setting of its product speaks, before the app's.
    case productSetting
    /// Apple signed it.
    case apple(signedAt: Moment)
    /// A person of the tenant's said so when asked.
    case person(name: String, at: Moment)

    /// For people, after the value.
    package var text: String {
        switch self {
        case .reported: "reported by the app's server"
        case .callback: "told by the app's server when asked"
        case .csv: "uploaded in a file"
        case .computed(let how, _): "computed: \(how)"
        case .setting: "by the app's setting"
        case .productSetting: "by the product's setting"
        case .apple: "signed by Apple"
        case .person(let name, _): "said by \(name)"
        }
    }

    package var at: Moment? {
        switch self {
        case .reported(let at), .callback(let at), .csv(let at), .computed(_, let at), .apple(let at),
            .person(_, let at):
            at
        case .setting, .productSetting: nil
        }
    }
}

/// `deliveryStatus` in Apple's words.
package typealias DeliveryStatus = ConsumptionFacts.DeliveryStatus
