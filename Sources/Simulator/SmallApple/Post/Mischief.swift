/// What is done to one notification on its way, drawn from its own stream of chance.
struct Mischief {
    /// Milliseconds before the first copy is sent.
    var delay: Int64 = 0
    /// Milliseconds after the first copy at which a second follows.
    var copyAfter: Int64?
    /// Held back until a newer notification of the app was sent.
    var isHeld = false

    static func draw(_ manners: Manners, _ pace: Pace, chance: inout Chance.Stream) -> Mischief {
        // All draws happen, whatever is switched on: switching one habit changes no other's fate.
        let isLate = chance.happens(0.15)
        let delay = Int64.random(in: pace.lateness, using: &chance)
        let isTwice = chance.happens(0.15)
        let copyAfter = Int64.random(in: pace.copy, using: &chance)
        let isHeld = chance.happens(0.08)
        var mischief = Mischief()
        if manners.lateness, isLate { mischief.delay = delay }
        if manners.copies, isTwice { mischief.copyAfter = copyAfter }
        mischief.isHeld = manners.disorder && isHeld
        return mischief
    }

    var remarks: [String] {
        var remarks: [String] = []
        if delay > 0 { remarks.append("late by \(delay) ms") }
        if copyAfter != nil { remarks.append("sent twice") }
        if isHeld { remarks.append("held back until a newer one was sent") }
        return remarks
    }

    /// New fields and values, as they appear when Apple's API grows: nothing may break on them.
    static func invent(in order: inout NotificationOrder, chance: inout Chance.Stream) {
        guard chance.happens(0.2) else { return }
        switch Int.random(in: 0..<5, using: &chance) {
        case 0: order.payload["deliveryRegion"] = "north"
        case 1: order.data["householdSize"] = 4
        case 2: order.transaction["purchaseMood"] = ["weather": "rain", "confidence": .number("0.5")]
        case 3: order.transaction["offerDiscountType"] = "PAY_WHEN_PLEASED"
        default:
            if order.type == "CONSUMPTION_REQUEST" {
                order.reason = "PRICE_CHANGED_SINCE"
            } else {
                order.transaction["transactionReason"] = "GIFT"
            }
        }
    }
}
