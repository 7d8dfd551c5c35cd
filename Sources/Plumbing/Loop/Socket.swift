import CLinux
import Glibc

/// A system call on a socket failed.
package struct SocketError: Error, Equatable, CustomStringConvertible {
    package let code: CInt
    package let what: String

    package var description: String {
        "\(what): \(unsafe String(cString: strerror(code)))"
    }
}

/// Stream sockets, never blocking.
package enum Socket {
    package struct Listening: ~Copyable, Sendable {
        package let descriptor: Descriptor
        /// With the port that the system chose.
        package let address: SocketAddress
        /// Somebody else keeps it open: what waits in its queue outlives this process.
        package let isInherited: Bool

        package consuming func takeDescriptor() -> Descriptor { descriptor }
    }

    package struct Accepted: ~Copyable, Sendable {
        package let descriptor: Descriptor
        /// Nil for a Unix socket.
        package let peer: SocketAddress?

        package consuming func takeDescriptor() -> Descriptor { descriptor }
    }

    package struct Connecting: ~Copyable, Sendable {
        package let descriptor: Descriptor
        package let isPending: Bool

        package consuming func takeDescriptor() -> Descriptor { descriptor }
    }

    /// Listens at an address. A socket file that nobody listens at any more is replaced.
    ///
    /// - Throws: `SocketError`, with the address in its text.
    package static func listen(_ address: SocketAddress, backlog: CInt = 1024) throws(SocketError) -> Listening {
        switch address {
        case .ip(let ip, let port):
            let raw = unsafe desk_listen_ip(ip.isV6 ? 1 : 0, ip.bytes, port, backlog)
            guard raw >= 0 else { throw SocketError(code: -raw, what: "listening at \(address)") }
            let bound = desk_bound_port(raw)
            return Listening(
                descriptor: Descriptor(owning: raw), address: .ip(ip, port: UInt16(clamping: bound)),
                isInherited: false)
        case .unix(let path):
            let raw = unsafe desk_listen_unix(path, backlog)
            guard raw >= 0 else { throw SocketError(code: -raw, what: "listening at \(address)") }
            return Listening(descriptor: Descriptor(owning: raw), address: address, isInherited: false)
        }
    }

    /// Takes over a socket that whoever started this process listens at.
    ///
    /// - Throws: `SocketError` for a descriptor that is no stream socket, or does not listen. It stays open then.
    package static func adopt(_ raw: CInt) throws(SocketError) -> Listening {
        var (family, port): (CInt, UInt16) = (0, 0)
        var bytes = [UInt8](repeating: 0, count: 16)
        var path = [CChar](repeating: 0, count: 108)
        let code = unsafe desk_adopt_listening(raw, &family, &bytes, &port, &path)
        guard code == 0 else { throw SocketError(code: -code, what: "taking over the socket \(raw)") }
        let ip = family == 0 ? nil : IPAddress(bytes: Array(bytes.prefix(family == 4 ? 4 : 16)))
        let address =
            ip.map { SocketAddress.ip($0, port: port) }
            ?? .unix(path: String(decoding: path.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))
        return Listening(descriptor: Descriptor(owning: raw), address: address, isInherited: true)
    }

    /// The next connection that waits; nil when none does.
    ///
    /// - Throws: `SocketError`: out of descriptors (EMFILE, ENFILE) or memory. Connections that died
    ///   while they waited are passed over.
    package static func accept(_ listening: CInt) throws(SocketError) -> Accepted? {
        while true {
            var family: CInt = 0
            var port: UInt16 = 0
            var bytes = [UInt8](repeating: 0, count: 16)
            let raw = unsafe desk_accept(listening, &family, &bytes, &port)
            if raw >= 0 {
                let ip = family == 0 ? nil : IPAddress(bytes: Array(bytes.prefix(family == 4 ? 4 : 16)))
                return Accepted(descriptor: Descriptor(owning: raw), peer: ip.map { .ip($0, port: port) })
            }
            switch -raw {
            case EAGAIN: return nil
            case EINTR, ECONNABORTED, EPROTO, ENETDOWN, EHOSTUNREACH, ENETUNREACH: continue
            default: throw SocketError(code: -raw, what: "accepting a connection")
            }
        }
    }

    /// Begins to connect; when it is pending, wait for writability and ask `failure(of:)`.
    ///
    /// - Throws: `SocketError` when the address refuses at once.
    package static func connect(_ address: SocketAddress) throws(SocketError) -> Connecting {
        var isPending: CInt = 0
        let raw =
            switch address {
            case .ip(let ip, let port): unsafe desk_connect_ip(ip.isV6 ? 1 : 0, ip.bytes, port, &isPending)
            case .unix(let path): unsafe desk_connect_unix(path, &isPending)
            }
        guard raw >= 0 else { throw SocketError(code: -raw, what: "connecting to \(address)") }
        return Connecting(descriptor: Descriptor(owning: raw), isPending: isPending != 0)
    }

    /// Why a pending connection failed; nil when it stands.
    package static func failure(of descriptor: CInt) -> SocketError? {
        let code = desk_socket_error(descriptor)
        return code == 0 ? nil : SocketError(code: -code, what: "connecting")
    }

    /// Says that nothing more will be written.
    package static func shutDownWriting(_ descriptor: CInt) { _ = desk_shutdown_write(descriptor) }

    /// Lets the process open `wanted` files, as far as it may; returns how many it can.
    package static func raiseFileLimit(to wanted: Int) -> Int { desk_raise_file_limit(wanted) }

    /// What came of a write.
    package enum Written: Equatable, Sendable {
        /// So many bytes; fewer than were given means the peer reads slowly.
        case bytes(Int)
        /// The connection is gone.
        case failed
    }

    package static func write(_ descriptor: CInt, _ bytes: Span<UInt8>) -> Written {
        guard !bytes.isEmpty else { return .bytes(0) }
        let count = unsafe bytes.withUnsafeBytes { raw in
            unsafe desk_send(descriptor, raw.baseAddress, raw.count)
        }
        if count >= 0 { return .bytes(count) }
        return count == -Int(EAGAIN) ? .bytes(0) : .failed
    }
}

/// How a read ended.
package enum ReadEnd: Equatable, Sendable {
    /// Some bytes came; there may be more.
    case more
    /// Nothing is there now.
    case nothing
    /// The peer will send nothing more.
    case end
    /// The connection is gone.
    case failed
}

extension EventLoop {
    /// Reads what has come, at most 64 KiB, and lends it: the bytes are gone after `body`. On the
    /// loop only.
    package func read<R>(_ descriptor: CInt, _ body: (Span<UInt8>, ReadEnd) -> R) -> R {
        requireCurrent()
        let count = unsafe desk_receive(descriptor, scratch.baseAddress, scratch.count)
        let end: ReadEnd =
            switch count {
            case 1...: .more
            case 0: .end
            case -Int(EAGAIN): .nothing
            default: .failed
            }
        let bytes = unsafe UnsafeRawBufferPointer(rebasing: scratch[0..<max(0, count)])
        return unsafe body(Span<UInt8>(_unsafeBytes: bytes), end)
    }

    /// Overwrites what the last read left in memory: after bytes that are secret.
    package func wipeScratch() {
        requireCurrent()
        unsafe desk_wipe(scratch.baseAddress, scratch.count)
    }
}

extension [UInt8] {
    /// Overwrites the bytes where they lie, whoever else holds this array: for a secret that nobody may read
    /// any more. A write would leave them as they were wherever the array is shared.
    package func wipe() {
        unsafe withUnsafeBytes { bytes in
            unsafe desk_wipe(UnsafeMutableRawPointer(mutating: bytes.baseAddress), bytes.count)
        }
    }

    /// Keeps what was lent.
    package mutating func append(_ bytes: Span<UInt8>) {
        unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
    }
}
