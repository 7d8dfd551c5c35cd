import AppStore
import Support
import Testing
import Time

@testable import Refunds

@Suite("What was missing") struct MissingTests {
    private static func facts(_ change: (inout PurchaseFacts) -> Void = { _ in }) -> PurchaseFacts {
        var facts = PurchaseFacts(
            type: Known("Consumable"), reason: Known("UNINTENDED_PURCHASE"), requestSignedAt: noon,
            consent: .given(at: noon - .days(1), changeNo: 1),
            delivery: Evidence(.delivered, .reported(observedAt: noon)),
            share: Evidence(50_000, .reported(observedAt: noon)))
        change(&facts)
        return facts
    }

    private func missing(_ facts: PurchaseFacts) -> [Decision.Missing] { Policy.standard.missing(in: facts) }

    @Test func `where all is known nothing is missing`() { #expect(missing(Self.facts()).isEmpty) }

    @Test func `without a share it is said what each share would have brought`() throws {
        let gap = try #require(missing(Self.facts { $0.share = nil }).first)
        #expect(gap.name == "consumptionPercentage" && gap.others.map(\.value) == ["0 %", "50 %", "100 %"])
        for (other, share) in zip(gap.others, [0, 50_000, 100_000]) {
            let known = Self.facts { $0.share = Evidence(share, .reported(observedAt: noon)) }
            #expect(other.answer == Policy.standard.decide(known).answer)
        }
        #expect(Set(gap.others.map(\.answer)).count > 1)
    }

    @Test func `where a rule would have asked a person, that is said`() throws {
        let policy = try PolicyText.read(
            "if use is full then ask a person, else prefer DECLINE\notherwise send facts only"
        ).get()
        let gap = try #require(policy.missing(in: Self.facts { $0.share = nil }).first)
        #expect(gap.others.map(\.asks) == [nil, nil, true])
    }

    @Test func `without consent nothing else matters`() throws {
        let gaps = missing(
            Self.facts {
                $0.consent = .missing
                $0.share = nil
                $0.delivery = nil
            })
        #expect(gaps.map(\.name) == ["consent"] && gaps[0].others.map(\.answer) != [.nothing])
    }

    @Test func `what is never sent is not missing`() {
        #expect(
            missing(
                Self.facts {
                    $0.type = Known("Auto-Renewable Subscription")
                    $0.share = nil
                }
            ).isEmpty)
        #expect(missing(Self.facts { $0.ownership = Known("FAMILY_SHARED") }).isEmpty)
        #expect(missing(Self.facts { $0.delivery = nil }).map(\.name) == ["deliveryStatus"])
    }
}
