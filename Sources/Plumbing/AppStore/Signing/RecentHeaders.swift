import Glibc
import Synchronization

/// The last few header texts under which a signature held, and their chains.
///
/// The three signed texts of a notification mostly have one header: comparing 5 kB costs less than
/// reading it. A text gets here after its signature held, so strangers cannot put one in.
final class RecentHeaders: Sendable {
    private static let max = 4

    private struct Entry {
        let text: [UInt8]
        let chain: TrustedChain
    }

    private let entries = Mutex<[Entry]>([])

    func chain(_ text: ArraySlice<UInt8>) -> TrustedChain? {
        entries.withLock { entries in
            entries.first { Self.equal($0.text, text) }?.chain
        }
    }

    func keep(_ text: ArraySlice<UInt8>, _ chain: TrustedChain) {
        entries.withLock { entries in
            guard !entries.contains(where: { Self.equal($0.text, text) }) else { return }
            if entries.count >= Self.max { entries.removeFirst() }
            entries.append(Entry(text: Array(text), chain: chain))
        }
    }

    /// Array's own comparison goes byte by byte.
    private static func equal(_ a: [UInt8], _ b: ArraySlice<UInt8>) -> Bool {
        guard a.count == b.count else { return false }
        return unsafe a.withUnsafeBytes { a in
            unsafe b.withUnsafeBytes { b in
                guard let left = a.baseAddress, let right = b.baseAddress else { return true }
                return unsafe memcmp(left, right, a.count) == 0
            }
        }
    }
}
