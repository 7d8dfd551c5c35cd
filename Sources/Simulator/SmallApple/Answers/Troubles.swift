import Synchronization

/// The 429 and 500 answers that a healthy client meets now and then.
///
/// Never more than two in a row for one path, so that patience always pays.
final class Troubles: Sendable {
    enum Trouble {
        case rateLimited(milliseconds: Int64)
        case internalError
    }

    private struct Count {
        var calls = 0
        var inARow = 0
    }

    static let inARowMax = 2
    /// Paths that are remembered; beyond it counting starts anew.
    private static let pathsMax = 100_000

    private let counts = Mutex<[String: Count]>([:])

    func next(_ path: String, chance: Chance) -> Trouble? {
        counts.withLock { counts in
            if counts.count > Self.pathsMax { counts = [:] }
            var count = counts[path] ?? Count()
            defer { counts[path] = count }
            count.calls += 1
            var stream = chance.stream("trouble", "\(path) \(count.calls)")
            let fate = Double.random(in: 0..<1, using: &stream)
            guard count.inARow < Self.inARowMax, fate < 0.12 else {
                count.inARow = 0
                return nil
            }
            count.inARow += 1
            return fate < 0.06
                ? .rateLimited(milliseconds: Int64.random(in: 500...3000, using: &stream)) : .internalError
        }
    }
}
