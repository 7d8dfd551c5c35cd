import Journal
import Loop
import Postgres
import Schema

/// `refund-desk migrate`
enum MigrateCommand {
    static let migrate = Command(
        CommandForm(words: ["migrate"], summary: "Brings the database's schema up to date. May run while others serve.")
    ) { _, surroundings in
        let configuration = try surroundings.configuration()
        let journal = Journal.standardError(level: max(.warning, configuration.log))
        let loops = EventLoops(count: 1, journal: journal, counters: Counters())
        let report = try await Schema.migrator(on: loops.all[0], journal: journal)
            .migrate(configuration.databaseURL.reveal())
        return Answer(
            [
                ("from", .number(Int64(report.from))), ("to", .number(Int64(report.to))),
                ("applied", .list(report.applied.map { .text($0) })),
            ],
            text: report.applied.isEmpty
                ? "The schema is up to date (\(report.to))."
                : "Applied \(report.applied.joined(separator: ", ")). The schema is now \(report.to).")
    }
}
