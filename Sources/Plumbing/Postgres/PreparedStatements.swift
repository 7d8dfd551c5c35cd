/// Which statements a connection's server remembers, and under which names. Pure.
///
/// Bounded, because each costs memory on the server: the one that was not used for longest goes.
struct PreparedStatements {
    struct Key: Hashable {
        let text: String
        /// The same text with values of other types is another statement.
        let types: [UInt32]
    }

    struct Use: Equatable {
        let name: String
        /// It must be prepared first.
        let isNew: Bool
        /// The name of a statement that must be forgotten first.
        let stale: String?
    }

    private struct Entry {
        let name: String
        var lastUse: Int
    }

    private let countMax: Int
    private var entries: [Key: Entry] = [:]
    private var uses = 0
    private var names = 0

    init(countMax: Int) { self.countMax = countMax }

    mutating func use(_ key: Key) -> Use {
        uses += 1
        if let index = entries.index(forKey: key) {
            entries.values[index].lastUse = uses
            return Use(name: entries.values[index].name, isNew: false, stale: nil)
        }
        var stale: String?
        if entries.count >= countMax, let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse }) {
            entries[oldest.key] = nil
            stale = oldest.value.name
        }
        names += 1
        let name = "s\(names)"
        entries[key] = Entry(name: name, lastUse: uses)
        return Use(name: name, isNew: true, stale: stale)
    }

    /// The server did not take the statement after all.
    mutating func forget(_ key: Key) { entries[key] = nil }
}
