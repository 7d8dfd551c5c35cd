import AppStore
import Foundation
import HTTP
import Journal
import Testing
import Time

@testable import Refunds

extension Notice {
    static let sample = Notice(
        event: .trigger, tenant: "acme", tenantName: "Acme Games",
        incidentID: UUID(uuidString: "6B29FC40-CA47-1067-B31D-00DD010662DA")!, rule: "deadline-at-risk",
        dedupKey: "refund/acme/deadline-at-risk/1f2e", severity: .critical,
        title: "No reply goes out for com.acme.game in Production: Apple refuses key ABC123",
        effect: "14 refund requests wait; the first ends in 3 h 58 m",
        firstStep: "Open the app's set-up page and add a new key", url: "/t/acme/alerts/6b29fc40",
        runbook: "https://docs.example.com/runbooks/key-refused",
        openedAt: Moment(milliseconds: 1_796_037_854_315), at: Moment(milliseconds: 1_796_038_000_000), count: 14,
        cases: ["/t/acme/cases/one", "2000000123456789"],
        facts: [Fact("Key ID", "ABC123"), Fact("Last answer", "401")])

    func with(_ change: (inout Notice) -> Void) -> Notice {
        var copy = self
        change(&copy)
        return copy
    }
}

extension ChannelBases {
    static let sample = ChannelBases(publicURL: "https://refunds.example.com")

    /// Every service at one address.
    static func all(at url: String) -> ChannelBases {
        var bases = sample
        (bases.pagerDuty, bases.slack, bases.jsm, bases.opsgenie) = (url, url, url, url)
        (bases.discord, bases.telegram, bases.pushover, bases.googleChat) = (url, url, url, url)
        return bases
    }
}

extension OpenedChannel {
    /// A channel of each kind as it would be entered; those with a server of their own have it at `url`.
    static func sample(_ kind: ChannelKind, at url: String = "https://own.example.com") -> OpenedChannel {
        let (target, secret): (String?, String?) =
            switch kind {
            case .pagerduty: (nil, "0123456789abcdef0123456789abcdef")
            case .slack: (nil, "https://hooks.slack.com/services/T0000/B0000/s3cr3t-s3cr3t-s3cr3t")
            case .email: ("on-call@example.com", nil)
            case .webhook: (url + "/hook", "whsec_plJ3nmyCDGBKInavdOK15jsl")
            case .alertmanager: (url, "desk:s3cr3t-s3cr3t-s3cr3t")
            case .jsm: ("0b1f8cd5-0b3e-4c57-9d0c-6b1e3f5f3a11", "person@example.com:s3cr3t-s3cr3t-s3cr3t")
            case .opsgenie: (nil, "5e0b5c1e-0b3e-4c57-9d0c-6b1e3f5f3a11")
            case .discord: (nil, "https://discord.com/api/webhooks/123/s3cr3t-s3cr3t-s3cr3t")
            case .teams: (nil, url + "/workflows/s3cr3t-s3cr3t-s3cr3t")
            case .ntfy: (url + "/our-refunds", "tk_s3cr3t-s3cr3t-s3cr3t")
            case .telegram: ("-1001234567890/42", "123456789:AAs3cr3t-s3cr3t-s3cr3t")
            case .pushover: ("uQiRzpo4DXghDmr9QzzfQu27cmVRsG", "azGDORePK8gMaC0QOYAMyEEuzJnyUi")
            case .gotify: (url + "/", "As3cr3t-s3cr3t")
            case .googlechat:
                (nil, "https://chat.googleapis.com/v1/spaces/AAA/messages?key=k&token=s3cr3t-s3cr3t-s3cr3t")
            }
        return OpenedChannel(
            kind: kind, id: UUID(uuidString: "0E984725-C51C-4BF4-9960-E1C80E27ABA0")!, target: target,
            secret: secret.map { Redacted($0) })
    }
}

/// A JSON text that is asked for values by path: `payload.links.0.href`.
struct ReadJSON {
    let root: JSONValue

    init(_ bytes: [UInt8]?) throws { root = try JSONDocument(try #require(bytes)).root }

    /// A string's text, or any other value's own text; nil where there is none.
    subscript(_ path: String) -> String? { value(path).map { $0.string ?? String(decoding: $0.raw, as: UTF8.self) } }

    func value(_ path: String) -> JSONValue? {
        path.split(separator: ".").reduce(Optional(root)) { value, step in
            if let elements = value?.elements, let index = Int(step) {
                return index < elements.count ? elements[index] : nil
            }
            return value?.members.first { $0.name == step }?.value
        }
    }

    func names(_ path: String = "") -> [String] { value(path)?.members.map(\.name) ?? [] }
    func count(_ path: String) -> Int { value(path)?.elements?.count ?? 0 }
}
