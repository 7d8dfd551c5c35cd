import Schema

/// `refund-desk version`
enum VersionCommand {
    static let version = Command(
        CommandForm(words: ["version"], summary: "Version, commit and schema of this program.")
    ) { _, _ in try await answer() }

    static func answer() async throws -> Answer {
        let commit = Version.commit
        return Answer(
            [
                ("version", .text(Version.number)), ("commit", JSON(commit)),
                ("schema", .number(Int64(Version.schema))),
            ],
            text: "refund-desk \(Version.number), commit \(commit ?? "unknown"), schema \(Version.schema)")
    }
}
