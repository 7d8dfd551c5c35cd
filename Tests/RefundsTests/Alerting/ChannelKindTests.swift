import Foundation
import Journal
import Tenants
import Testing

@testable import Refunds

@Suite("Kinds of channels") struct ChannelKindTests {
    private let key = "0123456789abcdef0123456789abcdef"

    @Test(arguments: ChannelKind.allCases)
    func `a proper entry is taken, trimmed, and its secret is in no description`(kind: ChannelKind) throws {
        let sample = OpenedChannel.sample(kind)
        let entry = try kind.check(
            target: sample.target.map { " \($0)\n" }, secret: (sample.secret?.reveal()).map { "\t\($0) \n" })
        #expect(entry.target == sample.target && entry.secret == sample.secret)
        #expect(!kind.name.isEmpty)
        var text = "\(entry) \(sample)"
        dump(entry, to: &text)
        dump(sample, to: &text)
        if let secret = sample.secret?.reveal() { #expect(!text.contains(secret)) }
    }

    @Test(arguments: ChannelKind.allCases)
    func `BL-114: what is needed and missing is refused with the label of its field`(kind: ChannelKind) throws {
        let sample = OpenedChannel.sample(kind)
        for blank in [nil, "", "  \n"] as [String?] {
            if kind.needsTarget {
                #expect(throws: ChannelTargetError.self) {
                    try kind.check(target: blank, secret: sample.secret?.reveal())
                }
            }
            if kind.needsSecret {
                do throws(ChannelTargetError) {
                    _ = try kind.check(target: sample.target, secret: blank)
                    Issue.record("\(kind) was taken without its secret")
                } catch {
                    #expect(error.field == kind.secret?.label && error.text.hasPrefix("is needed: "))
                }
            }
        }
    }

    @Test func `what is optional may be left out`() throws {
        #expect(try ChannelKind.ntfy.check(target: "https://ntfy.sh/topic", secret: nil).secret == nil)
        #expect(try ChannelKind.alertmanager.check(target: "https://am.example", secret: "").secret == nil)
        #expect(try ChannelKind.opsgenie.check(target: nil, secret: key).target == nil)
        #expect(try ChannelKind.opsgenie.check(target: "eu", secret: key).target == "eu")
    }

    @Test(
        arguments: [
            (ChannelKind.pagerduty, nil, "0123456789abcdef0123456789abcde"),
            (.pagerduty, nil, "0123456789abcdef-123456789abcdef"),
            (.pagerduty, "something", "0123456789abcdef0123456789abcdef"), (.slack, nil, "hooks.slack.com/services/x"),
            (.slack, nil, "http://hooks.slack.com/services/x"), (.slack, nil, "https://hooks.slack.com/archives/C1"),
            (.slack, nil, "https://hooks.slack.com.evil.example/services/x"),
            (.slack, nil, "https://mattermost.example/hooks/x"), (.slack, nil, "https://hooks.slack-gov.com/other/x"),
            (.discord, nil, "https://discord.example/api/webhooks/1/x"),
            (.googlechat, nil, "https://chat.example/v1/spaces/x"),
            (.slack, nil, "https://u:p@hooks.slack.com/services/x"), (.email, "desk", nil),
            (.email, "a@b.example, c@d.example", nil),
            (.email, "a@b.example", "x"), (.webhook, "ftp://x.example", "whsec_plJ3nmyCDGBKInavdOK15jsl"),
            (.webhook, "https://x.example", "secret"), (.webhook, "https://x.example", "whsec_c2hvcnQ="),
            (.webhook, "http://x.example", "whsec_plJ3nmyCDGBKInavdOK15jsl"),
            (.alertmanager, "https://x.example/?q=1", nil),
            (.jsm, "not-a-uuid", "a@b.example:token"), (.jsm, "0b1f8cd5-0b3e-4c57-9d0c-6b1e3f5f3a11", "token"),
            (.opsgenie, "mars", "5e0b5c1e-0b3e-4c57-9d0c-6b1e3f5f3a11"),
            (.opsgenie, nil, "key key key key key key key"),
            (.discord, nil, "https://discord.com/channels/1/2"), (.teams, nil, "teams"),
            (.ntfy, "https://ntfy.sh", nil),
            (.ntfy, "https://ntfy.sh/a/b c", nil), (.telegram, "group", "123456789:AAs3cr3t-s3cr3t-s3cr3t"),
            (.telegram, "-100123", "token"), (.pushover, "short", "azGDORePK8gMaC0QOYAMyEEuzJnyUi"),
            (.gotify, "https://x.example", "key?key=key"), (.googlechat, nil, "https://chat.googleapis.com/v2/x"),
        ] as [(ChannelKind, String?, String?)])
    func `what cannot be right is refused in words that do not repeat the secret`(
        kind: ChannelKind, target: String?, secret: String?
    ) {
        do throws(ChannelTargetError) {
            _ = try kind.check(target: target, secret: secret)
            Issue.record("\(kind) took \(target ?? "–") and \(secret ?? "–")")
        } catch {
            #expect(!error.text.isEmpty)
            if let secret, secret.count > 8 { #expect(!error.description.contains(secret)) }
        }
    }

    @Test func `without encryption only where the operator allows private addresses`() throws {
        let secret = "whsec_plJ3nmyCDGBKInavdOK15jsl"
        let url = "http://10.0.0.1/hook"
        #expect(throws: ChannelTargetError.self) { try ChannelKind.webhook.check(target: url, secret: secret) }
        #expect(try ChannelKind.webhook.check(target: url, secret: secret, allowsPlain: true).target == url)
    }

    @Test func `a service's hooks are on its own hosts, and where the operator opened the network on what stands in`()
        throws
    {
        for url in ["https://hooks.slack.com/services/T/B/x", "https://hooks.slack-gov.com/services/T/B/x"] {
            #expect(try ChannelKind.slack.check(target: nil, secret: url).secret?.reveal() == url)
        }
        for (kind, path) in [
            (ChannelKind.slack, "/hooks/x"), (.discord, "/api/webhooks/1/x"), (.googlechat, "/v1/spaces/x"),
        ] {
            let inner = "http://10.0.0.1\(path)"
            let rules = OutboundRules({ _ in nil }, isInner: { $0 == inner })
            #expect(try kind.check(target: nil, secret: inner, rules: rules).secret?.reveal() == inner)
            let error = #expect(throws: ChannelTargetError.self) {
                try kind.check(target: nil, secret: "https://look-alike.example\(path)", rules: rules)
            }
            #expect(error?.text.contains("has its hooks there alone") == true)
        }
    }

    @Test func `names are those of the command line`() {
        #expect(
            ChannelKind.allCases.map(\.rawValue) == [
                "pagerduty", "slack", "email", "webhook", "alertmanager", "jsm", "opsgenie", "discord", "teams", "ntfy",
                "telegram", "pushover", "gotify", "googlechat",
            ])
    }
}

extension ChannelKind {
    /// With the rules of an operator who allows private networks, or who does not.
    fileprivate func check(target: String?, secret: String?, allowsPlain: Bool = false)
        throws(ChannelTargetError) -> ChannelEntry
    {
        try check(
            target: target, secret: secret,
            rules: OutboundRules { allowsPlain || $0.hasPrefix("https://") ? nil : "must begin with https://" })
    }
}
