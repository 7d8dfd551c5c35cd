import Crypto

/// The opaque text by which a list goes on: numbers behind base64url, so that nobody does sums with it.
enum Revision {
    static func text(_ numbers: [Int64], kind: String) -> String {
        Base64URL.encode(Array(([kind] + numbers.map(String.init)).joined(separator: ".").utf8))
    }

    /// A number for the parameters that a list must be asked for with again.
    static func fingerprint(of bytes: [UInt8]) -> Int64 {
        Digest.sha256(bytes).prefix(6).reduce(Int64(0)) { $0 << 8 | Int64($1) }
    }

    /// nil for a text that was not made by `text` for the same kind of list.
    static func read(_ text: String, kind: String) -> [Int64]? {
        guard let bytes = Base64URL.decode(text) else { return nil }
        let parts = String(decoding: bytes, as: UTF8.self).split(separator: ".", omittingEmptySubsequences: false)
        guard parts.first.map(String.init) == kind else { return nil }
        let numbers = parts.dropFirst().compactMap { Int64($0) }
        return numbers.count == parts.count - 1 ? numbers : nil
    }
}
