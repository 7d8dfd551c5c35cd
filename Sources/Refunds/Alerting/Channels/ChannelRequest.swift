import HTTP

/// One call that a channel makes, as composed: nothing is sent by making it. Its address may be secret.
struct ChannelRequest: Sendable {
    /// Who chose the host, and so which client calls it.
    enum Host: Sendable, Hashable {
        /// The service, or the operator by a setting.
        case service
        /// A tenant: private addresses only where the operator allows them.
        case tenant
    }

    var method = Method.post
    var url: String
    var host: Host
    var headers: [(name: String, value: String)] = []
    var body: [UInt8]?

    /// A POST of a JSON text.
    init(_ url: String, at host: Host, _ json: JSONOut, headers: [(name: String, value: String)] = []) {
        self.url = url
        self.host = host
        body = json.bytes
        self.headers = [("Content-Type", "application/json")] + headers
    }

    /// A GET.
    init(asking url: String, at host: Host, headers: [(name: String, value: String)]) {
        method = .get
        self.url = url
        self.host = host
        self.headers = headers
    }

    var fields: HeaderFields {
        var fields = HeaderFields()
        for (name, value) in headers { fields.add(name, value) }
        return fields
    }
}
