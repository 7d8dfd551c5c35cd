import CLinux

/// An IPv4 or IPv6 address. IPv4 addresses that come mapped into IPv6 are IPv4.
package struct IPAddress: Hashable, Sendable, CustomStringConvertible {
    /// 4 or 16, in network order.
    package let bytes: [UInt8]

    package var isV6: Bool { bytes.count == 16 }

    /// Nil unless there are 4 or 16 bytes.
    package init?(bytes: [UInt8]) {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
        self.bytes = bytes.count == 16 && Array(bytes.prefix(12)) == mapped ? Array(bytes.suffix(4)) : bytes
    }

    /// From its usual text form; names are not looked up, zones (`%eth0`) are refused.
    package init?(_ text: some StringProtocol) {
        guard text.utf8.count <= 45, !text.utf8.contains(0) else { return nil }
        var bytes = [UInt8](repeating: 0, count: 16)
        switch unsafe desk_parse_ip(String(text), &bytes) {
        case 4: self.init(bytes: Array(bytes.prefix(4)))
        case 6: self.init(bytes: bytes)
        default: return nil
        }
    }

    package var description: String {
        var text = [CChar](repeating: 0, count: 46)
        unsafe desk_print_ip(isV6 ? 1 : 0, bytes, &text)
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    package var isLoopback: Bool {
        isV6 ? bytes == [UInt8](repeating: 0, count: 15) + [1] : bytes[0] == 127
    }
}
