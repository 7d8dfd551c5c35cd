import Synchronization

/// The prepared answers of both environments, each list in order.
package final class Script: Sendable {
    private let answers = Mutex<[StoreEnvironment: [ScriptedAnswer]]>([:])

    package init() {}

    package func add(_ more: [ScriptedAnswer], in environment: StoreEnvironment) {
        answers.withLock { $0[environment, default: []] += more.filter { $0.times.map { $0 > 0 } ?? true } }
    }

    package func clear(_ environment: StoreEnvironment) { answers.withLock { $0[environment] = nil } }

    package func waiting(in environment: StoreEnvironment) -> [ScriptedAnswer] {
        answers.withLock { $0[environment] ?? [] }
    }

    /// The first prepared answer that is meant for a call; it is used up by as many calls as it says.
    func take(for method: String, _ path: String, in environment: StoreEnvironment) -> ScriptedAnswer? {
        answers.withLock { answers in
            guard let place = answers[environment]?.firstIndex(where: { $0.isMeant(for: method, path) }),
                let answer = answers[environment]?[place]
            else { return nil }
            if let times = answer.times {
                if times <= 1 {
                    answers[environment]?.remove(at: place)
                } else {
                    answers[environment]?[place].times = times - 1
                }
            }
            return answer
        }
    }
}
