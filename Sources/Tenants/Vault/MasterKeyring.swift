package import Crypto

/// Why a text is no list of master keys. Never shows any of it.
package enum MasterKeyringError: Error, Hashable, CustomStringConvertible {
    case empty
    /// The key at this place, counted from 1, is not base64 of 32 bytes.
    case notAKey(place: Int)
    /// The key at this place stands in the list before.
    case twice(place: Int)

    package var description: String {
        switch self {
        case .empty: "there is no key in it: write one with \"refund-desk master-key new --file PATH\""
        case .notAKey(let place):
            "key \(place) is not base64 of 32 bytes: write one with \"refund-desk master-key new --file PATH\""
        case .twice(let place): "key \(place) stands there twice: remove one"
        }
    }
}

/// The installation's master keys, newest first: the newest seals, all of them open.
///
/// Of a master key only what is derived from it stays in memory.
package struct MasterKeyring: Sendable {
    let keys: [MasterKey]

    /// No key at all: nothing can be sealed or opened.
    package static let none = MasterKeyring(keys: [])

    init(keys: [MasterKey]) { self.keys = keys }

    /// Reads base64 of 32 bytes, or several separated by commas, newest first; white space around them is ignored.
    package init(text: borrowing SecretBytes) throws(MasterKeyringError) {
        var keys: [MasterKey] = []
        var place = 0
        var start = 0
        let count = text.count
        for index in 0...count {
            guard index == count || text.withBytes({ $0[index] }) == UInt8(ascii: ",") else { continue }
            place += 1
            let (first, last) = text.withBytes { Self.trimmed($0, from: start, to: index) }
            start = index + 1
            if first == last, place == 1, index == count { throw .empty }
            guard let master = SecretBase64.decode(text, from: first, to: last), master.count == MasterKey.bytes else {
                throw .notAKey(place: place)
            }
            let key = MasterKey(master: master)
            guard !keys.contains(where: { $0.id == key.id }) else { throw .twice(place: place) }
            keys.append(key)
        }
        self.keys = keys
    }

    /// The first eight bytes that name the newest key in sealed forms; nil without any key.
    package var newestID: [UInt8]? { keys.first?.id }
    /// Names of all keys, newest first.
    package var ids: [[UInt8]] { keys.map(\.id) }

    var newest: MasterKey? { keys.first }
    func key(_ id: [UInt8]) -> MasterKey? { keys.first { $0.id == id } }

    /// A new master key as it is written into a file: base64 of 32 random bytes, and a line end.
    package static func newKeyText() -> SecretBytes {
        SecretBase64.encode(SecretBytes.random(count: MasterKey.bytes), lineEnd: true)
    }

    private static func trimmed(_ bytes: borrowing Span<UInt8>, from start: Int, to end: Int) -> (Int, Int) {
        var (first, last) = (start, end)
        while first < last, isSpace(bytes[first]) { first += 1 }
        while last > first, isSpace(bytes[last - 1]) { last -= 1 }
        return (first, last)
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}
