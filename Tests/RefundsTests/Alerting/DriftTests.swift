import Foundation
import Postgres
import Support
import Tenants
import Testing
import Time

@testable import Refunds

/// A customer who asks for a refund, as an app's record has it.
private struct Asked {
    /// Hours after the beginning of the record.
    let hour: Double
    let reason: String
    var product = "coins.100"
    var build = "412"
    var storefront = "USA"
}

/// Chance that comes out the same each time.
private struct Dice {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed }

    /// SplitMix64.
    mutating func unit() -> Double {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return Double((z ^ (z >> 31)) >> 11) / 9_007_199_254_740_992
    }

    /// Poisson, by steps of the exponential.
    mutating func many(_ mean: Double) -> Int {
        var (n, sum) = (0, 0.0)
        while true {
            sum -= log(max(unit(), 1e-15))
            if sum >= mean { return n }
            n += 1
        }
    }
}

/// Sixty days of an app, by how many customers ask in an hour, and what they say.
private struct Record: Sendable {
    var name: String
    /// Customers in an hour of a day; the hour is counted from the beginning, a Monday.
    var rate: @Sendable (_ hour: Int) -> Double
    var build: @Sendable (_ hour: Int, _ chance: Double) -> String = { _, _ in "412" }
    var product: @Sendable (_ hour: Int, _ chance: Double) -> String = { _, chance in
        chance < 0.7 ? "coins.100" : "gems.5"
    }

    static let hours = 60 * 24

    func asked(_ seed: UInt64) -> [Asked] {
        var dice = Dice(seed)
        var all: [Asked] = []
        for hour in 0..<Self.hours {
            for _ in 0..<dice.many(rate(hour)) {
                let (at, said, bought, ran, place) = (dice.unit(), dice.unit(), dice.unit(), dice.unit(), dice.unit())
                let reason =
                    said < 0.45
                    ? "UNINTENDED_PURCHASE"
                    : said < 0.7
                        ? "UNSATISFIED_WITH_PURCHASE"
                        : said < 0.85 ? "OTHER" : said < 0.99 ? "FULFILLMENT_ISSUE" : "LEGAL"
                all.append(
                    Asked(
                        hour: Double(hour) + at, reason: reason, product: product(hour, bought),
                        build: build(hour, ran),
                        storefront: place < 0.5 ? "USA" : place < 0.75 ? "DEU" : "JPN"))
            }
        }
        return all
    }

    private static func day(_ hour: Int, _ perDay: Double) -> Double {
        perDay / 24 * [0.3, 0.2, 0.6, 1.2, 1.5, 1.6, 1.8, 0.8][hour % 24 / 3]
    }

    static let all: [Record] = [
        Record(name: "500 a day") { day($0, 500) },
        Record(name: "40 a day") { day($0, 40) },
        Record(name: "two a week") { day($0, 2.0 / 7) },
        Record(name: "weekdays only") { $0 / 24 % 7 < 5 ? day($0, 60) : 0 },
        Record(name: "most on one day of the week") { day($0, $0 / 24 % 7 == 5 ? 120 : 6) },
        Record(name: "a new build every ten days, taken up within three") {
            day($0, 200)
        } build: { hour, chance in
            let (number, age) = (400 + hour / 240, Double(hour % 240) / 72)
            return "\(chance < min(age, 1) ? number : number - 1)"
        },
        Record(name: "a new product takes over from the old one") {
            day($0, 150)
        } product: { hour, chance in
            hour < 30 * 24 || chance < 0.1 ? "season.1" : "season.2"
        },
        Record(name: "grows by a twentieth each week") { day($0, 50 + 2.5 * Double($0 / 168)) },
    ]
}

@Suite struct `Reasons that drift` {
    private static let app = AppID(rawValue: 7)

    /// What the database counts, at an hour of the record.
    private func counts(_ asked: [Asked], at hour: Double, knownDays: Int = 14, kind: DriftCounts.Kind = .requests)
        -> DriftCounts
    {
        var counts = DriftCounts(app: Self.app, kind: kind, knownDays: knownDays)
        var groups: [[String]: [Double]] = [:]
        for one in asked where one.hour < hour && one.hour > hour - Double(DriftCounts.days) * 24 {
            let group = [one.reason, one.product, one.build, one.storefront]
            groups[group, default: [Double](repeating: 0, count: DriftCounts.days)][Int((hour - one.hour) / 24)] += 1
        }
        for (group, days) in groups {
            let places = [DriftPlace.product(group[1]), .version(group[2]), .storefront(group[3]), .wholeApp]
            for (day, count) in days.enumerated() where count > 0 {
                for place in places { counts.add(count, group[0], at: place, day: day) }
            }
        }
        return counts
    }

    private func jumps(_ asked: [Asked], at hour: Int) -> [ReasonDrift.Jump] {
        ReasonDrift.jumps(counts(asked, at: Double(hour)))
    }

    @Test(arguments: Record.all.indices)
    func `thirty usual days raise nothing`(record: Int) {
        let asked = Record.all[record].asked(UInt64(record) + 1)
        for hour in stride(from: 16 * 24, to: 46 * 24, by: 5) {
            let found = jumps(asked, at: hour)
            #expect(found.isEmpty, "\(Record.all[record].name), hour \(hour): \(found)")
        }
    }

    private struct Break: Sendable {
        var name: String
        var reason: String
        var place: DriftPlace
        var product = "coins.100"
        var build = "412"
        /// Nil: of all that the app has.
        var storefront: String?
    }

    private static let breaks: [Break] = [
        Break(name: "one product", reason: "FULFILLMENT_ISSUE", place: .product("gems.5"), product: "gems.5"),
        Break(name: "one storefront", reason: "FULFILLMENT_ISSUE", place: .storefront("BRA"), storefront: "BRA"),
        Break(name: "one build", reason: "FULFILLMENT_ISSUE", place: .version("413"), build: "413"),
        Break(name: "by mistake", reason: "UNINTENDED_PURCHASE", place: .version("413"), build: "413"),
        Break(name: "for a law", reason: "LEGAL", place: .storefront("KOR"), storefront: "KOR"),
        Break(name: "no reason that anybody knew", reason: "NEW_REASON", place: .product("vip"), product: "vip"),
    ]

    /// Beside 40 usual customers a day, 60 a day more from noon on.
    @Test(arguments: breaks.indices)
    func `a jump is noticed within hours, at the place that explains it`(index: Int) throws {
        let (broken, start) = (Self.breaks[index], 30 * 24 + 12)
        var asked = Record.all[1].asked(99)
        for n in 0..<120 {
            asked.append(
                Asked(
                    hour: Double(start) + Double(n) * 0.4, reason: broken.reason, product: broken.product,
                    build: broken.build, storefront: broken.storefront ?? ["USA", "DEU", "JPN"][n % 3]))
        }
        #expect(jumps(asked, at: start).isEmpty)
        let noticed = try #require((1...24).first { !jumps(asked, at: start + $0).isEmpty }, "\(broken.name)")
        #expect(noticed <= 8, "\(broken.name) after \(noticed) hours")
        let found = jumps(asked, at: start + 24)
        #expect(found.map(\.reason) == [broken.reason] && found.map(\.place) == [broken.place], "\(found)")
        #expect(jumps(asked, at: start + 5 * 24).isEmpty)
    }

    @Test
    func `a sale that brings five times of everything is no drift of a reason, but what an app's fault may be counts`()
    {
        var asked = Record.all[0].asked(5)
        let more = asked.filter { (30.0 * 24..<31 * 24).contains($0.hour) }
        for _ in 1...4 { asked += more }
        #expect(jumps(asked, at: 31 * 24).map(\.reason).allSatisfy { $0 == "FULFILLMENT_ISSUE" })
    }

    @Test func `an app that came a few days ago has no usual`() {
        let asked = (0..<200).map { Asked(hour: Double($0) * 0.1, reason: "FULFILLMENT_ISSUE") }
        #expect(!ReasonDrift.jumps(counts(asked, at: 20)).isEmpty)
        #expect(ReasonDrift.jumps(counts(asked, at: 20, knownDays: 6)).isEmpty)
        #expect(!ReasonDrift.jumps(counts(asked, at: 20, knownDays: 7)).isEmpty)
    }

    @Test func `of what Apple books only the developer's issue counts`() {
        for (reason, isTold) in [(DriftCounts.developerIssue, true), ("other", false)] {
            let asked = (0..<40).map { Asked(hour: 300 + Double($0) * 0.1, reason: reason) }
            #expect(ReasonDrift.jumps(counts(asked, at: 320, kind: .refunds)).isEmpty != isTold, "\(reason)")
        }
    }

    @Test func `a build that carries on with the usual share of reasons is none`() {
        // The last build goes, the next comes within an hour, and what customers say stays the same.
        let asked = (0..<3000).map { n in
            Asked(
                hour: Double(n) * 0.2, reason: n % 5 == 0 ? "FULFILLMENT_ISSUE" : "OTHER",
                build: n < 2500 ? "412" : "413")
        }
        #expect(jumps(asked, at: 530).isEmpty && jumps(asked, at: 600).isEmpty)
    }
}

@Suite struct `The record of reasons` {
    private func add(
        _ desk: Desk, _ count: Int, hoursAgo: Int64, reason: String? = "FULFILLMENT_ISSUE", state: String = "answered",
        environment: String = "Production", customer: String? = nil, refund: Int32? = nil
    ) async throws {
        let at = desk.now - .hours(hoursAgo)
        try await desk.test.asSuperuser(
            """
            insert into refunds.cases
              (tenant_id, case_id, app_id, environment, transaction_id, original_transaction_id, product_id, customer, state,
               outcome, reason, listed_at, deadline, storefront, build, refunded_at, refund_reason)
            select \(desk.alpha.app.tenant.rawValue), gen_random_uuid(), \(desk.alpha.app.id.rawValue), \(environment),
              gen_random_uuid()::text, gen_random_uuid()::text, 'coins.100', \(customer), \(state), 'pending', \(reason),
              \(at) + n * interval '1 millisecond', \(at), 'DEU', '412', case when \(refund != nil) then \(at) end, \(refund)
            from generate_series(1, \(Int32(count))) n
            """)
    }

    private func age(_ desk: Desk, days: Int64) async throws {
        try await desk.test.asSuperuser("update tenants.apps set created_at = \(desk.now - .days(days))")
    }

    private func counts(_ desk: Desk) async throws -> [DriftCounts] {
        let (app, now) = (desk.alpha.app, desk.now)
        return try await desk.database.transaction(app.tenant.scope) { tx in
            try await DriftQueries.counts(of: app.tenant, [app], at: now, in: tx)
        }
    }

    @Test func `counts customers by day and place, of Production and of what was asked while we were there`()
        async throws
    {
        try await Desk.open { desk in
            try await age(desk, days: 40)
            try await add(desk, 12, hoursAgo: 3)
            try await add(desk, 30, hoursAgo: 3, customer: "11111111-2222-3333-4444-555555555555")
            try await add(desk, 5, hoursAgo: 30)
            try await add(desk, 3, hoursAgo: 24 * 14 + 3, reason: "LEGAL")
            try await add(desk, 50, hoursAgo: 3, state: "imported")
            try await add(desk, 50, hoursAgo: 3, environment: "Sandbox")
            try await add(desk, 50, hoursAgo: 24 * 16)
            let requests = try #require(try await counts(desk).first { $0.kind == .requests })
            #expect(requests.knownDays == 14)
            for place in [DriftPlace.product("coins.100"), .version("412"), .storefront("DEU"), .wholeApp] {
                let days = try #require(requests.series[.init(place: place, reason: "FULFILLMENT_ISSUE")], "\(place)")
                #expect(days == [13, 5] + [Double](repeating: 0, count: 13), "\(place)")
                #expect(requests.series[.init(place: place, reason: "LEGAL")]?.last == 3, "\(place)")
            }
            #expect(try await counts(desk).allSatisfy { $0.kind == .requests })
        }
    }

    @Test func `knows an app for the days that it has been here`() async throws {
        try await Desk.open { desk in
            try await add(desk, 12, hoursAgo: 3)
            for (days, known) in [(Int64(7), nil), (8, 7), (10, 9), (15, 14), (400, 14)] as [(Int64, Int?)] {
                try await age(desk, days: days)
                #expect(try await counts(desk).first?.knownDays == known, "\(days)")
            }
        }
    }

    @Test func `reckons a day of many from its newest, so that a busy app costs no more`() async throws {
        try await Desk.open { desk in
            try await age(desk, days: 40)
            for hour in 0..<24 { try await add(desk, 200, hoursAgo: Int64(hour)) }
            let days = try #require(
                try await counts(desk).first?.series[.init(place: .wholeApp, reason: "FULFILLMENT_ISSUE")])
            #expect(abs(days[0] - 4800) < 600 && days[1...].allSatisfy { $0 == 0 }, "\(days)")
        }
    }

    @Test func `has refunds by the day on which Apple booked them, and as what`() async throws {
        try await Desk.open { desk in
            try await age(desk, days: 40)
            try await add(desk, 11, hoursAgo: 5, reason: nil, state: "unasked", refund: 1)
            try await add(desk, 4, hoursAgo: 50, reason: nil, state: "unasked", refund: 0)
            let refunds = try #require(try await counts(desk).first)
            #expect(refunds.kind == .refunds)
            #expect(refunds.series[.init(place: .wholeApp, reason: DriftCounts.developerIssue)]?[0] == 11)
            #expect(refunds.series[.init(place: .wholeApp, reason: "other")]?[2] == 4)
            try await desk.addChannel { $0.severity = .warning }
            try await desk.look(desk.watch())
            let told = try #require(desk.pager.triggers(.reasonDrift).first?.notice)
            #expect(told.title.contains("developer's issue: 11 customers") && told.title.contains("coins.100"))
        }
    }

    @Test func `a case has the build and the storefront that Apple named, and the refund as it was booked`()
        async throws
    {
        try await Desk.open { desk in
            try await desk.take(desk.note("CONSUMPTION_REQUEST", desk.tx { $0["storefront"] = "FRA" }))
            func seen() async throws -> String {
                let rows = try await desk.test.asSuperuser(
                    """
                    select concat_ws(' ', build, storefront, refund_reason, refunded_at is not null) as seen
                    from refunds.cases
                    """)
                return try rows[0]("seen")
            }
            #expect(try await seen() == "1 FRA f")
            desk.clock.advance(by: .minutes(5))
            let booked = desk.now.milliseconds
            try await desk.take(
                desk.note(
                    "REFUND",
                    desk.tx {
                        $0["storefront"] = "FRA"
                        $0["revocationDate"] = .number(booked)
                        $0["revocationReason"] = 1
                    }))
            #expect(try await seen() == "1 FRA 1 t")
        }
    }
}
