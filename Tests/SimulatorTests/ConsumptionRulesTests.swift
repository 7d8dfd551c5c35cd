import Testing

@testable import Simulator

@Suite struct `Consumption information v2` {
    private static let numbers = UnconfirmedNumbers()
    private static let minimum: JSONObject = [
        "customerConsented": true, "deliveryStatus": "DELIVERED", "sampleContentProvided": false,
    ]

    /// What comes of a body: 202, a code, or 400 without one.
    private static func result(_ changes: JSONObject, of transaction: JSONObject) -> String {
        result(JSON.object(minimum.changed(by: changes)).bytes, of: transaction)
    }

    private static func result(_ body: [UInt8], of transaction: JSONObject) -> String {
        switch ConsumptionRules(numbers: numbers).verdict(on: body, of: transaction) {
        case .accepted: "202"
        case .refused(let error, _): "\(error.code)"
        case .malformed: "400"
        }
    }

    private static let consumable: JSONObject = ["type": "Consumable", "inAppOwnershipType": "PURCHASED"]
    private static let subscription: JSONObject = [
        "type": "Auto-Renewable Subscription", "inAppOwnershipType": "PURCHASED",
    ]

    @Test(arguments: ["Consumable", "Non-Consumable", "Non-Renewing Subscription"])
    func `the bodies that Apple's pages allow are accepted for what is not auto-renewable`(type: String) {
        let transaction = Self.consumable.changed(by: ["type": .string(type)])
        let allowed: [JSONObject] = [
            [:],
            ["consumptionPercentage": 0], ["consumptionPercentage": 100_000], ["consumptionPercentage": 15],
            ["consumptionPercentage": 80_000, "refundPreference": "GRANT_PRORATED", "sampleContentProvided": true],
            ["consumptionPercentage": 1, "refundPreference": "GRANT_PRORATED"],
            ["consumptionPercentage": 99_999, "refundPreference": "GRANT_PRORATED"],
            ["consumptionPercentage": 100_000, "refundPreference": "DECLINE"],
            ["refundPreference": "DECLINE"], ["refundPreference": "GRANT_FULL"],
            [
                "deliveryStatus": "UNDELIVERED_SERVER_OUTAGE", "consumptionPercentage": 0,
                "refundPreference": "GRANT_FULL",
            ],
            ["deliveryStatus": "UNDELIVERED_QUALITY_ISSUE", "consumptionPercentage": 0],
            ["deliveryStatus": "UNDELIVERED_WRONG_ITEM", "consumptionPercentage": 0],
            ["deliveryStatus": "UNDELIVERED_OTHER", "consumptionPercentage": 0, "refundPreference": "DECLINE"],
        ]
        for changes in allowed {
            #expect(Self.result(changes, of: transaction) == "202", "\(JSON.object(changes).text)")
        }
    }

    @Test func `for an auto-renewable subscription every preference is valid and no percentage is`() {
        for preference: JSON? in [nil, "DECLINE", "GRANT_FULL", "GRANT_PRORATED"] {
            for status in ["DELIVERED", "UNDELIVERED_OTHER"] {
                var changes: JSONObject = ["deliveryStatus": .string(status)]
                changes["refundPreference"] = preference
                #expect(Self.result(changes, of: Self.subscription) == "202")
                for percentage in [0, 45_200, 100_000, 100_001] {
                    changes["consumptionPercentage"] = .int(percentage)
                    #expect(Self.result(changes, of: Self.subscription) == "4000209", "R3")
                }
            }
        }
    }

    struct Spoiled: CustomTestStringConvertible {
        let testDescription: String
        let changes: JSONObject
        let result: String

        init(_ name: String, _ changes: JSONObject, _ result: String) {
            testDescription = name
            self.changes = changes
            self.result = result
        }
    }

    @Test(arguments: [
        Spoiled("R1: consent is false", ["customerConsented": false], "4000035"),
        Spoiled("R1: consent is missing", ["customerConsented": nil], "4000035"),
        Spoiled("R1: consent is text", ["customerConsented": "true"], "4000035"),
        Spoiled("R1: consent is a number", ["customerConsented": 1], "4000035"),
        Spoiled("delivery status is missing", ["deliveryStatus": nil], "4000036"),
        Spoiled("delivery status is a number of v1", ["deliveryStatus": 0], "4000036"),
        Spoiled("delivery status is unknown", ["deliveryStatus": "UNDELIVERED"], "4000036"),
        Spoiled("sample content is missing", ["sampleContentProvided": nil], "4000041"),
        Spoiled("sample content is text", ["sampleContentProvided": "yes"], "4000041"),
        Spoiled("preference is none", ["refundPreference": "NO_PREFERENCE"], "4000044"),
        Spoiled("preference is a number of v1", ["refundPreference": 2], "4000044"),
        Spoiled(
            "R2: undelivered and used", ["deliveryStatus": "UNDELIVERED_OTHER", "consumptionPercentage": 60_000],
            "undelivered"),
        Spoiled("R4: prorated without a percentage", ["refundPreference": "GRANT_PRORATED"], "400"),
        Spoiled(
            "R4: prorated of nothing used", ["refundPreference": "GRANT_PRORATED", "consumptionPercentage": 0], "400"),
        Spoiled(
            "R4: prorated of everything used",
            ["refundPreference": "GRANT_PRORATED", "consumptionPercentage": 100_000], "400"),
        Spoiled("R6: above 100 %", ["consumptionPercentage": 100_001], "range"),
        Spoiled("R6: below 0 %", ["consumptionPercentage": -1], "range"),
        Spoiled("percentage is a fraction", ["consumptionPercentage": .number("45.2")], "400"),
        Spoiled("percentage is text", ["consumptionPercentage": "45200"], "400"),
        Spoiled("a member of v1", ["consumptionStatus": 1], "400"),
    ])
    func `a spoiled body gets the code of the rule it breaks`(spoiled: Spoiled) {
        let expected =
            switch spoiled.result {
            case "undelivered": "\(Self.numbers.undeliveredConsumptionPercentageNonZero)"
            case "range": "\(Self.numbers.consumptionPercentageOutOfRange)"
            default: spoiled.result
            }
        #expect(Self.result(spoiled.changes, of: Self.consumable) == expected)
    }

    @Test func `R7, R8, R9: transactions that the call does not serve`() {
        let commerce = Self.consumable.changed(by: ["advancedCommerceInfo": ["items": []]])
        #expect(Self.result([:], of: commerce) == "\(Self.numbers.advancedCommerceTransactionNotSupported)")
        #expect(Self.result([:], of: Self.consumable.changed(by: ["inAppOwnershipType": "FAMILY_SHARED"])) == "4000185")
        #expect(Self.result([:], of: Self.consumable.changed(by: ["inAppOwnershipType": "ASSIGNED"])) == "4000227")
    }

    @Test(arguments: ["", "null", "[]", "{", "{\"customerConsented\":true,}", "\u{FEFF}{}"])
    func `a body that is no JSON object is malformed: 400 without a code`(body: String) {
        #expect(Self.result(Array(body.utf8), of: Self.consumable) == "400")
    }

    @Test func `the three numbers that no page gives are new at each start, and no documented ones`() {
        let other = UnconfirmedNumbers()
        #expect(other != Self.numbers)
        for numbers in [other, Self.numbers] {
            let all = [
                numbers.consumptionPercentageOutOfRange, numbers.undeliveredConsumptionPercentageNonZero,
                numbers.advancedCommerceTransactionNotSupported,
            ]
            #expect(Set(all).count == 3)
            #expect(all.allSatisfy { $0 / 10_000 == 400 && $0 > 4_000_227 })
        }
    }
}

@Suite struct `Consumption information v1` {
    private static let whole: JSONObject = [
        "customerConsented": true, "consumptionStatus": 2, "platform": 1, "sampleContentProvided": false,
        "deliveryStatus": 0, "appAccountToken": "", "accountTenure": 0, "playTime": 0, "lifetimeDollarsPurchased": 0,
        "lifetimeDollarsRefunded": 0, "userStatus": 0, "refundPreference": 1,
    ]

    private func code(_ changes: JSONObject, type: String = "Consumable") -> Int64 {
        let body = JSON.object(Self.whole.changed(by: changes)).bytes
        switch OldConsumptionRules().verdict(on: body, of: ["type": .string(type), "advancedCommerceInfo": [:]]) {
        case .accepted: return 202
        case .refused(let error, _): return error.code
        case .malformed: return 400
        }
    }

    @Test func `a whole body is accepted, with a token or an empty one, with a preference or none`() {
        #expect(code([:]) == 202)
        #expect(code(["refundPreference": nil]) == 202)
        #expect(code(["appAccountToken": "3d0e6c1e-54b4-4a5f-8d2a-93a0f0b7c111"]) == 202)
        #expect(code([:], type: "Auto-Renewable Subscription") == 202)
    }

    @Test func `each member that is missing or out of range has its own code`() {
        let codes: [(String, Int64, Int64)] = [
            ("accountTenure", 4_000_032, 8), ("consumptionStatus", 4_000_034, 4), ("deliveryStatus", 4_000_036, 6),
            ("lifetimeDollarsPurchased", 4_000_037, 8), ("lifetimeDollarsRefunded", 4_000_038, 8),
            ("platform", 4_000_039, 3), ("playTime", 4_000_040, 8), ("userStatus", 4_000_042, 5),
        ]
        for (name, expected, tooMuch) in codes {
            #expect(code(JSONObject([(name, .null)])) == expected)
            #expect(code(JSONObject([(name, .int(tooMuch))])) == expected)
            #expect(code(JSONObject([(name, .int(-1))])) == expected)
            #expect(code(JSONObject([(name, "DELIVERED")])) == expected)
        }
        #expect(code(["customerConsented": false]) == 4_000_035)
        #expect(code(["sampleContentProvided": nil]) == 4_000_041)
        #expect(code(["appAccountToken": nil]) == 4_000_033)
        #expect(code(["appAccountToken": "somebody"]) == 4_000_033)
        #expect(code(["refundPreference": 4]) == 4_000_044)
        #expect(code([:], type: "Non-Consumable") == 4_000_047)
    }
}
