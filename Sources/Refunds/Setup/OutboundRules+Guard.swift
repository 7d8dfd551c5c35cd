package import HTTP
package import Tenants

extension OutboundRules {
    /// What the outbound guard says of a URL before it is called, and that a notification passed on to an address of our
    /// own would come round for ever.
    ///
    /// - Parameter publicURL: where this installation is reached.
    package init(_ addresses: AddressGuard, publicURL: String) {
        let own = ClientURL(publicURL)
        self.init(
            { text in
                if let objection = addresses.objection(to: text) { return Self.words(objection) }
                if let own, let url = ClientURL(text), url.isSameHost(as: own), url.tidySegments?.first == "n" {
                    return
                        "is a notification URL of this installation: what is passed on would arrive here again and again. Give the address of the other receiver"
                }
                return nil
            }, isInner: { addresses.opensInner(to: $0) })
    }

    private static func words(_ objection: AddressGuard.Objection) -> String {
        switch objection {
        case .notCallable: "is no address that can be called: it is written https://host/path"
        case .plain:
            "must begin with https://: http:// is only for addresses of a private network that whoever runs this installation allows"
        case .privateAddress(let host):
            "leads to \(host), an address of a private network: whoever runs this installation allows such in REFUND_DESK_OUTBOUND_ALLOW_PRIVATE"
        case .neverCalled(let host): "leads to \(host), which is never called: give an address on the Internet"
        }
    }
}

extension ClientURL {
    /// Whether both lead to one server: the same port, or the usual one of each scheme; all names of this machine are one.
    fileprivate func isSameHost(as other: ClientURL) -> Bool {
        let isUsual = port == (isEncrypted ? 443 : 80) && other.port == (other.isEncrypted ? 443 : 80)
        guard port == other.port || isUsual else { return false }
        return bareHost == other.bareHost
    }

    private var bareHost: String {
        if isThisMachine { return "localhost" }
        let name = host.lowercased()
        return name.hasSuffix(".") ? String(name.dropLast()) : name
    }
}
