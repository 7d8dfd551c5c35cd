/// A table whose rows become cards on narrow screens; each value then carries its column's name.
struct DataTable<Row> {
    struct Column {
        let name: String
        let isNumber: Bool
        let cell: (Row) -> HTML

        init(_ name: String, isNumber: Bool = false, @HTMLBuilder _ cell: @escaping (Row) -> HTML) {
            self.name = name
            self.isNumber = isNumber
            self.cell = cell
        }
    }

    /// What the table holds, for those who listen.
    let caption: String
    let columns: [Column]
    let rows: [Row]

    var html: HTML {
        table(.class("table")) {
            Web.caption(.class("unseen")) { caption }
            thead {
                tr {
                    for column in columns {
                        th(.scope("col"), .class(column.isNumber ? "table-number" : "table-text")) { column.name }
                    }
                }
            }
            tbody {
                for row in rows {
                    tr(.class("table-row")) {
                        for column in columns {
                            td(.column(column.name), .class(column.isNumber ? "table-number" : "table-text")) {
                                column.cell(row)
                            }
                        }
                    }
                }
            }
        }
    }
}
