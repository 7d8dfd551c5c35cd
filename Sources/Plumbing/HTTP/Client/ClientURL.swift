import CCurl
import Loop

/// A URL that the client is willing to call, taken apart by libcurl's own parser, so that what is checked
/// is what is called.
package struct ClientURL {
    package let text: String
    /// Numeric IPv4 addresses in their usual form, IPv6 addresses in brackets.
    package let host: String
    package let isEncrypted: Bool
    /// The scheme's own where none is written.
    package let port: UInt16
    /// As it is sent, without the query.
    package let path: String

    static let bytesMax = 8 * 1024

    package init?(_ text: String) {
        // A space or control character is never right, and libcurl would take some of them.
        guard (1...Self.bytesMax).contains(text.utf8.count), text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
            let handle = unsafe curl_url()
        else { return nil }
        defer { unsafe curl_url_cleanup(handle) }
        let flags = UInt32(CURLU_DISALLOW_USER | CURLU_PATH_AS_IS)
        guard unsafe curl_url_set(handle, CURLUPART_URL, text, flags) == CURLUE_OK,
            let scheme = unsafe Self.part(CURLUPART_SCHEME, of: handle), scheme == "http" || scheme == "https",
            let host = unsafe Self.part(CURLUPART_HOST, of: handle), !host.isEmpty,
            let port = unsafe Self.part(CURLUPART_PORT, of: handle, UInt32(CURLU_DEFAULT_PORT)).flatMap({ UInt16($0) })
        else { return nil }
        self.text = text
        self.host = host
        self.port = port
        path = unsafe Self.part(CURLUPART_PATH, of: handle) ?? "/"
        isEncrypted = scheme == "https"
    }

    /// The path in parts, as a server that tidies paths would read it: decoded, without empty ones and without dots;
    /// nil where it cannot be decoded.
    package var tidySegments: [String]? {
        guard let segments = try? Request.segments(of: path) else { return nil }
        return segments.reduce(into: []) { tidy, segment in
            switch segment {
            case "", ".": break
            case "..": _ = tidy.popLast()
            default: tidy.append(segment)
            }
        }
    }

    /// Whether the host is an IPv4 address that is written as one number, in octal or hexadecimal, or in less than four
    /// parts: other programs may read another address there.
    package var isOddlyWritten: Bool {
        guard IPAddress(host) != nil, let scheme = text.firstRange(of: "://") else { return false }
        let authority = text[scheme.upperBound...].prefix { !"/?#".contains($0) }
        return authority.prefix { $0 != ":" } != host
    }

    /// Names of this machine that no resolver is asked for (RFC 6761).
    package var isLocalhost: Bool {
        let name = host.lowercased()
        let bare = name.hasSuffix(".") ? name.dropLast() : name[...]
        return bare == "localhost" || bare.hasSuffix(".localhost")
    }

    /// Whether the host is this very machine, by name or by address.
    package var isThisMachine: Bool {
        isLocalhost || IPAddress(host.hasPrefix("[") ? host.dropFirst().dropLast() : host[...])?.isLoopback == true
    }

    private static func part(_ part: CURLUPart, of handle: OpaquePointer, _ flags: UInt32 = 0) -> String? {
        var value: UnsafeMutablePointer<CChar>?
        guard unsafe curl_url_get(handle, part, &value, flags) == CURLUE_OK, let value = unsafe value else {
            return nil
        }
        defer { unsafe curl_free(value) }
        return unsafe String(cString: value)
    }
}
