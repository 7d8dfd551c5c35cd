/// One open transaction on one connection; valid inside the closure it was handed to.
///
/// Statements are carried out in the order in which they were given. The first one travels together
/// with the opening of the transaction, so a transaction of one statement costs two round trips.
package struct Transaction: Sendable {
    package let scope: Scope
    let connection: Connection
    /// Which transaction of the connection this is: after its end the number is worth nothing.
    let number: Int

    /// The rows of a statement.
    package func rows(_ sql: SQL) async throws(PostgresError) -> [Row] {
        try await connection.run([sql], in: number)[0].rows
    }

    /// The one row of a statement, or nil.
    ///
    /// - Throws: `.misuse` where there are several.
    package func row(_ sql: SQL) async throws(PostgresError) -> Row? {
        let rows = try await rows(sql)
        guard rows.count <= 1 else {
            throw PostgresError(.misuse, "\(rows.count) rows where at most one was expected", statement: sql.text)
        }
        return rows.first
    }

    /// Carries out a statement and says how many rows it touched.
    @discardableResult
    package func execute(_ sql: SQL) async throws(PostgresError) -> Int {
        try await connection.run([sql], in: number)[0].affectedRows
    }

    /// Several statements in one round trip; the answers in the same order.
    ///
    /// The first failure ends the others: its error is thrown.
    package func pipeline(_ statements: [SQL]) async throws(PostgresError) -> [[Row]] {
        try await connection.run(statements, in: number).map(\.rows)
    }
}

extension Transaction {
    /// The last statements of the transaction and its commit in one round trip; the answers in the same order.
    ///
    /// What is decided by their answers comes too late: the rows that they change are to be locked before. Afterwards
    /// nothing may follow, and an error of the closure rolls nothing back.
    @discardableResult
    package func finish(with statements: [SQL]) async throws(PostgresError) -> [[Row]] {
        try await connection.run(statements, in: number, committing: true).map(\.rows)
    }
}

/// How much of what others commit meanwhile a transaction sees.
package enum Isolation: Sendable, Hashable {
    /// Each statement sees what was committed before it began.
    case readCommitted
    /// All statements see one moment; a change that clashes fails as `.serialization`.
    case repeatableRead
    /// The same, and nothing may be written.
    case readOnly

    var opening: SQL {
        switch self {
        case .readCommitted: "begin"
        case .repeatableRead: "begin isolation level repeatable read"
        case .readOnly: "begin isolation level repeatable read read only"
        }
    }
}
