import Crypto
import Foundation
import Support

/// A database, a master key and the program's own command line, for one test.
struct Desk: Sendable {
    let database: TestDatabase
    let folder: String
    var environment: [String: String]

    /// Runs `refund-desk` to its end with these settings and no others.
    static func program(
        _ words: [String], environment: [String: String] = [:], input: String = ""
    ) async throws -> OutsideProgram.Outcome {
        try await OutsideProgram.run(
            OutsideProgram.path("refund-desk"), words, environment: environment, input: input)
    }

    /// Runs `refund-desk` to its end.
    func run(_ words: String..., input: String = "") async throws -> OutsideProgram.Outcome {
        try await Self.program(words, environment: environment, input: input)
    }

    /// Runs an administrative command with `--json` and returns its object.
    func answer(_ words: String..., input: String = "") async throws -> [String: Any] {
        let finished = try await Self.program(words + ["--json"], environment: environment, input: input)
        guard finished.status == 0 else { throw CommandFailed(words: words, finished: finished) }
        let object = try JSONSerialization.jsonObject(with: Data(finished.output.utf8)) as? [String: Any]
        return try object ?? { throw CommandFailed(words: words, finished: finished) }()
    }

    func file(_ name: String, _ text: String) throws -> String {
        let path = folder + "/" + name
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        return path
    }

    struct CommandFailed: Error, CustomStringConvertible {
        let words: [String]
        let finished: OutsideProgram.Outcome
        var description: String { "\(words) ended with \(finished.status): \(finished.error)" }
    }
}

func withDesk(_ body: (Desk) async throws -> Void) async throws {
    try await withDatabase { database in
        let folder = "/tmp/desk test \(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let key = folder + "/master.key"
        let made = try await Desk.program(["master-key", "new", "--file", key])
        guard made.status == 0 else { throw Desk.CommandFailed(words: ["master-key"], finished: made) }
        try await body(
            Desk(
                database: database, folder: folder,
                environment: [
                    "DATABASE_URL": database.url, "REFUND_DESK_MASTER_KEY_FILE": key,
                    "REFUND_DESK_PUBLIC_URL": "https://desk.example", "REFUND_DESK_LISTEN": "127.0.0.1:0",
                ]))
    }
}
