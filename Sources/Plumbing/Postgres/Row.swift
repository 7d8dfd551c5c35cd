/// One row of an answer; columns are read by their name.
///
/// `let id: UUID = try row("case_id")`; a column that may be null is read as an optional.
package struct Row: Sendable {
    let result: ResultHandle
    let index: Int

    /// Reads a column.
    ///
    /// - Throws: `.decoding` where there is no such column, or it is null or of a type that `T`
    ///   does not read. The error names column and type, never the value.
    package func callAsFunction<T: SQLValue>(_ column: String) throws(PostgresError) -> T {
        guard let position = result.columns.firstIndex(where: { $0.name == column }) else {
            throw PostgresError(.decoding, "the answer has no column \(column)")
        }
        return try read(position, as: T.self)
    }

    /// Reads the column at a position, counted from 0.
    package subscript<T: SQLValue>(position: Int) -> T {
        get throws(PostgresError) {
            guard result.columns.indices.contains(position) else {
                throw PostgresError(.decoding, "the answer has no column number \(position)")
            }
            return try read(position, as: T.self)
        }
    }

    private func read<T: SQLValue>(_ position: Int, as: T.Type) throws(PostgresError) -> T {
        let (name, type) = result.columns[position]
        do throws(DecodingTrouble) {
            return try result.withValue(row: index, column: position) { bytes throws(DecodingTrouble) in
                try T.decode(bytes, type: type)
            }
        } catch {
            let why =
                switch error {
                case .null: "is null"
                case .type(let type): "has type \(type.oid), which does not fit"
                case .value: "holds a value that does not fit"
                }
            throw PostgresError(.decoding, "column \(name), read as \(T.self), \(why)")
        }
    }
}
