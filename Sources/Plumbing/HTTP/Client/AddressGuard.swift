import Glibc
import Loop

/// Which addresses may be called on behalf of a tenant.
///
/// A tenant's URL must not reach into the operator's own network. The check is made on the very address a
/// socket is opened for, after the name was looked up, so a name that changes its address between check
/// and call gains nothing.
package struct AddressGuard: Sendable, Equatable {
    private let isPrivateAllowed: Bool
    private let allowed: [AddressRange]
    private var isInnerOnly = false

    /// Public addresses alone.
    package static let publicOnly = AddressGuard(isPrivateAllowed: false, allowed: [])

    /// From the setting's text: `no`, `yes`, or ranges such as `10.1.0.0/16, fd12::/32`. Nil when it is neither.
    package init?(setting: String) {
        switch setting {
        case "no": self = .publicOnly
        case "yes": self = AddressGuard(isPrivateAllowed: true, allowed: [])
        default:
            var ranges: [AddressRange] = []
            for part in setting.split(separator: ",", omittingEmptySubsequences: false) {
                // Spaces may stand around the commas, and nowhere else.
                let words = part.split(separator: " ")
                guard words.count == 1, let range = AddressRange(words[0]), range != .unix else { return nil }
                ranges.append(range)
            }
            self = AddressGuard(isPrivateAllowed: false, allowed: ranges)
        }
    }

    /// What speaks against calling a URL before any name is looked up.
    package enum Objection: Hashable, Sendable {
        /// No `http` or `https` URL that the client could call.
        case notCallable
        /// Without encryption only allowed addresses of private networks are called.
        case plain
        /// The host is an address of a private network that the setting does not allow.
        case privateAddress(String)
        /// The host is an address that is never called: link-local, unspecified, multicast, reserved.
        case neverCalled(String)
    }

    /// What speaks against a URL for clients that limit plain calls; nil where nothing does, as of most names.
    package func objection(to text: String) -> Objection? {
        guard let url = ClientURL(text) else { return .notCallable }
        let narrowed = url.isEncrypted ? self : forPlainCalls
        let addresses = url.isLocalhost ? Self.localhost : Self.address(url.host).map { [$0] } ?? []
        guard !addresses.isEmpty else { return url.isEncrypted || self != .publicOnly ? nil : .plain }
        if addresses.contains(where: narrowed.allows) { return url.isOddlyWritten ? .notCallable : nil }
        if addresses.allSatisfy(Self.isNeverCalled) { return .neverCalled(url.host) }
        return addresses.contains(where: allows) ? .plain : .privateAddress(url.host)
    }

    /// Whether a URL names an address of a private network that the setting allows. A name is none: where it leads only
    /// a look-up tells, and tomorrow's another thing.
    package func opensInner(to text: String) -> Bool {
        guard let url = ClientURL(text) else { return false }
        let addresses = url.isLocalhost ? Self.localhost : Self.address(url.host).map { [$0] } ?? []
        return addresses.contains(where: forPlainCalls.allows)
    }

    /// The same for calls without encryption: of private networks what is allowed, and nothing public.
    package var forPlainCalls: AddressGuard {
        var narrowed = self
        narrowed.isInnerOnly = true
        return narrowed
    }

    private init(isPrivateAllowed: Bool, allowed: [AddressRange]) {
        self.isPrivateAllowed = isPrivateAllowed
        self.allowed = allowed
    }

    /// Link-local (where clouds answer with credentials), unspecified, multicast, broadcast, reserved: never.
    private static let never = ranges(
        "0.0.0.0/8", "169.254.0.0/16", "224.0.0.0/4", "240.0.0.0/4", "fe80::/10", "ff00::/8", "::", "fd00:ec2::254")
    /// Loopback, private, shared and documentation ranges (IANA special-purpose registries).
    private static let inner = ranges(
        "127.0.0.0/8", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "192.0.0.0/24",
        "192.0.2.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "::1", "fc00::/7", "fec0::/10",
        "100::/64", "2001:db8::/32")

    private static let localhost = ["127.0.0.1", "::1"].compactMap { IPAddress($0) }

    private static func ranges(_ texts: String...) -> [AddressRange] { texts.compactMap { AddressRange($0) } }

    /// Whether an address in a URL may be called; a name is not judged here.
    func allows(host: String) -> Bool {
        Self.address(host).map(allows) ?? !isInnerOnly
    }

    private static func address(_ host: String) -> IPAddress? {
        IPAddress(host.hasPrefix("[") ? host.dropFirst().dropLast() : host[...])
    }

    private static func isNeverCalled(_ address: IPAddress) -> Bool {
        if let carried = carried(in: address.bytes), isNeverCalled(carried) { return true }
        return never.contains { $0.contains(address) }
    }

    /// Whether a socket address (`sockaddr_in`, `sockaddr_in6`) may be called; other families never.
    func allows(_ address: UnsafeRawBufferPointer) -> Bool {
        guard address.count >= MemoryLayout<sa_family_t>.size else { return false }
        switch unsafe CInt(address.loadUnaligned(as: sa_family_t.self)) {
        case AF_INET where address.count >= 8:
            return unsafe IPAddress(bytes: Array(address[4..<8])).map(allows) ?? false
        case AF_INET6 where address.count >= 24:
            return unsafe IPAddress(bytes: Array(address[8..<24])).map(allows) ?? false
        default: return false
        }
    }

    func allows(_ address: IPAddress) -> Bool {
        // A tunnel's address carries an IPv4 address, and reaches it.
        if let carried = Self.carried(in: address.bytes), !allows(carried) { return false }
        if Self.isNeverCalled(address) { return false }
        let isInner = Self.inner.contains { $0.contains(address) }
        if isInnerOnly, !isInner { return allowed.contains { $0.contains(address) } }
        if isPrivateAllowed || allowed.contains(where: { $0.contains(address) }) { return true }
        return !isInner
    }

    private static func carried(in bytes: [UInt8]) -> IPAddress? {
        guard bytes.count == 16 else { return nil }
        switch (bytes[0], bytes[1], bytes[2], bytes[3]) {
        // 64:ff9b::/96 (RFC 6052) and 64:ff9b:1::/48 (RFC 8215)
        case (0x00, 0x64, 0xFF, 0x9B): return IPAddress(bytes: Array(bytes[12...]))
        // 2002::/16 (6to4)
        case (0x20, 0x02, _, _): return IPAddress(bytes: Array(bytes[2..<6]))
        // 2001::/32 (Teredo): the client's address is inverted
        case (0x20, 0x01, 0x00, 0x00): return IPAddress(bytes: bytes[12...].map { ~$0 })
        // ::/96 (IPv4-compatible), but for :: and ::1, which are addresses of their own
        case (0, 0, 0, 0) where bytes[4..<12].allSatisfy({ $0 == 0 }) && bytes[12..<15] != [0, 0, 0]:
            return IPAddress(bytes: Array(bytes[12...]))
        default: return nil
        }
    }
}
