/// A block of addresses in CIDR form (`10.0.0.0/8`, `fd00::/8`), one address, or `unix`: whoever
/// connects through a Unix socket.
package struct AddressRange: Hashable, Sendable, CustomStringConvertible {
    private enum Form: Hashable {
        case block(IPAddress, bits: Int)
        case unix
    }
    private let form: Form

    package static let unix = AddressRange(form: .unix)

    private init(form: Form) { self.form = form }

    /// Nil for anything else, and for a block whose address has bits outside its mask: that is a
    /// slip of the pen, and guessing which half was meant would be wrong.
    package init?(_ text: some StringProtocol) {
        if text == "unix" {
            self = .unix
            return
        }
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = IPAddress(parts[0]) else { return nil }
        var bits = address.bytes.count * 8
        if parts.count == 2 {
            guard let given = Int(parts[1]), (0...bits).contains(given), String(given) == parts[1] else { return nil }
            bits = given
        }
        for (index, byte) in address.bytes.enumerated() where byte & ~Self.mask(index, bits) != 0 { return nil }
        form = .block(address, bits: bits)
    }

    /// - Parameter address: nil for a Unix socket.
    package func contains(_ address: IPAddress?) -> Bool {
        switch form {
        case .unix: return address == nil
        case .block(let start, let bits):
            guard let address, address.bytes.count == start.bytes.count else { return false }
            return start.bytes.indices.allSatisfy {
                address.bytes[$0] & Self.mask($0, bits) == start.bytes[$0]
            }
        }
    }

    package var description: String {
        switch form {
        case .unix: "unix"
        case .block(let start, let bits): "\(start)/\(bits)"
        }
    }

    private static func mask(_ index: Int, _ bits: Int) -> UInt8 {
        let here = min(8, max(0, bits - index * 8))
        return here == 0 ? 0 : UInt8.max << (8 - UInt8(here))
    }
}
