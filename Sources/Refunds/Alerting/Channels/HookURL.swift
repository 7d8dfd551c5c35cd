/// A hook's secret URL, and who is called by it.
enum HookURL {
    /// The URL on the operator's base where it is on the service's own host; every other host was chosen by a tenant.
    static func placed(_ url: String, standard: String, base: String) -> (url: String, host: ChannelRequest.Host) {
        guard url.hasPrefix(standard + "/") else { return (url, .tenant) }
        return (base + url.dropFirst(standard.count), .service)
    }
}
