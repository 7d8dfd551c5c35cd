import AppStore
import Testing

@Suite struct `Consumption request, version 1` {
    static let purchase = ConsumptionPurchase(isAutoRenewable: false, isAdvancedCommerce: true)
    static let token = "0b5a1c9e-6d1f-4f0e-8d5a-3a1f5d1c9e6d"

    static func request(
        _ delivery: ConsumptionFacts.DeliveryStatus = .delivered, used: Int32? = nil,
        _ preference: ConsumptionFacts.RefundPreference? = nil, token: String? = token
    ) -> ConsumptionRequestV1 {
        ConsumptionRequestV1(
            ConsumptionFacts(
                customerConsented: true, deliveryStatus: delivery, sampleContentProvided: true,
                consumptionPercentage: used, refundPreference: preference), appAccountToken: token)
    }

    @Test func `BL-083: numbers, every required member, the token as text`() {
        let request = Self.request(used: 50_000, .decline)
        #expect(
            String(decoding: request.bytes, as: UTF8.self)
                == #"{"customerConsented":true,"consumptionStatus":2,"platform":0,"sampleContentProvided":true,"#
                + #""deliveryStatus":0,"appAccountToken":"\#(Self.token)","accountTenure":0,"playTime":0,"#
                + #""lifetimeDollarsPurchased":0,"lifetimeDollarsRefunded":0,"userStatus":0,"refundPreference":2}"#)
        #expect(request.violations(for: Self.purchase).isEmpty)
    }

    @Test func `BL-083: the version follows from advancedCommerceInfo alone`() {
        for isAutoRenewable in [true, false] {
            #expect(ConsumptionPurchase(isAutoRenewable: isAutoRenewable, isAdvancedCommerce: true).version == .v1)
            #expect(ConsumptionPurchase(isAutoRenewable: isAutoRenewable).version == .v2)
        }
        #expect(
            Self.request().violations(for: ConsumptionPurchase(isAutoRenewable: false)) == [.ordinaryPurchaseNeedsV2])
        #expect(
            Self.request().violations(
                for: ConsumptionPurchase(isAutoRenewable: true, isFamilyShared: true, isAdvancedCommerce: true))
                == [.familyShared])
    }

    @Test(arguments: [
        (Int32?.none, ConsumptionRequestV1.ConsumptionStatus.undeclared, 0), (0, .notConsumed, 1),
        (1, .partiallyConsumed, 2), (99_999, .partiallyConsumed, 2), (100_000, .fullyConsumed, 3),
    ])
    func `use becomes a status`(used: Int32?, status: ConsumptionRequestV1.ConsumptionStatus, number: Int) {
        #expect(Self.request(used: used).consumptionStatus == status)
        #expect(status.rawValue == number)
    }

    @Test(arguments: [
        (ConsumptionFacts.DeliveryStatus.delivered, 0), (.undeliveredQualityIssue, 1), (.undeliveredWrongItem, 2),
        (.undeliveredServerOutage, 3), (.undeliveredOther, 5),
    ])
    func `delivery becomes a number`(delivery: ConsumptionFacts.DeliveryStatus, number: Int) {
        #expect(Self.request(delivery).deliveryStatus.rawValue == number)
    }

    @Test(arguments: [
        (ConsumptionFacts.RefundPreference?.none, Int?.none), (.grantFull, 1), (.grantProrated, 1), (.decline, 2),
    ])
    func `a preference becomes a number, none is left out`(preference: ConsumptionFacts.RefundPreference?, number: Int?)
    {
        let request = Self.request(.delivered, preference)
        #expect(request.refundPreference?.rawValue == number)
        #expect(String(decoding: request.bytes, as: UTF8.self).contains("refundPreference") == (number != nil))
    }

    @Test(arguments: [
        (String?.none, ""), (token, token), (token.uppercased(), token.uppercased()), ("", ""), ("user-17", ""),
        ("0b5a1c9e6d1f4f0e8d5a3a1f5d1c9e6d", ""), (token + "0", ""), ("0b5a1c9e-6d1f-4f0e-8d5a-3a1f5d1c9e6g", ""),
        (#"0b5a1c9e-6d1f-4f0e-8d5a-3a1f5d1c9e",""#, ""),
    ])
    func `a token that is no UUID becomes the empty text`(token: String?, sent: String) {
        #expect(Self.request(token: token).appAccountToken == sent)
    }
}
