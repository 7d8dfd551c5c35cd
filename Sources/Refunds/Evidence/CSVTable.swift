/// A file of comma-separated values, read strictly (RFC 4180): UTF-8, a header, quotation marks doubled inside quotation
/// marks. A file with semicolons, as spreadsheets of some countries write them, is read as well.
struct CSVTable: Sendable, Hashable {
    struct Row: Sendable, Hashable {
        /// Where it begins in the file, from 1.
        let line: Int
        let cells: [String]
    }

    let header: [String]
    let rows: [Row]

    enum Trouble: Error, Hashable, CustomStringConvertible {
        case noText
        case noHeader
        case openQuotation(line: Int)
        case strayQuotation(line: Int)
        case tooManyRows(max: Int)

        var description: String {
            switch self {
            case .noText: "the file is no text in UTF-8"
            case .noHeader: "the file has no header: its first line names the columns"
            case .openQuotation(let line): "a quotation mark in line \(line) is never closed"
            case .strayQuotation(let line): "in line \(line) a quotation mark stands where none may stand"
            case .tooManyRows(let max): "the file has more than \(max) rows"
            }
        }
    }

    /// - Throws: `Trouble`, for the file as a whole.
    init(_ bytes: some Sequence<UInt8>, rowsMax: Int) throws(Trouble) {
        var bytes = Array(bytes)
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes.removeFirst(3) }
        guard let text = String(validating: bytes, as: UTF8.self), !bytes.contains(0) else { throw .noText }
        let firstLine = text.utf8.prefix { $0 != 0x0A && $0 != 0x0D }
        let separator: UInt8 = firstLine.contains(0x3B) && !firstLine.contains(0x2C) ? 0x3B : 0x2C
        var rows = try Self.rows(bytes, separator, rowsMax: rowsMax + 1)
        guard let first = rows.first, first.cells.contains(where: { !$0.isEmpty }) else { throw .noHeader }
        rows.removeFirst()
        header = first.cells.map(Self.trimmed)
        self.rows = rows
    }

    private static func rows(_ bytes: [UInt8], _ separator: UInt8, rowsMax: Int) throws(Trouble) -> [Row] {
        var rows: [Row] = []
        var (cells, cell): ([String], [UInt8]) = ([], [])
        var (line, begin, at) = (1, 1, 0)
        // Where a quotation began; and that one has just ended, so that only a separator may follow.
        var (opened, isClosed): (Int?, Bool) = (nil, false)
        func end(_ rows: inout [Row]) throws(Trouble) {
            cells.append(String(decoding: cell, as: UTF8.self))
            if cells != [""] {
                guard rows.count < rowsMax else { throw .tooManyRows(max: rowsMax - 1) }
                rows.append(Row(line: begin, cells: cells))
            }
            (cells, cell, isClosed) = ([], [], false)
        }
        while at < bytes.count {
            let byte = bytes[at]
            at += 1
            if opened != nil {
                if byte == 0x22 {
                    if at < bytes.count, bytes[at] == 0x22 {
                        cell.append(0x22)
                        at += 1
                    } else {
                        (opened, isClosed) = (nil, true)
                    }
                } else {
                    if byte == 0x0A { line += 1 }
                    cell.append(byte)
                }
                continue
            }
            switch byte {
            case separator:
                cells.append(String(decoding: cell, as: UTF8.self))
                (cell, isClosed) = ([], false)
            case 0x0D, 0x0A:
                if byte == 0x0D, at < bytes.count, bytes[at] == 0x0A { at += 1 }
                try end(&rows)
                line += 1
                begin = line
            case 0x22:
                guard cell.isEmpty, !isClosed else { throw .strayQuotation(line: line) }
                opened = line
            default:
                guard !isClosed else { throw .strayQuotation(line: line) }
                cell.append(byte)
            }
        }
        if let opened { throw .openQuotation(line: opened) }
        if !cell.isEmpty || !cells.isEmpty || isClosed { try end(&rows) }
        return rows
    }

    static func trimmed(_ cell: String) -> String {
        var text = cell[...]
        while text.first == " " || text.first == "\t" { text.removeFirst() }
        while text.last == " " || text.last == "\t" { text.removeLast() }
        return String(text)
    }
}
