import CPostgres
import Glibc

/// What `DATABASE_URL` says, taken apart: an URL or a keyword string, as libpq documents them.
///
/// TLS is set there too (`sslmode`, `sslrootcert`, …). A Unix socket is a host that begins with `/`.
package struct ConnectionSettings: Sendable {
    private(set) var parameters: [(keyword: String, value: String)]

    /// - Throws: `.misuse` with libpq's reason; it is about the form and repeats no password.
    package init(_ text: String) throws(PostgresError) {
        var message: UnsafeMutablePointer<CChar>?
        let options = unsafe PQconninfoParse(text, &message)
        unsafe PQfreemem(message)
        guard let options = unsafe options else {
            // libpq's message may quote a part of the text, and a part may be the password.
            throw PostgresError(
                .misuse, "DATABASE_URL is neither a PostgreSQL URL nor a list of keyword=value settings")
        }
        defer { unsafe PQconninfoFree(options) }
        var parameters: [(keyword: String, value: String)] = []
        var option = unsafe options
        while let keyword = unsafe option.pointee.keyword {
            if let value = unsafe option.pointee.val {
                unsafe parameters.append((String(cString: keyword), String(cString: value)))
            }
            unsafe option += 1
        }
        self.parameters = parameters
        setUnlessGiven("fallback_application_name", "refund-desk")
        // Looking for Kerberos tickets reads files and asks name servers, on the calling thread.
        setUnlessGiven("gssencmode", "disable")
        setUnlessGiven("keepalives_idle", "30")
        setUnlessGiven("keepalives_interval", "10")
        setUnlessGiven("keepalives_count", "3")
        // The kernel gives up on bytes that a vanished server never acknowledged.
        setUnlessGiven("tcp_user_timeout", "30000")
        set("client_encoding", "UTF8")
    }

    package subscript(_ keyword: String) -> String? { parameters.first { $0.keyword == keyword }?.value }

    /// The same with one setting changed, for example another `dbname`.
    package func with(_ keyword: String, _ value: String) -> ConnectionSettings {
        var copy = self
        copy.set(keyword, value)
        return copy
    }

    /// `connect_timeout` of the text, which libpq itself heeds in its blocking calls only.
    var connectTimeout: Duration? {
        self["connect_timeout"].flatMap { Int64($0) }.flatMap { $0 > 0 ? .seconds(max(2, $0)) : nil }
    }

    /// Host and database for log lines; no user and no password.
    package var place: String {
        let host = self["host"] ?? self["hostaddr"] ?? Self.environment("PGHOST") ?? "local"
        return "\(host):\(self["port"] ?? "5432")/\(self["dbname"] ?? "")"
    }

    private mutating func set(_ keyword: String, _ value: String) {
        parameters.removeAll { $0.keyword == keyword }
        parameters.append((keyword, value))
    }

    private mutating func setUnlessGiven(_ keyword: String, _ value: String) {
        if self[keyword] == nil { set(keyword, value) }
    }

    /// The same with every host name resolved, so that connecting asks no name server. Blocks.
    ///
    /// A name with several addresses becomes several hosts, tried in turn. `rotation` begins with a
    /// later one: after a time-out the next attempt must not wait for the same silent host again.
    func resolved(rotation: Int) throws(PostgresError) -> ConnectionSettings {
        guard needsResolving else { return self }
        let hosts = hosts
        var ports = (self["port"] ?? Self.environment("PGPORT") ?? "")
            .split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        if ports.count == 1 { ports = Array(repeating: ports[0], count: hosts.count) }
        guard ports.count == hosts.count else { return self }  // libpq says what is wrong
        var places: [(host: String, address: String, port: String)] = []
        var failure: PostgresError?
        for (host, port) in zip(hosts, ports) {
            guard Self.isName(host) else {
                places.append((host, "", port))
                continue
            }
            do throws(PostgresError) {
                for address in try Self.addresses(of: host) { places.append((host, address, port)) }
            } catch { failure = error }
        }
        guard !places.isEmpty else { throw failure ?? PostgresError(.unavailable, "no host to connect to") }
        let turn = rotation % places.count
        places = Array(places[turn...] + places[..<turn])
        return with("host", places.map(\.host).joined(separator: ","))
            .with("hostaddr", places.map(\.address).joined(separator: ","))
            .with("port", places.map(\.port).joined(separator: ","))
    }

    var needsResolving: Bool { self["hostaddr"] == nil && hosts.contains { Self.isName($0) } }

    private var hosts: [String] {
        let host = self["host"] ?? Self.environment("PGHOST") ?? ""
        return host.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }

    /// Neither a socket's folder, nor one in the abstract namespace, nor libpq's default, nor an address.
    private static func isName(_ host: String) -> Bool {
        if host.isEmpty || host.hasPrefix("/") || host.hasPrefix("@") || host.contains(":") { return false }
        return !host.utf8.allSatisfy { $0 == 0x2E || (0x30...0x39).contains($0) }
    }

    private static func environment(_ name: String) -> String? {
        unsafe getenv(name).map { unsafe String(cString: $0) }
    }

    private static func addresses(of host: String) throws(PostgresError) -> [String] {
        var hints = unsafe addrinfo()
        unsafe hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        let status = unsafe getaddrinfo(host, nil, &hints, &list)
        guard status == 0 else {
            throw PostgresError(
                .unavailable, "the host \(host) has no address: \(unsafe String(cString: gai_strerror(status)))")
        }
        defer { unsafe freeaddrinfo(list) }
        var found: [String] = []
        var next = unsafe list
        while let entry = unsafe next {
            var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            let named = unsafe text.withUnsafeMutableBufferPointer { buffer in
                unsafe getnameinfo(
                    entry.pointee.ai_addr, entry.pointee.ai_addrlen, buffer.baseAddress, socklen_t(buffer.count),
                    nil, 0, NI_NUMERICHOST)
            }
            if named == 0 {
                let address = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
                if !found.contains(address) { found.append(address) }
            }
            unsafe next = unsafe entry.pointee.ai_next
        }
        return found
    }
}

extension ConnectionSettings: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Host and database: a password is among the settings.
    package var description: String { place }
    package var debugDescription: String { place }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
