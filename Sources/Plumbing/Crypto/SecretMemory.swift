import COpenSSL

/// Where secrets lie: OpenSSL's secure heap, and an allocator that wipes what it frees.
///
/// OpenSSL copies keys while it works with them. The secure heap is locked into memory where the
/// system allows it, kept out of core dumps, and wiped when freed; the allocator wipes everything else.
package enum SecretMemory {
    /// Bytes; a power of two. A key and its copies need less than a kilobyte.
    private static let heapBytes = 1 << 20

    package struct Standing: Sendable {
        /// False if OpenSSL had allocated something before `prepare` ran.
        package let wipesOnFree: Bool
        package let hasSecureHeap: Bool
        /// False if the system's limit on locked memory was too small: secrets could reach swap.
        package let isLocked: Bool
    }

    /// Takes effect at the first call. A program calls it before it uses any other library that
    /// rests on OpenSSL, else the allocator can no longer be replaced.
    @discardableResult
    package static func prepare() -> Standing { standing }

    private static let standing: Standing = {
        let wipes = desk_ssl_wipe_on_free() == 1
        let heap = CRYPTO_secure_malloc_init(heapBytes, 32)
        ERR_clear_error()
        return Standing(wipesOnFree: wipes, hasSecureHeap: heap != 0, isLocked: heap == 1)
    }()
}
