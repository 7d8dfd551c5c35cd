import Glibc
package import Time

/// Log lines: one JSON object a line, on standard error unless a test collects them.
///
/// A line says what was tried, for whom and what came of it. It never carries bodies, keys, tokens
/// or cookies: fields that could are wrapped in `Redacted`, which has no way to print its content.
package struct Journal: Sendable {
    package enum Level: Int, Sendable, Comparable, CaseIterable {
        case debug, info, warning, error

        package init?(name: String) {
            guard let level = Level.allCases.first(where: { "\($0)" == name }) else { return nil }
            self = level
        }
        package static func < (a: Level, b: Level) -> Bool { a.rawValue < b.rawValue }
    }

    private let level: Level
    private let clock: WallClock
    private let write: @Sendable (String) -> Void
    private let context: [(String, JournalValue)]

    /// - Parameter write: takes one line without its line end; called on any thread.
    package init(level: Level, clock: WallClock = .system, write: @escaping @Sendable (String) -> Void) {
        self.init(level: level, clock: clock, context: [], write: write)
    }

    private init(
        level: Level, clock: WallClock, context: [(String, JournalValue)],
        write: @escaping @Sendable (String) -> Void
    ) {
        self.level = level
        self.clock = clock
        self.context = context
        self.write = write
    }

    /// Lines on standard error, each written whole.
    package static func standardError(level: Level) -> Journal {
        Journal(level: level) { line in
            var bytes = Array(line.utf8)
            bytes.append(0x0A)
            unsafe bytes.withUnsafeBytes { raw in
                var sent = 0
                while sent < raw.count {
                    let n = unsafe Glibc.write(2, raw.baseAddress! + sent, raw.count - sent)
                    if n <= 0 { return }
                    sent += n
                }
            }
        }
    }

    /// For tests that do not look at the journal.
    package static let silent = Journal(level: .error) { _ in }

    /// The same journal with fields that every line repeats.
    package func with(_ fields: KeyValuePairs<String, JournalValue>) -> Journal {
        Journal(
            level: level, clock: clock, context: context + fields.map { ($0.key, $0.value) },
            write: write)
    }

    package func debug(_ text: String, _ fields: KeyValuePairs<String, JournalValue> = [:]) {
        log(.debug, text, fields)
    }
    package func info(_ text: String, _ fields: KeyValuePairs<String, JournalValue> = [:]) { log(.info, text, fields) }
    package func warning(_ text: String, _ fields: KeyValuePairs<String, JournalValue> = [:]) {
        log(.warning, text, fields)
    }
    package func error(_ text: String, _ fields: KeyValuePairs<String, JournalValue> = [:]) {
        log(.error, text, fields)
    }

    package func isOn(_ level: Level) -> Bool { level >= self.level }

    private func log(_ level: Level, _ text: String, _ fields: KeyValuePairs<String, JournalValue>) {
        guard isOn(level) else { return }
        var line = "{\"time\":\"\(clock.now.iso8601)\",\"level\":\"\(level)\",\"text\":"
        JournalValue.string(text).append(to: &line)
        for (name, value) in context { append(name, value, to: &line) }
        for (name, value) in fields { append(name, value, to: &line) }
        line += "}"
        write(line)
    }

    private func append(_ name: String, _ value: JournalValue, to line: inout String) {
        line += ","
        JournalValue.string(name).append(to: &line)
        line += ":"
        value.append(to: &line)
    }
}
