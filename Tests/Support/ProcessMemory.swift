import Glibc

/// Looks for bytes in the memory of another process: one that this one started, or any for the superuser.
package enum ProcessMemory {
    package struct Unreadable: Error, CustomStringConvertible {
        package let description: String
    }

    private static let windowBytes = 4 << 20

    /// How often each of `needles` stands in memory that the process may write to, its stacks and heaps among it.
    ///
    /// The process goes on meanwhile: regions that vanish are passed over.
    package static func count(of needles: [[UInt8]], in process: Int32) throws -> [Int] {
        let memory = unsafe open("/proc/\(process)/mem", O_RDONLY | O_CLOEXEC)
        guard memory >= 0 else {
            throw Unreadable(description: "the memory of process \(process) cannot be opened: \(errno)")
        }
        defer { close(memory) }
        let overlap = (needles.map(\.count).max() ?? 1) - 1
        var found = needles.map { _ in 0 }
        var read = 0
        var window = [UInt8](repeating: 0, count: windowBytes)
        for region in try regions(of: process) {
            var at = region.lowerBound
            while at < region.upperBound {
                let wanted = min(Int(region.upperBound - at), windowBytes)
                let got = unsafe pread(memory, &window, wanted, off_t(at))
                guard got > 0 else { break }
                read += got
                for (index, needle) in needles.enumerated() {
                    found[index] += occurrences(of: needle, in: window, count: got)
                }
                guard got == windowBytes, at + UInt(got) < region.upperBound else { break }
                at += UInt(got - overlap)
            }
        }
        guard read > 0 else {
            throw Unreadable(description: "nothing of the memory of process \(process) could be read")
        }
        return found
    }

    private static func occurrences(of needle: [UInt8], in window: [UInt8], count: Int) -> Int {
        // Memory is full of zeros: what is looked for first is a byte that is rarer.
        let anchor = needle.firstIndex { ![0, 1, 0x20, 0xFF].contains($0) } ?? 0
        guard count >= needle.count else { return 0 }
        return unsafe window.withUnsafeBytes { window in
            guard let base = window.baseAddress else { return 0 }
            var found = 0
            var at = anchor
            let last = count - needle.count + anchor
            while at <= last, let hit = unsafe memchr(base + at, CInt(needle[anchor]), last - at + 1) {
                let place = unsafe UnsafeRawPointer(hit) - anchor
                if unsafe memcmp(place, needle, needle.count) == 0 { found += 1 }
                at = unsafe place - base + anchor + 1
            }
            return found
        }
    }

    /// Readable and writable memory, without devices' own.
    static func regions(of process: Int32) throws -> [Range<UInt>] {
        guard let file = unsafe fopen("/proc/\(process)/maps", "r") else {
            throw Unreadable(description: "the map of process \(process) cannot be read")
        }
        defer { unsafe fclose(file) }
        var out: [Range<UInt>] = []
        var line = [CChar](repeating: 0, count: 4096)
        while unsafe fgets(&line, CInt(line.count), file) != nil {
            let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            let fields = text.split(separator: " ", omittingEmptySubsequences: true)
            guard fields.count >= 5, fields[1].hasPrefix("rw"), !text.contains("/dev/"), !text.contains("[v") else {
                continue
            }
            let bounds = fields[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
            if bounds.count == 2, bounds[0] < bounds[1] { out.append(bounds[0]..<bounds[1]) }
        }
        return out
    }
}
