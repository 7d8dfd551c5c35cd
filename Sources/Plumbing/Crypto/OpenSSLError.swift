import COpenSSL

/// A call to OpenSSL that failed, and why.
///
/// The queue of errors belongs to the thread: it is read in the same function as the failing call.
package struct OpenSSLError: Error, Sendable, CustomStringConvertible {
    /// What was tried.
    package let operation: String
    /// What OpenSSL said; never bytes of keys or messages.
    package let reason: String

    package var description: String { "\(operation): \(reason)" }

    /// Takes the newest error of this thread and empties the queue.
    static func last(_ operation: String) -> OpenSSLError {
        let code = ERR_peek_last_error()
        ERR_clear_error()
        guard code != 0 else { return OpenSSLError(operation: operation, reason: "no reason given") }
        var buffer = [CChar](repeating: 0, count: 256)
        unsafe buffer.withUnsafeMutableBufferPointer { text in
            unsafe ERR_error_string_n(code, text.baseAddress, text.count)
        }
        let bytes = buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return OpenSSLError(operation: operation, reason: String(decoding: bytes, as: UTF8.self))
    }
}
