import CPostgres

/// One result of the server, freed when the last row that points into it is gone.
///
/// Immutable once it exists, and libpq only reads it: that is what makes sharing it safe.
@safe final class ResultHandle: @unchecked Sendable {
    private let result: OpaquePointer
    let rowCount: Int
    /// The columns' names and types, in the order of the statement.
    let columns: [(name: String, type: SQLType)]

    /// Takes over `result`.
    init(_ result: OpaquePointer) {
        unsafe self.result = result
        rowCount = Int(unsafe PQntuples(result))
        columns = (0..<(unsafe PQnfields(result))).map { index in
            (
                unsafe PQfname(result, index).map { unsafe String(cString: $0) } ?? "",
                SQLType(oid: unsafe PQftype(result, index))
            )
        }
    }

    deinit { unsafe PQclear(result) }

    /// Lends the binary form of a column to `read`; nil for null.
    func withValue<R>(
        row: Int, column: Int, _ read: (RawSpan?) throws(DecodingTrouble) -> R
    ) throws(DecodingTrouble) -> R {
        precondition(row >= 0 && row < rowCount && columns.indices.contains(column), "no such row or column")
        let (row, column) = (CInt(row), CInt(column))
        if unsafe PQgetisnull(result, row, column) != 0 { return try read(nil) }
        let length = Int(unsafe PQgetlength(result, row, column))
        let bytes = unsafe UnsafeRawBufferPointer(start: PQgetvalue(result, row, column), count: length)
        return try read(unsafe RawSpan(_unsafeBytes: bytes))
    }

    /// The rows that an insert, update or delete touched, or a select returned.
    var affectedRows: Int {
        unsafe PQcmdTuples(result).flatMap { unsafe Int(String(cString: $0)) } ?? 0
    }

    /// `COMMIT`, `INSERT 0 1`, …
    var commandTag: String { unsafe PQcmdStatus(result).map { unsafe String(cString: $0) } ?? "" }

    var rows: [Row] { (0..<rowCount).map { Row(result: self, index: $0) } }
}
