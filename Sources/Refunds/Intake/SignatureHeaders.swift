import Crypto
package import Postgres
import Synchronization

/// Certificate headers by number: public, long and the same for all, so one row for each leaf certificate.
///
/// Only headers of verified chains get a row, so strangers cannot fill the table.
package final class SignatureHeaders: Sendable {
    /// Apple changes its leaf certificate every year or two.
    private static let rememberedMax = 256

    private struct Memory {
        var numbers: [[UInt8]: Int32] = [:]
        var texts: [Int32: [UInt8]] = [:]
    }

    private let database: Database
    private let memory = Mutex(Memory())

    package init(database: Database) { self.database = database }

    /// The row of a header, made if there is none.
    ///
    /// - Parameter text: as it stands before the first dot of a signed text whose chain was verified.
    func number(of text: ArraySlice<UInt8>) async throws -> Int32 {
        let digest = Digest.sha256(text)
        if let known = memory.withLock({ $0.numbers[digest] }) { return known }
        let text = Array(text)
        var rows = try await database.rows(
            .intake,
            """
            insert into refunds.signature_headers (header_sha256, header)
            values (\(digest), \(text))
            on conflict (header_sha256) do nothing
            returning header_no
            """, within: .seconds(5))
        if rows.isEmpty {
            rows = try await database.rows(
                .intake, "select header_no from refunds.signature_headers where header_sha256 = \(digest)",
                within: .seconds(5))
        }
        guard let row = rows.first else { throw PostgresError(.misuse, "a signature header has no row") }
        let number: Int32 = try row("header_no")
        remember(number, text, digest)
        return number
    }

    /// The signed text of a stored notification, to the byte.
    package func text(of stored: StoredNotification) async throws -> [UInt8] {
        var headers: [Int32: [UInt8]] = [:]
        for number in Set(stored.headers) { headers[number] = try await text(number) }
        guard let text = stored.text(header: { headers[$0] }) else {
            throw PostgresError(.decoding, "a stored notification cannot be put together again")
        }
        return text
    }

    private func text(_ number: Int32) async throws -> [UInt8]? {
        if let known = memory.withLock({ $0.texts[number] }) { return known }
        let rows = try await database.rows(
            .intake, "select header, header_sha256 from refunds.signature_headers where header_no = \(number)")
        guard let row = rows.first else { return nil }
        let text: [UInt8] = try row("header")
        remember(number, text, try row("header_sha256"))
        return text
    }

    private func remember(_ number: Int32, _ text: [UInt8], _ digest: [UInt8]) {
        memory.withLock { memory in
            if memory.texts.count >= Self.rememberedMax { memory = Memory() }
            memory.numbers[digest] = number
            memory.texts[number] = text
        }
    }
}
