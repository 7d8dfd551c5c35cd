/// Base addresses of the services that have a fixed host, each without a final slash, and our own address.
package struct ChannelBases: Sendable, Hashable {
    package var pagerDuty = "https://events.pagerduty.com"
    package var slack = "https://hooks.slack.com"
    package var jsm = "https://api.atlassian.com"
    package var opsgenie = Self.opsgenieStandard
    package var discord = "https://discord.com"
    package var telegram = "https://api.telegram.org"
    package var pushover = "https://api.pushover.net"
    package var googleChat = "https://chat.googleapis.com"
    /// What people see: links lead there.
    package var publicURL: String

    static let opsgenieStandard = "https://api.opsgenie.com"
    private static let opsgenieEurope = "https://api.eu.opsgenie.com"

    package init(publicURL: String) { self.publicURL = publicURL }

    /// Opsgenie keeps European accounts on a host of their own; an operator's own base stands for both.
    func opsgenie(isEurope: Bool) -> String {
        isEurope && opsgenie == Self.opsgenieStandard ? Self.opsgenieEurope : opsgenie
    }

    /// The host of our address, without port: the right half of message ids, the source of events.
    var publicHost: String {
        let rest = publicURL.firstRange(of: "://").map { publicURL[$0.upperBound...] } ?? publicURL[...]
        if rest.hasPrefix("[") { return "localhost" }
        return String(rest.prefix { $0 != ":" && $0 != "/" })
    }

    /// A link as others can follow it: a path becomes one below our own address. Nil for what is no web address.
    func link(_ text: String?) -> String? {
        guard let text, text.utf8.count <= 2000, text.utf8.allSatisfy(Self.mayStandInLink) else { return nil }
        if text.hasPrefix("/") { return publicURL + text }
        return text.hasPrefix("https://") || text.hasPrefix("http://") ? text : nil
    }

    private static func mayStandInLink(_ byte: UInt8) -> Bool {
        (0x21...0x7E).contains(byte) && ![0x22, 0x3C, 0x3E, 0x5C, 0x5E, 0x60, 0x7C].contains(byte)
    }
}
