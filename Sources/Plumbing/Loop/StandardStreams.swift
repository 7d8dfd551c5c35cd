import Glibc

/// Standard output and standard error, for programs that answer a person; written whole, blocking.
package enum StandardStreams {
    package static func print(_ text: String) { write(text, to: 1) }
    package static func complain(_ text: String) { write(text, to: 2) }

    private static func write(_ text: String, to descriptor: CInt) {
        let bytes = Array((text.hasSuffix("\n") ? text : text + "\n").utf8)
        unsafe bytes.withUnsafeBytes { raw in
            var sent = 0
            while sent < raw.count, let base = raw.baseAddress {
                let n = unsafe Glibc.write(descriptor, base + sent, raw.count - sent)
                if n < 0, errno == EINTR { continue }
                if n <= 0 { return }
                sent += n
            }
        }
    }
}
