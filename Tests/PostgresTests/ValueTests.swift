import Foundation
import Postgres
import Support
import Testing
import Time

@Suite struct `values on their way to the server and back` {
    private func check<T: SQLValue & Equatable>(_ values: [T], _ type: StaticString, in tx: Transaction) async throws {
        for value in values {
            let row = try #require(
                try await tx.row(
                    "select \(value) as it, pg_typeof(\(value))::text as type, \(value)::\(raw: type)::text as spelt"))
            #expect(try row("it") == value, "\(type)")
            #expect(try row("type") == "\(type)")
        }
    }

    @Test func `every type round-trips, its limits included`() async throws {
        try await withDatabase { test in
            try await test.database.transaction(.house) { tx in
                try await check([true, false], "boolean", in: tx)
                try await check([Int16.min, -1, 0, .max], "smallint", in: tx)
                try await check([Int32.min, -1, 0, .max], "integer", in: tx)
                try await check([Int64.min, -1, 0, .max], "bigint", in: tx)
                try await check([Int.min, 7, .max], "bigint", in: tx)
                try await check(
                    [0, -0.5, .infinity, .greatestFiniteMagnitude, .leastNonzeroMagnitude], "double precision", in: tx)
                try await check(["", "é 🧾 '; drop table x; --", "\u{1}\u{7f}\u{2028}"], "text", in: tx)
                try await check([[], [0], [UInt8](0...255)], "bytea", in: tx)
                try await check([UUID(), UUID(uuidString: "00000000-0000-0000-0000-000000000000")!], "uuid", in: tx)
                try await check(
                    [0, 1, -1, 1_781_524_800_123, -62_135_596_800_000].map { Moment(milliseconds: $0) },
                    "timestamp with time zone", in: tx)
                try await check(
                    [.zero, .microseconds(-1), .milliseconds(200), .seconds(86_400 * 400)] as [Duration], "interval",
                    in: tx)
                try await check([nil, 5] as [Int64?], "bigint", in: tx)
                try await check([nil, "x"] as [String?], "text", in: tx)
                try await check([[], [1, 2, 3]] as [[Int16]], "smallint[]", in: tx)
                try await check([[], [1, .max]] as [[Int32]], "integer[]", in: tx)
                try await check([[], [.min, 3]] as [[Int64]], "bigint[]", in: tx)
                try await check([[], ["a", "", "NULL", "{}", "\"\\"]], "text[]", in: tx)
                try await check([[UUID()]], "uuid[]", in: tx)
                try await check([[true, false]], "boolean[]", in: tx)
                try await check([[0.25]], "double precision[]", in: tx)
                try await check([[[], [0, 255]]] as [[[UInt8]]], "bytea[]", in: tx)
                try await check([[Moment(milliseconds: 1_781_524_800_123)]], "timestamp with time zone[]", in: tx)
                try await check([[.milliseconds(20)]] as [[Duration]], "interval[]", in: tx)
                try await check([[nil, "x", nil]] as [[String?]], "text[]", in: tx)
                try await check([[nil, 3]] as [[Int64?]], "bigint[]", in: tx)
            }
        }
    }

    @Test func `the server agrees with us about what the bytes mean`() async throws {
        try await withDatabase { test in
            let row = try #require(
                try await test.database.rows(
                    .house,
                    """
                    select \(Moment(milliseconds: 1_781_524_800_123))::text as moment, \(Duration.milliseconds(200))::text as span,
                           \([1, 2] as [Int64])::text as numbers, \(["a", nil] as [String?])::text as texts,
                           '2026-06-15 12:00:00.123+00'::timestamptz as back, '1 day 00:00:00.5'::interval as day,
                           '2026-06-15'::date as date, 'infinity'::timestamptz as never, '{"a": 1}'::jsonb as json,
                           7::smallint as small, '1999-12-31 23:59:59.9999+00'::timestamptz as early
                    """
                ).first)
            #expect(try row("moment") == "2026-06-15 12:00:00.123+00")
            #expect(try row("span") == "00:00:00.2")
            #expect(try row("numbers") == "{1,2}")
            #expect(try row("texts") == "{a,NULL}")
            #expect(try row("back") == Moment(milliseconds: 1_781_524_800_123))
            #expect(try row("day") == Duration.seconds(86_400) + .milliseconds(500))
            #expect(try row("date") == Moment(date: "2026-06-15"))
            #expect(try row("never") == Moment(milliseconds: .max))
            #expect(try row("json") == #"{"a": 1}"#)
            #expect(try row("small") == 7 as Int64)
            // Rounded down, before 2000 too.
            #expect(try row("early") == Moment(milliseconds: 946_684_799_999))
        }
    }

    @Test(arguments: [Int64.max, .min, 10_000_000_000_000_000, -300_000_000_000_000])
    func `a moment that the server cannot hold is refused and becomes no other`(milliseconds: Int64) async throws {
        try await withDatabase { test in
            let error = await #expect(throws: PostgresError.self) {
                try await test.database.rows(.house, "select \(Moment(milliseconds: milliseconds)) as it")
            }
            #expect(error?.kind == .data)
            #expect(error?.sqlState == "22008")
        }
    }

    @Test func `a text with a NUL is refused as data`() async throws {
        try await withDatabase { test in
            let error = await #expect(throws: PostgresError.self) {
                try await test.database.rows(.house, "select \("a\u{0}b") as it")
            }
            #expect(error?.kind == .data)
        }
    }

    @Test func `an injection is a value like any other`() async throws {
        try await withDatabase { test in
            let hostile = "x'); delete from tenants.tenants; --"
            try await test.database.execute(
                .house, "insert into tenants.tenants (slug, name) values ('a', \(hostile)), ('b', '$1')")
            let rows = try await test.database.rows(
                .house, "select slug, name from tenants.tenants where name = \(hostile) or slug = \("b' or true --")")
            #expect(rows.count == 1)
            #expect(try rows[0]("name") == hostile)
        }
    }

    @Test func `a column that does not fit says its name and never its value`() async throws {
        try await withDatabase { test in
            let row = try #require(
                try await test.database.rows(
                    .house, "select 'hush' as text, null::int8 as nothing, 70000 as large, 1.5::numeric as odd"
                ).first)
            let attempts: [(String, () throws -> Void)] = [
                ("text", { let _: Int64 = try row("text") }), ("nothing", { let _: Int64 = try row("nothing") }),
                ("large", { let _: Int16 = try row("large") }), ("odd", { let _: Int = try row("odd") }),
                ("missing", { let _: Int = try row("missing") }),
            ]
            for (column, attempt) in attempts {
                let error = #expect(throws: PostgresError.self) { try attempt() }
                #expect(error?.kind == .decoding)
                #expect(error?.description.contains(column) == true)
                #expect(error?.description.contains("hush") == false)
            }
        }
    }

    @Test func `four megabytes go there and back`() async throws {
        try await withDatabase { test in
            let bytes = (0..<(4 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31) }
            let row = try #require(try await test.database.rows(.house, "select \(bytes) as it").first)
            #expect(try row("it") == bytes)
        }
    }

    @Test func `BL-066: the zone of the database shifts no moment`() async throws {
        try await withDatabase { test in
            _ = try await test.asSuperuser("alter database \(name: test.name) set timezone = 'Asia/Kolkata'")
            let elsewhere = try test.anotherDatabase()
            let purchased = Moment(milliseconds: 1_781_524_800_123)
            try await elsewhere.execute(
                .house, "insert into tenants.tenants (slug, name, created_at) values ('a', 'A', \(purchased))")
            let row = try #require(
                try await elsewhere.rows(
                    .house,
                    """
                    select created_at, created_at::text as spelt, current_setting('timezone') as zone,
                           (extract(epoch from created_at) * 1000)::int8 as milliseconds,
                           created_at + \(Duration.seconds(43_200)) as deadline
                    from tenants.tenants
                    where tenant_id <> 0
                    """
                ).first)
            #expect(try row("created_at") == purchased)
            #expect(try row("milliseconds") == 1_781_524_800_123 as Int64)
            #expect(try row("deadline") == Moment(milliseconds: 1_781_524_800_123 + 43_200_000))
            #expect(try row("spelt") == "2026-06-15 12:00:00.123+00")
            #expect(try row("zone") == "UTC")
            await elsewhere.close()
        }
    }
}
