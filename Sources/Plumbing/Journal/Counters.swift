import Synchronization

/// Counts and timings, in the text form that Prometheus reads.
///
/// Labels are bounded sets (route pattern, type, outcome, reason): never an id.
package final class Counters: Sendable {
    package typealias Labels = [String: String]

    private struct Family {
        var kind: String
        var help: String
        var values: [Labels: Double] = [:]
        var histograms: [Labels: Histogram] = [:]
    }

    private struct Histogram {
        var counts = [UInt64](repeating: 0, count: Counters.boundsSeconds.count + 1)
        var sum = 0.0

        mutating func add(_ seconds: Double, bucket: Int) {
            counts[bucket] += 1
            sum += seconds
        }
    }

    /// Upper bounds of the histogram's buckets, in seconds.
    static let boundsSeconds: [Double] = [
        0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30,
    ]
    /// A family with more label sets than this stops growing: a label that holds an id is a fault,
    /// and must not become a leak.
    static let labelSetsMax = 1000

    private let families = Mutex<[String: Family]>([:])

    package init() {}

    /// Adds to a counter. Names end in `_total`.
    package func add(_ name: String, _ amount: Double = 1, _ labels: Labels = [:], help: String = "") {
        change(name, kind: "counter", help: help) { family in
            guard family.values[labels] != nil || family.values.count < Self.labelSetsMax else { return }
            family.values[labels, default: 0] += amount
        }
    }

    /// Sets a gauge.
    package func set(_ name: String, _ value: Double, _ labels: Labels = [:], help: String = "") {
        change(name, kind: "gauge", help: help) { family in
            guard family.values[labels] != nil || family.values.count < Self.labelSetsMax else { return }
            family.values[labels] = value
        }
    }

    /// Adds a duration to a histogram. Names end in `_seconds`.
    package func observe(_ name: String, _ duration: Duration, _ labels: Labels = [:], help: String = "") {
        let (whole, fraction) = duration.components
        let seconds = Double(whole) + Double(fraction) / 1e18
        change(name, kind: "histogram", help: help) { family in
            guard family.histograms[labels] != nil || family.histograms.count < Self.labelSetsMax else { return }
            let bucket = Self.boundsSeconds.firstIndex { seconds <= $0 } ?? Self.boundsSeconds.count
            family.histograms[labels, default: Histogram()].add(seconds, bucket: bucket)
        }
    }

    /// The present value of a counter or gauge; 0 where nothing was counted.
    package func value(_ name: String, _ labels: Labels = [:]) -> Double {
        families.withLock { $0[name]?.values[labels] ?? 0 }
    }

    /// Prometheus text exposition format, version 0.0.4.
    package func text() -> String {
        let families = families.withLock { $0 }
        var out = ""
        for name in families.keys.sorted() {
            guard let family = families[name] else { continue }
            if !family.help.isEmpty { out += "# HELP \(name) \(family.help)\n" }
            out += "# TYPE \(name) \(family.kind)\n"
            for (labels, value) in family.values.sorted(by: { Self.text($0.key) < Self.text($1.key) }) {
                out += "\(name)\(Self.text(labels)) \(Self.text(value))\n"
            }
            for (labels, histogram) in family.histograms.sorted(by: { Self.text($0.key) < Self.text($1.key) }) {
                var total: UInt64 = 0
                for (bound, count) in zip(Self.boundsSeconds.map { "\($0)" } + ["+Inf"], histogram.counts) {
                    total += count
                    out += "\(name)_bucket\(Self.text(labels.merging(["le": bound]) { $1 })) \(total)\n"
                }
                out += "\(name)_sum\(Self.text(labels)) \(histogram.sum)\n"
                out += "\(name)_count\(Self.text(labels)) \(total)\n"
            }
        }
        return out
    }

    private func change(_ name: String, kind: String, help: String, _ body: (inout Family) -> Void) {
        families.withLock { families in
            // In place: a copy of a family would copy all its label sets.
            body(&families[name, default: Family(kind: kind, help: help)])
        }
    }

    private static func text(_ value: Double) -> String {
        value == value.rounded() && abs(value) < 1e15 ? String(Int64(value)) : String(value)
    }

    private static func text(_ labels: Labels) -> String {
        guard !labels.isEmpty else { return "" }
        let pairs = labels.sorted { $0.key < $1.key }.map { name, value in
            var escaped = ""
            for character in value {
                switch character {
                case "\\": escaped += "\\\\"
                case "\"": escaped += "\\\""
                case "\n": escaped += "\\n"
                default: escaped.append(character)
                }
            }
            return "\(name)=\"\(escaped)\""
        }
        return "{" + pairs.joined(separator: ",") + "}"
    }
}
