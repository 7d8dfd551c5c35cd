/// The plain form of both halves of addresses and message ids: words of safe characters with dots between them
/// (RFC 5322, 3.2.3).
enum DotAtom {
    private static let others = Set("!#$%&'*+-/=?^_`{|}~".utf8)

    static func isOne(_ text: some StringProtocol) -> Bool {
        text.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { word in
            !word.isEmpty && word.utf8.allSatisfy { isAlphanumeric($0) || others.contains($0) }
        }
    }

    static func isAlphanumeric(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20)
    }
}
