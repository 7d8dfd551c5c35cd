/// Lines of a list for people: columns under their names, as wide as what stands in them.
struct TextTable {
    private var lines: [[String]]

    init(_ columns: String..., rows: [[String]]) { lines = [columns] + rows }

    var text: String {
        let widths = (lines.first ?? []).indices.map { column in
            lines.map { $0.indices.contains(column) ? $0[column].count : 0 }.max() ?? 0
        }
        return lines.map { line in
            let cells = zip(line, widths).map { cell, width in
                cell + String(repeating: " ", count: max(0, width - cell.count))
            }
            var text = cells.joined(separator: "  ")
            while text.last == " " { text.removeLast() }
            return text
        }.joined(separator: "\n")
    }
}
