import COpenSSL

/// Bytes that exist once, cannot be printed, and are wiped when dropped.
@safe
package struct SecretBytes: ~Copyable, @unchecked Sendable {
    private let base: UnsafeMutableRawPointer
    package let count: Int

    /// - Parameter fill: receives `count` zero bytes.
    package init<E: Error>(count: Int, fill: (inout MutableSpan<UInt8>) throws(E) -> Void) throws(E) {
        precondition(count >= 0)
        SecretMemory.prepare()
        // A full secure heap must not stop the service: the ordinary heap is wiped as well.
        let block = unsafe desk_ssl_secure_malloc(max(count, 1)) ?? desk_ssl_malloc(max(count, 1))
        guard let block = unsafe block else { preconditionFailure("no memory for \(count) secret bytes") }
        unsafe block.initializeMemory(as: UInt8.self, repeating: 0, count: count)
        unsafe self.base = block
        self.count = count
        let buffer = unsafe UnsafeMutableBufferPointer(
            start: block.assumingMemoryBound(to: UInt8.self), count: count)
        var span = unsafe MutableSpan(_unsafeElements: buffer)
        try fill(&span)
    }

    package init(copying bytes: borrowing Span<UInt8>) {
        self.init(count: bytes.count) { out in
            for i in 0..<out.count { out[i] = bytes[i] }
        }
    }

    /// The array itself is the caller's to wipe: prefer the forms that never make one.
    package init(copying bytes: [UInt8]) {
        self.init(count: bytes.count) { out in
            for i in 0..<out.count { out[i] = bytes[i] }
        }
    }

    package static func random(count: Int) -> SecretBytes {
        SecretBytes(count: count) { out in
            unsafe out.withUnsafeMutableBufferPointer { buffer in
                precondition(unsafe RAND_priv_bytes(buffer.baseAddress, CInt(buffer.count)) == 1, "no randomness")
            }
        }
    }

    deinit { unsafe desk_ssl_secure_clear_free(base, count) }

    /// Lends the bytes; what the closure copies is the closure's to wipe.
    package borrowing func withBytes<R: ~Copyable, E: Error>(
        _ body: (borrowing Span<UInt8>) throws(E) -> R
    ) throws(E) -> R {
        let buffer = unsafe UnsafeBufferPointer(
            start: base.assumingMemoryBound(to: UInt8.self), count: count)
        let span = unsafe Span(_unsafeElements: buffer)
        return try body(span)
    }

    /// For C calls in this module.
    borrowing func withUnsafePointer<R: ~Copyable, E: Error>(
        _ body: (UnsafePointer<UInt8>) throws(E) -> R
    ) throws(E) -> R {
        try unsafe body(UnsafePointer(base.assumingMemoryBound(to: UInt8.self)))
    }
}
