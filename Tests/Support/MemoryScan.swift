package import Crypto
import Glibc

/// Looks for a secret in the memory of this process.
///
/// The scanner keeps what it looks for masked, except in one mapped page that it leaves out of the
/// search, so that it does not find itself.
package struct MemoryScan: ~Copyable {
    private static let mask: UInt8 = 0xA5
    private let masked: [UInt8]

    /// - Parameter secret: at least eight bytes, so that chance does not find it.
    package init(_ secret: borrowing SecretBytes) {
        masked = secret.withBytes { bytes in
            var out: [UInt8] = []
            for i in 0..<bytes.count { out.append(bytes[i] ^ Self.mask) }
            return out
        }
    }

    private init(masked: [UInt8]) { self.masked = masked }

    /// The same bytes back to front, as big numbers are kept in memory.
    package borrowing func reversed() -> MemoryScan { MemoryScan(masked: Array(masked.reversed())) }

    /// How often the bytes stand in writable memory now.
    package borrowing func count() -> Int {
        let pageBytes = 1 << 20
        guard
            let scratch = unsafe mmap(
                nil, pageBytes + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
            unsafe scratch != MAP_FAILED
        else { return -1 }
        defer { unsafe munmap(scratch, pageBytes + 4096) }
        let needle = unsafe scratch.assumingMemoryBound(to: UInt8.self)
        for (i, byte) in masked.enumerated() { unsafe needle[i] = byte ^ Self.mask }
        let window = unsafe needle + 4096
        let memory = unsafe open("/proc/self/mem", O_RDONLY)
        guard memory >= 0 else { return -1 }
        defer { close(memory) }
        guard let regions = try? ProcessMemory.regions(of: getpid()) else { return -1 }
        let own = UInt(bitPattern: scratch)
        var found = 0
        for region in regions where region.upperBound <= own || region.lowerBound >= own + UInt(pageBytes) {
            var at = region.lowerBound
            while at < region.upperBound {
                let wanted = min(Int(region.upperBound - at), pageBytes)
                let got = unsafe pread(memory, window, wanted, off_t(at))
                guard got >= masked.count else { break }
                found += unsafe Self.occurrences(of: needle, count: masked.count, in: window, count: got)
                if got < pageBytes { break }
                // Windows overlap, so that nothing hides across a border.
                at += UInt(got - masked.count + 1)
            }
        }
        return found
    }

    private static func occurrences(
        of needle: UnsafePointer<UInt8>, count: Int, in window: UnsafePointer<UInt8>, count total: Int
    ) -> Int {
        var found = 0
        var at = unsafe window
        let end = unsafe window + total - count + 1
        while unsafe at < end, let hit = unsafe memchr(at, CInt(needle[0]), end - at) {
            let place = unsafe hit.assumingMemoryBound(to: UInt8.self)
            if unsafe memcmp(place, needle, count) == 0 { found += 1 }
            unsafe at = UnsafePointer(place) + 1
        }
        return found
    }
}
