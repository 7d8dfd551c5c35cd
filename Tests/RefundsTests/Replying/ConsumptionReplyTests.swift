import AppStore
import FoundationEssentials
import Testing
import Time

@testable import Refunds

@Suite("A consumption reply")
struct ConsumptionReplyTests {
    private func reply(_ change: (inout PurchaseFacts) -> Void = { _ in }) throws -> (ConsumptionReply, String) {
        let facts = purchase(change)
        let reply = try ConsumptionReply(Policy.standard.decide(facts), for: facts)
        return (reply, String(decoding: reply.body, as: UTF8.self))
    }

    private static func subscription(_ facts: inout PurchaseFacts) { facts.type = Known("Auto-Renewable Subscription") }

    @Test func `BL-008: an ordinary purchase is answered in version 2, in words`() throws {
        let (reply, body) = try reply { $0.share = Evidence(100_000, .reported(observedAt: noon)) }
        #expect(reply.version == .v2)
        #expect(
            body
                == #"{"customerConsented":true,"deliveryStatus":"DELIVERED","sampleContentProvided":false,"consumptionPercentage":100000,"refundPreference":"DECLINE"}"#
        )
    }

    @Test func `BL-009: absent, 0 and a value are three things`() throws {
        let subscription = try reply {
            Self.subscription(&$0)
            $0.share = Evidence(0, .reported(observedAt: noon))
        }
        #expect(!subscription.1.contains("consumptionPercentage"))
        #expect(
            try reply { $0.share = Evidence(0, .reported(observedAt: noon)) }.1.contains(#""consumptionPercentage":0"#))
        #expect(try !reply { $0.share = nil }.1.contains("consumptionPercentage"))
    }

    @Test func `BL-010: consent is the JSON literal true, or there is no body`() throws {
        #expect(try reply().1.contains(#""customerConsented":true"#))
        #expect(throws: ConsumptionViolation.self) { try reply { $0.consent = .missing } }
    }

    @Test func `an undelivered status beside a percentage sends 0 and says so`() throws {
        let (reply, body) = try reply { $0.delivery = Evidence(.undeliveredServerOutage, .reported(observedAt: noon)) }
        #expect(body.contains(#""deliveryStatus":"UNDELIVERED_SERVER_OUTAGE""#))
        #expect(body.contains(#""consumptionPercentage":0"#))
        #expect(reply.remarks.contains { $0.contains("50000") })
    }

    @Test func `BL-083: a purchase with advancedCommerceInfo is answered in version 1, in numbers`() throws {
        let (reply, body) = try reply {
            $0.isAdvancedCommerce = true
            $0.appAccountToken = "3d0e6c1e-54b4-4a5f-8d2a-93a0f0b7c111"
        }
        #expect(reply.version == .v1)
        #expect(
            body
                == #"{"customerConsented":true,"consumptionStatus":2,"platform":0,"sampleContentProvided":false,"deliveryStatus":0,"appAccountToken":"3d0e6c1e-54b4-4a5f-8d2a-93a0f0b7c111","accountTenure":0,"playTime":0,"lifetimeDollarsPurchased":0,"lifetimeDollarsRefunded":0,"userStatus":0,"refundPreference":1}"#
        )
    }

    @Test(arguments: [nil, "", "user-123"]) func `BL-023: version 1 sends an empty text where the token is no UUID`(
        token: String?
    ) throws {
        let (_, body) = try reply {
            $0.isAdvancedCommerce = true
            $0.appAccountToken = token
        }
        #expect(body.contains(#""appAccountToken":"""#))
    }

    @Test func `of a type nobody knows yet no percentage is sent`() throws {
        let (reply, body) = try reply { $0.type = Known("Bundle") }
        #expect(!body.contains("consumptionPercentage"))
        #expect(!body.contains("refundPreference"))
        #expect(reply.remarks.count == 2)
    }

    @Test func `every combination gives a body that Apple's table accepts`() throws {
        var bodies = 0
        let types = ProductType.allCases.map(\.rawValue) + ["Something New", nil]
        let reasons = ConsumptionRequestReason.allCases.map(\.rawValue) + ["SOMETHING_NEW", nil]
        for type in types {
            for delivery in DeliveryStatus.allCases.map(Optional.some) + [nil] {
                for share in [nil, 0, 1, 45_200, 99_999, 100_000] as [Int?] {
                    for reason in reasons {
                        for advanced in [false, true] {
                            let facts = purchase {
                                $0.type = type.map(Known.init)
                                $0.delivery = delivery.map { Evidence($0, .reported(observedAt: noon)) }
                                $0.share = share.map { Evidence($0, .reported(observedAt: noon)) }
                                $0.reason = reason.map(Known.init)
                                $0.isAdvancedCommerce = advanced
                            }
                            let decision = Policy.standard.decide(facts)
                            guard decision.withheld == nil else {
                                #expect(reason == "FULFILLMENT_ISSUE" && delivery == nil)
                                continue
                            }
                            let reply = try ConsumptionReply(decision, for: facts)
                            #expect(reply.version == (advanced ? .v1 : .v2))
                            try check(reply.body, type: type, advanced: advanced)
                            bodies += 1
                        }
                    }
                }
            }
        }
        #expect(bodies == 6 * 6 * 6 * 7 * 2 - 6 * 6 * 2)
    }

    /// The table of Apple's rules once more, read from the sheet and not from the code under test.
    private func check(_ body: [UInt8], type: String?, advanced: Bool) throws {
        struct V2: Decodable {
            let customerConsented: Bool
            let deliveryStatus: String
            let sampleContentProvided: Bool
            let consumptionPercentage: Int?
            let refundPreference: String?
        }
        struct V1: Decodable {
            let customerConsented: Bool
            let consumptionStatus: Int
            let deliveryStatus: Int
            let refundPreference: Int?
        }
        if advanced {
            let v1 = try JSONDecoder().decode(V1.self, from: Data(body))
            #expect(v1.customerConsented)
            #expect((0...3).contains(v1.consumptionStatus))
            #expect([0, 1, 2, 3, 5].contains(v1.deliveryStatus))
            #expect(v1.refundPreference.map { [1, 2].contains($0) } ?? true)
            return
        }
        let v2 = try JSONDecoder().decode(V2.self, from: Data(body))
        #expect(v2.customerConsented)
        let allowed: Bool =
            switch (type, v2.deliveryStatus, v2.refundPreference) {
            case ("Auto-Renewable Subscription", _, _): v2.consumptionPercentage == nil
            case (_, "DELIVERED", "GRANT_PRORATED"): v2.consumptionPercentage.map { (1...99_999).contains($0) } ?? false
            case (_, "DELIVERED", _): v2.consumptionPercentage.map { (0...100_000).contains($0) } ?? true
            case (_, _, "GRANT_PRORATED"): false
            default: v2.consumptionPercentage == 0
            }
        #expect(allowed, "\(String(decoding: body, as: UTF8.self)) for \(type ?? "no type")")
    }
}
