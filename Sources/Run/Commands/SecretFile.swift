import Crypto

/// Secrets come from files and standard input, never from arguments: those stand in everybody's list of processes.
enum SecretFile {
    /// - Parameter path: `-` is standard input.
    static func read(_ path: String, bytesMax: Int) throws -> SecretBytes {
        do throws(SecretReadError) {
            return path == "-"
                ? try SecretBytes.reading(0, bytesMax: bytesMax) : try SecretBytes.file(path, bytesMax: bytesMax)
        } catch {
            throw Failure("\(path == "-" ? "standard input" : path) could not be read: \(error)")
        }
    }

    /// The first line of standard input.
    static func line(bytesMax: Int) throws -> [UInt8] {
        let secret = try read("-", bytesMax: bytesMax)
        return secret.withBytes { bytes in
            var line: [UInt8] = []
            for index in 0..<bytes.count {
                if bytes[index] == 0x0A { break }
                line.append(bytes[index])
            }
            if line.last == 0x0D { line.removeLast() }
            return line
        }
    }
}
