import COpenSSL
import Glibc

/// Why a secret could not be read from where it was said to be.
package enum SecretReadError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The system's answer, in words.
    case system(String)
    case tooLarge(bytesMax: Int)

    package var description: String {
        switch self {
        case .system(let text): text
        case .tooLarge(let max): "it holds more than \(max) bytes"
        }
    }
}

extension SecretBytes {
    /// Reads a descriptor to its end, straight into memory that is wiped.
    package static func reading(_ descriptor: CInt, bytesMax: Int) throws(SecretReadError) -> SecretBytes {
        var count = 0
        let whole = try SecretBytes(count: bytesMax + 1) { (out) throws(SecretReadError) in
            var trouble: SecretReadError?
            unsafe out.withUnsafeMutableBytes { buffer in
                while count < buffer.count, let base = buffer.baseAddress {
                    let n = unsafe read(descriptor, base + count, buffer.count - count)
                    if n < 0, errno == EINTR { continue }
                    if n < 0 { trouble = .system(Self.systemText()) }
                    if n <= 0 { break }
                    count += n
                }
            }
            if let trouble { throw trouble }
        }
        guard count <= bytesMax else { throw .tooLarge(bytesMax: bytesMax) }
        return whole.withBytes { bytes in SecretBytes(copying: bytes.extracting(0..<count)) }
    }

    /// Reads a whole file, straight into memory that is wiped.
    package static func file(_ path: String, bytesMax: Int) throws(SecretReadError) -> SecretBytes {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .system(systemText()) }
        defer { close(descriptor) }
        return try reading(descriptor, bytesMax: bytesMax)
    }

    /// Writes the bytes into a new file that only its owner may read; an existing file is never touched.
    package borrowing func write(toNewFile path: String) throws(SecretReadError) {
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .system(Self.systemText()) }
        defer { close(descriptor) }
        var sent = 0
        while sent < count {
            let n = unsafe withUnsafePointer { unsafe Glibc.write(descriptor, $0 + sent, count - sent) }
            if n < 0, errno == EINTR { continue }
            guard n > 0 else { throw .system(Self.systemText()) }
            sent += n
        }
        guard fsync(descriptor) == 0 else { throw .system(Self.systemText()) }
    }

    /// Takes a variable out of the environment; its bytes there are overwritten in place.
    ///
    /// Removing it alone would leave them in memory, and in `/proc`, for the life of the process.
    package static func takingEnvironment(_ name: String) -> SecretBytes? {
        guard let value = unsafe getenv(name) else { return nil }
        let count = unsafe strlen(value)
        let secret = SecretBytes(count: count) { out in
            for index in 0..<count { unsafe out[index] = UInt8(bitPattern: value[index]) }
        }
        unsafe OPENSSL_cleanse(value, count)
        unsafe unsetenv(name)
        return secret
    }

    private static func systemText() -> String {
        unsafe String(cString: strerror(errno))
    }
}
