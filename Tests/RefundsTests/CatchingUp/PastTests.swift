import Testing
import Time

@testable import Refunds

@Suite("How far a customer's records are read")
struct PastTests {
    private func read(_ change: (inout Past) -> Void) -> Past {
        var past = Past(.refunds)
        change(&past)
        return past
    }

    @Test func `the last page ends it, and its place is where the next reading begins`() {
        var past = Past(.transactions)
        #expect(past.isDue(at: noon))
        past.took(digest: 1, next: "a", place: 10, hasMore: true, at: noon)
        #expect(past.revision == "a" && past.readAt == nil && past.isDue(at: noon))
        past.took(digest: 2, next: "b", place: 11, hasMore: false, at: noon)
        #expect(past.revision == "b" && past.readAt == noon && past.pages == 0 && past.trouble == nil)
        #expect(!past.isDue(at: noon + .hours(11)) && past.isDue(at: noon + .hours(12)))
    }

    @Test func `an empty last page without a word of its own keeps the place`() {
        let past = read {
            $0.revision = "a"
            $0.took(digest: nil, next: nil, place: nil, hasMore: false, at: noon)
        }
        #expect(past.revision == "a" && past.readAt == noon)
    }

    @Test(arguments: ["page", "place", "nowhere"])
    func `BL-109: what leads back, or nowhere, ends the reading and is said`(how: String) {
        var past = Past(.refunds)
        past.took(digest: 1, next: "a", place: 10, hasMore: true, at: noon)
        switch how {
        case "page": past.took(digest: 1, next: "b", place: 11, hasMore: true, at: noon)
        case "place": past.took(digest: 2, next: "a", place: 10, hasMore: true, at: noon)
        default: past.took(digest: 2, next: nil, place: nil, hasMore: true, at: noon)
        }
        #expect(past.brokenAt == noon && past.trouble != nil && past.readAt == nil)
        #expect(past.pages == 0 && past.revision == nil)
        #expect(!past.isDue(at: noon + .minutes(59)) && past.isDue(at: noon + .hours(1)))
    }

    @Test func `BL-109: pages without end are bounded, and the next reading goes on behind them`() {
        var past = Past(.transactions)
        var pages = 0
        while past.isDue(at: noon), pages < 1000 {
            pages += 1
            past.took(
                digest: UInt64(pages), next: "p\(pages)", place: UInt64(10_000 + pages), hasMore: true, at: noon)
        }
        #expect(pages == Past.pagesMax && past.revision == "p50" && past.trouble?.contains("50 pages") == true)
    }

    @Test func `a place that Apple forgot is replaced by one fresh start, and no second one`() {
        var past = read { $0.revision = "old" }
        past.placeEnded("forgotten", at: noon)
        #expect(past.revision == nil && past.isRestarted && past.isDue(at: noon) && past.trouble == nil)
        past.took(digest: 1, next: "a", place: 1, hasMore: true, at: noon)
        past.placeEnded("forgotten again", at: noon)
        #expect(past.trouble == "forgotten again" && !past.isDue(at: noon))
    }
}
