/// Where a socket listens or connects to.
package enum SocketAddress: Hashable, Sendable, CustomStringConvertible {
    case ip(IPAddress, port: UInt16)
    case unix(path: String)

    /// From `127.0.0.1:8080`, `[::1]:8080`, `localhost:8080` or `unix:/path`; nil for anything else.
    /// Port 0 lets the system choose.
    package init?(_ text: String) {
        if text.hasPrefix("unix:") {
            let path = String(text.dropFirst(5))
            // The system's limit of 107 bytes for the path of a socket.
            guard path.hasPrefix("/"), path.utf8.count <= 107, !path.utf8.contains(0) else { return nil }
            self = .unix(path: path)
            return
        }
        guard let colon = text.lastIndex(of: ":") else { return nil }
        let digits = text[text.index(after: colon)...]
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = UInt16(digits)
        else { return nil }
        var host = text[..<colon]
        if host == "localhost" { host = "127.0.0.1" }
        if host.hasPrefix("["), host.hasSuffix("]") {
            guard let address = IPAddress(host.dropFirst().dropLast()), address.isV6 else { return nil }
            self = .ip(address, port: port)
        } else {
            guard let address = IPAddress(host), !address.isV6 else { return nil }
            self = .ip(address, port: port)
        }
    }

    package var ip: IPAddress? {
        guard case .ip(let address, _) = self else { return nil }
        return address
    }

    package var port: UInt16? {
        guard case .ip(_, let port) = self else { return nil }
        return port
    }

    package var description: String {
        switch self {
        case .ip(let address, let port): address.isV6 ? "[\(address)]:\(port)" : "\(address):\(port)"
        case .unix(let path): "unix:\(path)"
        }
    }
}
