import Synchronization

/// Ids of requests: a random part for this process and a number. Unique, not secret.
final class RequestIDs: Sendable {
    private let prefix: String
    private let count = Atomic<UInt64>(0)

    init() { prefix = String(UInt64.random(in: .min ... .max) | 1 << 63, radix: 36) + "-" }

    func next() -> String {
        prefix + String(count.wrappingAdd(1, ordering: .relaxed).newValue, radix: 36)
    }
}
