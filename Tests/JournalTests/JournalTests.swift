import Journal
import Synchronization
import Testing
import Time

@Suite struct `Journal lines` {
    private final class Lines: Sendable {
        let all = Mutex<[String]>([])
        var text: String { all.withLock { $0.joined(separator: "\n") } }
    }

    private func journal(_ lines: Lines, level: Journal.Level = .debug) -> Journal {
        Journal(level: level, clock: WallClock { Moment(milliseconds: 1_781_524_800_123) }) { line in
            lines.all.withLock { $0.append(line) }
        }
    }

    @Test func `a line is one JSON object with the time in milliseconds`() {
        let lines = Lines()
        journal(lines).info("stored", ["n": 3, "ok": true])
        #expect(
            lines.text
                == #"{"time":"2026-06-15T12:00:00.123Z","level":"info","text":"stored","n":3,"ok":true}"#)
    }

    @Test func `a line end or control character in a value cannot start a second line`() {
        let lines = Lines()
        journal(lines).warning("a\nb", ["agent": "x\u{1B}[31m\u{2028}\"\\"])
        #expect(lines.text.contains(#"a\nb"#))
        #expect(lines.text.contains(#"x\u001b[31m\u2028\"\\"#))
        #expect(!lines.text.contains("\n"))
    }

    @Test func `lines below the level are not written`() {
        let lines = Lines()
        journal(lines, level: .warning).info("quiet")
        #expect(lines.text.isEmpty)
    }

    @Test func `a redacted value shows nothing of itself`() {
        let secret = Redacted("hunter2")
        #expect(
            "\(secret) \(String(reflecting: secret)) \(String(describing: Optional(secret)))".contains("hunter2")
                == false)
        #expect(secret.reveal() == "hunter2")
    }
}

@Suite struct `Counters as text` {
    @Test func `counters gauges and histograms print in Prometheus form`() {
        let counters = Counters()
        counters.add("n_total", 2, ["type": "a\"b"], help: "How many.")
        counters.set("age", 1.5)
        counters.observe("took_seconds", .milliseconds(3))
        let text = counters.text()
        #expect(text.contains("# HELP n_total How many.\n# TYPE n_total counter\nn_total{type=\"a\\\"b\"} 2\n"))
        #expect(text.contains("age 1.5\n"))
        #expect(text.contains("took_seconds_bucket{le=\"0.0025\"} 0\n"))
        #expect(text.contains("took_seconds_bucket{le=\"0.005\"} 1\n"))
        #expect(text.contains("took_seconds_count 1\n"))
    }

    @Test func `a family stops growing at its bound`() {
        let counters = Counters()
        for n in 0..<1500 { counters.add("n_total", 1, ["id": "\(n)"]) }
        #expect(counters.value("n_total", ["id": "999"]) == 1)
        #expect(counters.value("n_total", ["id": "1000"]) == 0)
    }
}

@Suite struct `Moments` {
    @Test(arguments: [
        (1_781_524_800_123, "2026-06-15T12:00:00.123Z"), (0, "1970-01-01T00:00:00.000Z"),
        (-1, "1969-12-31T23:59:59.999Z"), (951_782_400_000, "2000-02-29T00:00:00.000Z"),
        (4_102_444_799_999, "2099-12-31T23:59:59.999Z"),
    ])
    func `print as ISO 8601 to the millisecond`(ms: Int64, text: String) {
        #expect(Moment(milliseconds: ms).iso8601 == text)
    }

    @Test func `read a date and refuse one that does not exist`() {
        #expect(Moment(date: "2026-06-15") == Moment(milliseconds: 1_781_481_600_000))
        for bad in ["2026-02-30", "2026-6-15", "2026-13-01", "26-06-15", "2026-06-15T", "+026-06-15"] {
            #expect(Moment(date: bad) == nil)
        }
    }

    @Test func `seconds round down before 1970 too`() {
        #expect(Moment(milliseconds: -1).seconds == -1)
        #expect(Moment(milliseconds: 1999).seconds == 1)
    }
}
