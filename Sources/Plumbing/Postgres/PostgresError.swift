import CPostgres

/// What went wrong with the database, and what may be done about it.
///
/// The description names SQLSTATE, kind, constraint and statement, and never a value: PostgreSQL's
/// own message and detail may quote values and stand in `fullDescription` alone.
package struct PostgresError: Error, Sendable {
    package enum Kind: Sendable, Hashable {
        /// Not connected, the pool is full, or the connection was lost. Nothing is said about whether
        /// a statement under way was carried out: see `outcomeIsUnknown`.
        case unavailable
        /// It took longer than it was given.
        case timeout
        /// The task that asked was cancelled.
        case cancelled
        /// SQLSTATE class 23; the name of the constraint where the server told it.
        case constraint(String)
        /// SQLSTATE class 22: a value that the column cannot hold.
        case data
        /// Two transactions stood in each other's way (40001, 40P01): once more from the start.
        case serialization
        /// SQLSTATE class 42 without 42501: the statement is wrong, or the schema is another one.
        case syntax
        /// 42501: the role may not do this, or row security refused the row.
        case denied
        /// A column is missing, null, or of another type than the Swift side wants.
        case decoding
        /// Wrong use by the caller: a transaction after its end, two rows where one was wanted.
        case misuse
        /// Any other answer of the server.
        case other
    }

    package let kind: Kind
    /// The five characters of the server's answer; nil where the server said nothing.
    package let sqlState: String?
    /// In our words; no values.
    package let text: String
    /// The statement's text, whose binds are `$1`, `$2`, ….
    package let statement: String?
    /// The server's own message and detail; may quote values.
    private let serverText: String?
    /// Whether the statement or the commit may have been carried out all the same.
    package let outcomeIsUnknown: Bool

    package init(
        _ kind: Kind, _ text: String, sqlState: String? = nil, statement: String? = nil,
        serverText: String? = nil, outcomeIsUnknown: Bool = false
    ) {
        self.kind = kind
        self.text = text
        self.sqlState = sqlState
        self.statement = statement
        self.serverText = serverText
        self.outcomeIsUnknown = outcomeIsUnknown
    }

    /// Whether the same transaction, begun anew, may succeed.
    package var isRetryable: Bool {
        switch kind {
        case .unavailable, .timeout, .serialization: true
        default: false
        }
    }

    /// Whether the violated constraint has this name.
    package func violates(_ constraint: String) -> Bool { kind == .constraint(constraint) }

    /// Everything that is known, values included: never for the journal.
    package var fullDescription: String {
        description + (serverText.map { " [\($0)]" } ?? "")
    }

    /// From an answer of the server.
    init(result: OpaquePointer, statement: String?) {
        func field(_ code: Unicode.Scalar) -> String? {
            unsafe PQresultErrorField(result, CInt(code.value)).map { unsafe String(cString: $0) }
        }
        // Only the server's own answers have one. Without it libpq speaks, of a connection that is lost.
        guard let sqlState = field("C") else {
            self.init(.unavailable, "the connection to the server was lost", statement: statement)
            return
        }
        let (message, constraint) = (field("M") ?? "", field("n"))
        let kind = Self.kind(sqlState: sqlState, constraint: constraint)
        let text =
            if let constraint {
                "the server refused a row, by \(constraint)"
            } else if Self.quotesNoValues.contains(String(sqlState.prefix(2))) {
                "the server says: \(message)"
            } else {
                "the server refused a statement"
            }
        self.init(
            kind, text, sqlState: sqlState, statement: statement,
            serverText: [message, field("D")].compactMap { $0 }.joined(separator: "; "))
    }

    /// Classes of SQLSTATE whose messages name tables, columns, roles and limits, never a value.
    private static let quotesNoValues: Set<String> = [
        "08", "0A", "25", "26", "28", "3D", "3F", "40", "42", "53", "54", "55", "57", "58",
    ]

    var withUnknownOutcome: PostgresError {
        PostgresError(
            kind, text, sqlState: sqlState, statement: statement, serverText: serverText, outcomeIsUnknown: true)
    }

    /// Whether the connection is of no further use: the server ends it, or remembers other
    /// statements than we do (after a change of the schema, or behind a pooler).
    var endsConnection: Bool {
        guard let sqlState else { return true }
        if sqlState == "57014" { return false }
        return ["08", "57", "26"].contains(sqlState.prefix(2)) || ["0A000", "25P03", "42P05"].contains(sqlState)
    }

    /// The kind that belongs to an SQLSTATE.
    static func kind(sqlState: String, constraint: String?) -> Kind {
        switch sqlState {
        case "40001", "40P01": return .serialization
        case "42501": return .denied
        // The server's statement time-out, its lock time-out, and its patience with an idle transaction.
        case "57014", "55P03", "25P03": return .timeout
        case "57P01", "57P02", "57P03", "57P05", "53300": return .unavailable
        default: break
        }
        switch sqlState.prefix(2) {
        case "08": return .unavailable
        case "22": return .data
        case "23": return .constraint(constraint ?? "")
        case "42": return .syntax
        default: return .other
        }
    }
}

extension PostgresError: CustomStringConvertible {
    package var description: String {
        var out = text
        if let sqlState { out += " (SQLSTATE \(sqlState))" }
        if outcomeIsUnknown { out += "; it may have been carried out" }
        if let statement { out += " in: \(Self.shortened(statement))" }
        return out
    }

    private static func shortened(_ statement: String) -> String {
        let line = statement.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return line.count <= 300 ? line : String(line.prefix(300)) + "…"
    }
}
