import FoundationEssentials
import Refunds
import Support
import Tenants
import Testing
import Time

@Suite("Texts to customers") struct CustomerTextTests {
    private static let languages = AlertLanguage.allCases

    @Test(arguments: CustomerSituation.allCases)
    func `every language has a text for every situation, each its own`(situation: CustomerSituation) {
        let text = CustomerText(situation, app: "Lumen", boughtAt: SampleDesk.signed)
        let texts = Self.languages.map { text.text(in: $0) }
        #expect(Set(texts).count == Self.languages.count)
        for (language, text) in zip(Self.languages, texts) {
            #expect(text.contains("Lumen") && text.contains("Apple"), "\(language)")
            #expect(text.split(separator: "\n").count == 3, "\(language)")
        }
        #expect(texts.map { $0.contains("2026") } == [true, true, true, true, true])
        #expect(texts[0].contains("2026-06-15") && texts[1].contains("15.06.2026") && texts[4].contains("2026/06/15"))
    }

    @Test(arguments: CustomerSituation.allCases)
    func `none names anything of ours`(situation: CustomerSituation) {
        for language in Self.languages {
            let text = CustomerText(situation, app: "Lumen", boughtAt: nil).text(in: language).lowercased()
            for word in [
                "policy", "rule", "grant_", "decline_", "consumption", "refund desk", "preference", "nil", "2026",
            ] {
                #expect(!text.contains(word), "\(language): \(word)")
            }
        }
    }

    private static func story(
        _ outcome: CaseOutcome, type: String? = nil, share: Int? = nil, items: [CaseStory.Item] = []
    ) -> CaseStory {
        let signed = SampleDesk.signed
        let facts =
            outcome == .refunded
            ? [
                CaseStory.Fact(
                    id: .init(), kind: .refund, signedAt: signed, learnedAt: signed, revocationType: type,
                    revocationShare: share)
            ] : []
        return CaseStory(
            line: CaseLine(
                id: .init(), app: .init(rawValue: 1), transactionID: "1", originalTransactionID: "1", productID: "p",
                state: .answered, outcome: outcome, listedAt: signed),
            bundleID: "com.example.alpha", appName: "Alpha",
            purchase: CaseStory.Purchase(signedAt: signed, items: items), rounds: [], facts: facts, consents: [],
            usage: [], remarks: [], notifications: [])
    }

    @Test func `the situation is what Apple did, as far as the customer can know it`() {
        let now = SampleDesk.signed + .hours(1)
        #expect(Self.story(.pending).customerSituation(at: now) == .waiting)
        #expect(Self.story(.pending).customerSituation(at: SampleDesk.signed + .days(15)) == .unheard)
        #expect(Self.story(.declined).customerSituation(at: now) == .declined)
        #expect(Self.story(.reversed).customerSituation(at: now) == .reversed)
        #expect(Self.story(.refunded, type: "REFUND_FULL", share: 100_000).customerSituation(at: now) == .refunded)
        #expect(Self.story(.refunded).customerSituation(at: now) == .refunded)
        let part = Self.story(.refunded, type: "REFUND_PRORATED", share: 50_000)
        #expect(part.customerSituation(at: now) == .refundedInPart)
        let items = [
            CaseStory.Item(sku: "a", price: 1000, refundedAmount: 1000), CaseStory.Item(sku: "b", price: 500),
        ]
        #expect(Self.story(.refunded, items: items).customerSituation(at: now) == .refundedInPart)
    }
}
