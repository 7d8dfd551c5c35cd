import Crypto
import Loop
import Postgres
import Tenants

/// `refund-desk master-key …`
enum MasterKeyCommand {
    static let new = Command(
        CommandForm(
            words: ["master-key", "new"],
            options: [.required("file", "PATH", "where to write it; an existing file is never touched")],
            summary: "Writes a new master key into a file that only its owner may read.")
    ) { arguments, _ in
        let path = arguments["file"]
        do throws(SecretReadError) {
            try MasterKeyring.newKeyText().write(toNewFile: path)
        } catch {
            throw Failure("\(path) could not be written: \(error)")
        }
        return Answer(
            [("file", .text(path))],
            text: """
                Wrote a new master key to \(path). Keep a copy apart from the database's backups.
                Next: REFUND_DESK_MASTER_KEY_FILE=\(path)
                """)
    }

    static let rotate = Command(
        CommandForm(
            words: ["master-key", "rotate"],
            summary:
                "Seals every secret with the newest master key. Online; may be stopped, and goes on when repeated.")
    ) { _, surroundings in
        try await House.open(surroundings) { house in
            // On standard error: standard output is one answer.
            let report = try await house.vault.rotate { report, total in
                StandardStreams.complain(
                    "\(min(report.seen, total)) of \(total) looked at, \(report.rewrapped) sealed anew")
            }
            let left = try await house.database.transaction(.house) { tx in
                try await house.vault.sealedWithOlderKeys(in: tx)
            }
            return Answer(
                [
                    ("rewrapped", .number(Int64(report.rewrapped))), ("unreadable", .number(Int64(report.unreadable))),
                    ("left", .number(Int64(left))),
                ],
                text: """
                    Sealed anew: \(report.rewrapped). Unreadable: \(report.unreadable). Still with an older key: \(left).
                    \(left == 0 ? "The older keys may be removed from REFUND_DESK_MASTER_KEY." : "Keep the older keys, and see the lines above.")
                    """,
                isGood: left == 0)
        }
    }
}
