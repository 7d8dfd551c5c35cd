import CCurl

/// A URL that the client is willing to call, taken apart by libcurl's own parser, so that what is checked
/// is what is called.
struct ClientURL {
    let text: String
    /// Numeric IPv4 addresses in their usual form, IPv6 addresses in brackets.
    let host: String
    let isEncrypted: Bool

    static let bytesMax = 8 * 1024

    init?(_ text: String) {
        // A space or control character is never right, and libcurl would take some of them.
        guard (1...Self.bytesMax).contains(text.utf8.count), text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
            let handle = unsafe curl_url()
        else { return nil }
        defer { unsafe curl_url_cleanup(handle) }
        let flags = UInt32(CURLU_DISALLOW_USER | CURLU_PATH_AS_IS)
        guard unsafe curl_url_set(handle, CURLUPART_URL, text, flags) == CURLUE_OK,
            let scheme = unsafe Self.part(CURLUPART_SCHEME, of: handle), scheme == "http" || scheme == "https",
            let host = unsafe Self.part(CURLUPART_HOST, of: handle), !host.isEmpty
        else { return nil }
        self.text = text
        self.host = host
        isEncrypted = scheme == "https"
    }

    private static func part(_ part: CURLUPart, of handle: OpaquePointer) -> String? {
        var value: UnsafeMutablePointer<CChar>?
        guard unsafe curl_url_get(handle, part, &value, 0) == CURLUE_OK, let value = unsafe value else { return nil }
        defer { unsafe curl_free(value) }
        return unsafe String(cString: value)
    }
}
