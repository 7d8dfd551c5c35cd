/// A request whose body has arrived whole.
package struct Request: Sendable {
    package let method: Method
    /// Path and query as they were sent.
    package let target: String
    /// The path as it was sent, without the query.
    package let path: String
    /// The path in parts, each decoded: `/a/b%2Fc/` is `a`, `b/c` and an empty part.
    package let segments: [String]
    package let headers: HeaderFields
    package let body: [UInt8]
    package let peer: Peer

    package var isHead: Bool { method == .head }

    /// - Throws: `BadTarget` unless the target is a path that can be decoded, with or without query.
    package init(
        method: Method, target: String, headers: HeaderFields = [:], body: [UInt8] = [],
        peer: Peer = Peer(address: nil, port: nil)
    ) throws(BadTarget) {
        let path = String(target.prefix { $0 != "?" })
        self.init(
            method: method, target: target, path: path, segments: try Self.segments(of: path), headers: headers,
            body: body, peer: peer)
    }

    init(
        method: Method, target: String, path: String, segments: [String], headers: HeaderFields, body: [UInt8],
        peer: Peer
    ) {
        self.method = method
        self.target = target
        self.path = path
        self.segments = segments
        self.headers = headers
        self.body = body
        self.peer = peer
    }

    package var query: QueryString {
        guard let mark = target.utf8.firstIndex(of: ASCII.question) else { return .empty }
        return QueryString(target.utf8[target.utf8.index(after: mark)...])
    }

    package var cookies: Cookies { Cookies(headers) }

    /// What stands after `Bearer` in the Authorization field.
    package var bearerToken: String? {
        guard let value = headers["Authorization"], let space = value.firstIndex(of: " "),
            value[..<space].equalsIgnoringCase("Bearer")
        else { return nil }
        let token = value[space...].trimmedOfBlanks
        return token.isEmpty ? nil : String(token)
    }

    static func segments(of path: String) throws(BadTarget) -> [String] {
        guard path.utf8.first == ASCII.slash else { throw BadTarget() }
        guard path.utf8.count > 1 else { return [] }
        var segments: [String] = []
        for part in path.utf8.dropFirst().split(separator: ASCII.slash, omittingEmptySubsequences: false) {
            if part.contains(ASCII.percent) {
                guard let segment = PercentCoding.decode(part) else { throw BadTarget() }
                segments.append(segment)
            } else {
                segments.append(String(Substring(part)))
            }
        }
        return segments
    }
}

/// A request's target is not a path that can be decoded.
package struct BadTarget: Error, Hashable, CustomStringConvertible {
    package var description: String { "the path cannot be read" }
}
