import HTTP
import Synchronization

/// A file of values that is read from the database page by page while it is sent: each page is a transaction of its own,
/// and only one is in memory.
struct CSVDownload<Cursor: Sendable>: Sendable {
    typealias Page = (rows: [[CSVCell]], next: Cursor?)

    /// With its ending.
    let fileName: String
    let form: CSVForm
    let columns: [String]
    /// Reads the page behind a cursor; nil is the first one.
    let page: @Sendable (Cursor?) async throws -> Page

    private enum Place: Sendable {
        case ready([UInt8], next: Cursor?)
        case behind(Cursor)
        case end
    }

    /// Reads the first page before it answers: what goes wrong there is still answered as trouble. What goes wrong later
    /// breaks the file off, so that nobody takes the half for the whole.
    func response() async throws -> Response {
        let first = try await page(nil)
        var bytes: [UInt8] = form == .spreadsheet ? [0xEF, 0xBB, 0xBF] : []
        bytes += CSV.line(columns.map { .text($0) }, form)
        bytes += lines(first.rows)
        let place = Position(Place.ready(bytes, next: first.next))
        return Response(
            .ok,
            headers: [
                "Content-Type": CSV.type, "Content-Disposition": "attachment; filename=\"\(fileName)\"",
            ],
            body: .stream {
                switch place.take(leaving: .end) {
                case .ready(let bytes, let next):
                    if let next { place.put(.behind(next)) }
                    return bytes
                case .behind(let cursor):
                    let page = try await page(cursor)
                    if let next = page.next { place.put(.behind(next)) }
                    return page.rows.isEmpty ? nil : lines(page.rows)
                case .end: return nil
                }
            })
    }

    private func lines(_ rows: [[CSVCell]]) -> [UInt8] { rows.flatMap { CSV.line($0, form) } }

    private final class Position: Sendable {
        private let place: Mutex<Place>
        init(_ place: Place) { self.place = Mutex(place) }
        func put(_ new: Place) { place.withLock { $0 = new } }
        func take(leaving rest: Place) -> Place {
            place.withLock { place in
                let taken = place
                place = rest
                return taken
            }
        }
    }
}
