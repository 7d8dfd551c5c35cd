import Glibc
import Synchronization

/// A time zone by its name in the system's database (`/usr/share/zoneinfo`), read once.
///
/// The part of Foundation that the product links knows no names of zones, UTC among them.
/// Source: RFC 8536 (TZif), POSIX.1 (TZ).
package struct Zone: Sendable, Hashable {
    package let name: String
    private let file: ZoneFile?

    package static let utc = Zone(name: "UTC", file: nil)

    private static let folder = "/usr/share/zoneinfo/"
    private static let bytesMax = 64 * 1024
    private static let known = Mutex<[String: Zone]>([:])
    private static let knownMax = 1000

    /// Nil for a name that the system's database does not hold. UTC needs no database.
    package init?(_ name: String) {
        if name == "UTC" {
            self = .utc
            return
        }
        guard (1...64).contains(name.utf8.count), name.utf8.allSatisfy(Self.isOfName), name.first != "/",
            !name.contains("//"), !name.hasSuffix("/")
        else { return nil }
        if let found = Self.known.withLock({ $0[name] }) {
            self = found
            return
        }
        guard let bytes = Self.read(Self.folder + name), let file = ZoneFile(bytes) else { return nil }
        let zone = Zone(name: name, file: file)
        Self.known.withLock { known in
            if known.count >= Self.knownMax { known.removeAll() }
            known[name] = zone
        }
        self = zone
    }

    private init(name: String, file: ZoneFile?) {
        self.name = name
        self.file = file
    }

    /// What its clocks show minus UTC.
    package func offset(at moment: Moment) -> Duration { .seconds(file?.offset(at: moment.seconds) ?? 0) }

    package static func == (a: Zone, b: Zone) -> Bool { a.name == b.name }
    package func hash(into hasher: inout Hasher) { hasher.combine(name) }

    /// No point: a name cannot leave the folder.
    private static func isOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "+"), UInt8(ascii: "-"),
            UInt8(ascii: "/"):
            true
        default: false
        }
    }

    private static func read(_ path: String) -> [UInt8]? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: bytesMax)
        let count = unsafe bytes.withUnsafeMutableBytes { raw in
            unsafe Glibc.read(descriptor, raw.baseAddress, raw.count)
        }
        return count > 0 && count < bytesMax ? Array(bytes.prefix(count)) : nil
    }
}
