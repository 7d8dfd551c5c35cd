import Testing
import Time

@testable import Web

@Suite struct `Amounts and times` {
    @Test(
        arguments: [
            (9990, "USD", "9.99 USD"), (29_970, "USD", "29.97 USD"), (4_999_000_000, "VND", "4 999 000 VND"),
            (500_000, "JPY", "500 JPY"), (1_234_567_890, "EUR", "1 234 567.89 EUR"), (1234, "KWD", "1.234 KWD"),
            (9995, "USD", "9.995 USD"), (990, "JPY", "0.99 JPY"), (0, "USD", "0.00 USD"), (-9990, "USD", "-9.99 USD"),
            (Int64.min, "VND", "-9 223 372 036 854 775.808 VND"), (10_000, "???", "10.00 ???"),
        ] as [(Int64, String, String)])
    func `BL-020, BL-048: thousandths of the unit are divided for display alone`(
        milliunits: Int64, currency: String, text: String
    ) {
        #expect(MoneyText(milliunits: milliunits, currency: currency).text == text)
    }

    @Test func `BL-019: a time is shown to the millisecond and in UTC`() {
        let time = TimeText(Moment(milliseconds: 1_781_524_800_123))
        #expect(time.full == "2026-06-15 12:00:00.123 UTC")
        #expect(time.short == "2026-06-15 12:00 UTC")
        #expect(
            time.fullHTML.string
                == "<time datetime=\"2026-06-15T12:00:00.123Z\">2026-06-15 12:00:00.123 UTC</time>")
    }

    @Test(
        arguments: [
            (0, "just now"), (30, "in 30 s"), (-90, "1 min ago"), (3 * 3600 + 12 * 60, "in 3 h 12 min"),
            (86_400, "in 1 day"),
            (-5 * 86_400, "5 days ago"), (11 * 3600 + 59 * 60, "in 11 h"),
        ] as [(Int64, String)])
    func `a time is told from now`(seconds: Int64, text: String) {
        let now = Moment(milliseconds: 1_781_524_800_123)
        #expect(TimeText(now + .seconds(seconds)).relative(to: now) == text)
    }

    @Test(arguments: [(0, "0 %"), (50_000, "50 %"), (67_932, "67.932 %"), (100_000, "100 %"), (15, "0.015 %")])
    func `a share is thousandths of a percent`(share: Int, text: String) {
        #expect(ShareText.text(share) == text)
    }

    @Test(
        arguments: [
            ("UNINTENDED_PURCHASE", "Unintended purchase"), ("A_REASON_OF_2031", "A_REASON_OF_2031"),
            (nil, "not given"),
        ] as [(String?, String)])
    func `BL-027: a reason is shown in words, verbatim when it is new, and said when it is absent`(
        reason: String?, text: String
    ) {
        #expect(Words.reason(reason) == text)
    }
}
