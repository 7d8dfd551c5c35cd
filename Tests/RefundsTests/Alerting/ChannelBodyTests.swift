import AppStore
import Crypto
import Foundation
import Journal
import Testing
import Time

@testable import HTTP
@testable import Refunds

@Suite("What each channel sends") struct ChannelBodyTests {
    private static let now = Moment(milliseconds: 1_796_038_001_000)
    private let page = "https://refunds.example.com/t/acme/alerts/6b29fc40"
    private let runbook = "https://docs.example.com/runbooks/key-refused"
    private let headline = Notice.sample.title

    private func requests(
        _ kind: ChannelKind, _ notice: Notice = .sample, _ channel: OpenedChannel? = nil,
        bases: ChannelBases = .sample
    ) throws -> [ChannelRequest] {
        let service = try #require(ChannelSender.service(channel ?? .sample(kind), bases))
        return service.requests(for: notice, at: Self.now)
    }

    private func sent(_ kind: ChannelKind, _ notice: Notice = .sample) throws -> (ChannelRequest, ReadJSON) {
        let requests = try requests(kind, notice)
        #expect(requests.count == 1)
        let request = try #require(requests.first)
        #expect(request.method == .post && request.fields["Content-Type"] == "application/json")
        return (request, try ReadJSON(request.body))
    }

    @Test func `PagerDuty: a trigger has every field of Events API v2`() throws {
        let (request, body) = try sent(.pagerduty)
        #expect(request.url == "https://events.pagerduty.com/v2/enqueue" && request.host == .service)
        #expect(request.fields["Authorization"] == nil)
        #expect(body["routing_key"] == "0123456789abcdef0123456789abcdef" && body["event_action"] == "trigger")
        #expect(body["dedup_key"] == "refund/acme/deadline-at-risk/1f2e")
        #expect(body["client"] == "Refund Desk" && body["client_url"] == page)
        #expect(body["links.0.href"] == page && body["links.0.text"] == "Open incident")
        #expect(body["links.1.href"] == runbook && body["links.1.text"] == "Runbook")
        #expect(body["payload.summary"] == "acme: " + headline && body["payload.source"] == "refunds.example.com")
        #expect(body["payload.severity"] == "critical" && body["payload.timestamp"] == "2026-11-30T11:26:40.000Z")
        #expect(body["payload.component"] == "refund-desk" && body["payload.group"] == "acme")
        #expect(body["payload.class"] == "deadline-at-risk")
        #expect(body["payload.custom_details.effect"] == Notice.sample.effect)
        #expect(body["payload.custom_details.first_step"] == Notice.sample.firstStep)
        #expect(body["payload.custom_details.count"] == "14")
        #expect(body["payload.custom_details.facts.0"] == "Key ID: ABC123")
        #expect(body["payload.custom_details.cases.0"] == "https://refunds.example.com/t/acme/cases/one")
    }

    @Test(arguments: [(Notice.Event.acknowledged(by: "Mira"), "acknowledge"), (.resolved, "resolve")])
    func `PagerDuty: what ends an alert says nothing else`(event: Notice.Event, action: String) throws {
        let (_, body) = try sent(.pagerduty, Notice.sample.with { $0.event = event })
        #expect(body.names() == ["routing_key", "event_action", "dedup_key"])
        #expect(body["event_action"] == action && body["dedup_key"] == "refund/acme/deadline-at-risk/1f2e")
    }

    @Test func `PagerDuty: a test is opened with the mildest severity, and closed`() throws {
        let requests = try requests(.pagerduty, Notice.sample.with { $0.event = .test })
        let bodies = try requests.map { try ReadJSON($0.body) }
        #expect(bodies.map { $0["event_action"] } == ["trigger", "resolve"])
        #expect(bodies[0]["payload.severity"] == "info")
        #expect(bodies[0]["dedup_key"] == bodies[1]["dedup_key"])
    }

    @Test func `Slack: text for lists and blocks for the message`() throws {
        let (request, body) = try sent(.slack)
        #expect(request.url == "https://hooks.slack.com/services/T0000/B0000/s3cr3t-s3cr3t-s3cr3t")
        #expect(request.host == .service && body["text"] == "[acme] CRITICAL " + headline)
        #expect(body["blocks.0.type"] == "header" && body["blocks.0.text.type"] == "plain_text")
        #expect(body["blocks.0.text.text"] == headline)
        #expect(body["blocks.1.text.type"] == "mrkdwn")
        #expect(body["blocks.1.text.text"]?.hasPrefix(Notice.sample.effect + "\nFirst step: Open the app's") == true)
        #expect(body["blocks.2.fields.0.text"] == "*Key ID*\nABC123" && body.count("blocks.2.fields") == 2)
        #expect(body["blocks.3.text.text"]?.hasPrefix("Cases: https://refunds.example.com/t/acme/cases/one") == true)
        #expect(body["blocks.4.type"] == "actions" && body["blocks.4.elements.0.url"] == page)
        #expect(body["blocks.4.elements.1.url"] == runbook)
        #expect(body["blocks.5.elements.0.text"] == "Acme Games (acme) · critical · deadline-at-risk")
    }

    @Test func `a hook on another host than the service's own was chosen by a tenant`() throws {
        let mattermost = OpenedChannel(
            kind: .slack, id: UUID(), target: nil, secret: .init("https://hooks.slack.com.evil.example/services/x"))
        let request = try #require(requests(.slack, .sample, mattermost).first)
        #expect(request.host == .tenant && request.url == "https://hooks.slack.com.evil.example/services/x")
        let placed = try #require(requests(.slack, bases: .all(at: "http://127.0.0.1:9/s")).first)
        #expect(placed.url == "http://127.0.0.1:9/s/services/T0000/B0000/s3cr3t-s3cr3t-s3cr3t")
        #expect(placed.host == .service)
    }

    @Test func `webhook: the body is Standard Webhooks' form and signed with every secret`() throws {
        let secrets = "whsec_plJ3nmyCDGBKInavdOK15jsl, whsec_" + Base64.encode([UInt8](repeating: 9, count: 32))
        let channel = OpenedChannel(
            kind: .webhook, id: UUID(), target: "https://own.example.com/hook?x=1", secret: .init(secrets))
        let request = try #require(requests(.webhook, .sample, channel).first)
        #expect(request.url == "https://own.example.com/hook?x=1" && request.host == .tenant)
        let body = try ReadJSON(request.body)
        #expect(body["type"] == "incident.opened" && body["timestamp"] == "2026-11-30T11:26:40.000Z")
        #expect(body["data.incidentId"] == "6b29fc40-ca47-1067-b31d-00dd010662da" && body["data.tenant"] == "acme")
        #expect(body["data.rule"] == "deadline-at-risk" && body["data.severity"] == "critical")
        #expect(body["data.dedupKey"] == "refund/acme/deadline-at-risk/1f2e" && body["data.title"] == headline)
        #expect(body["data.effect"] == Notice.sample.effect && body["data.firstStep"] == Notice.sample.firstStep)
        #expect(body["data.url"] == page && body["data.runbook"] == runbook)
        #expect(body["data.openedAt"] == "1796037854315" && body["data.at"] == "1796038000000")
        #expect(body["data.count"] == "14" && body["data.cases.1"] == "2000000123456789")
        #expect(body["data.facts.0.name"] == "Key ID" && body["data.facts.0.value"] == "ABC123")
        #expect(request.fields["webhook-timestamp"] == "1796038001")
        let signatures = request.fields["webhook-signature"]?.split(separator: " ") ?? []
        #expect(signatures.count == 2 && Set(signatures).count == 2 && signatures.allSatisfy { $0.hasPrefix("v1,") })
        // Sent again later it is the same message; another notice of the incident is another one.
        let service = WebhookChannel(channel: channel, bases: .sample)
        let again = service.requests(for: .sample, at: Self.now + .minutes(9))[0]
        #expect(again.fields["webhook-id"] == request.fields["webhook-id"] && again.body == request.body)
        #expect(again.fields["webhook-timestamp"] == "1796038541")
        let next = service.requests(for: Notice.sample.with { $0.sequence = 2 }, at: Self.now)[0]
        #expect(next.fields["webhook-id"] != request.fields["webhook-id"])
        let remade = service.requests(for: Notice.sample.with { $0.at = Self.now }, at: Self.now)[0]
        #expect(remade.fields["webhook-id"] == request.fields["webhook-id"])
    }

    @Test func `Alertmanager: labels stay the same, the end is far while it is open and past when it is over`() throws {
        let (request, body) = try sent(.alertmanager)
        #expect(request.url == "https://own.example.com/api/v2/alerts" && request.host == .tenant)
        #expect(request.fields["Authorization"] == "Basic " + Base64.encode(Array("desk:s3cr3t-s3cr3t-s3cr3t".utf8)))
        #expect(body["0.labels.alertname"] == "deadline-at-risk" && body["0.labels.tenant"] == "acme")
        #expect(body["0.labels.severity"] == "critical" && body["0.labels.service"] == "refund-desk")
        #expect(body["0.labels.cause"] == "refund/acme/deadline-at-risk/1f2e")
        #expect(body["0.annotations.summary"] == headline && body["0.annotations.runbook_url"] == runbook)
        #expect(body["0.annotations.description"] == Notice.sample.effect)
        #expect(body["0.annotations.count"] == "14" && body["0.generatorURL"] == page)
        #expect(body["0.startsAt"] == "2026-11-30T11:24:14.315Z" && body["0.endsAt"] == "2026-11-30T11:36:41.000Z")
        let later = Notice.sample.with { ($0.event, $0.count, $0.effect, $0.sequence) = (.reminder, 99, "other", 3) }
        let (_, again) = try sent(.alertmanager, later)
        #expect(again.value("0.labels")?.raw.elementsEqual(body.value("0.labels")?.raw ?? []) == true)
        let (_, over) = try sent(.alertmanager, Notice.sample.with { $0.event = .resolved })
        #expect(over["0.endsAt"] == "2026-11-30T11:26:40.000Z")
        #expect(over.value("0.labels")?.raw.elementsEqual(body.value("0.labels")?.raw ?? []) == true)
        #expect(ChannelKind.alertmanager.resendEvery.map { $0 * 3 < AlertmanagerChannel.openFor } == true)
    }

    @Test func `Opsgenie: created by alias and closed by alias`() throws {
        let (request, body) = try sent(.opsgenie)
        #expect(request.url == "https://api.opsgenie.com/v2/alerts" && request.host == .service)
        #expect(request.fields["Authorization"] == "GenieKey 5e0b5c1e-0b3e-4c57-9d0c-6b1e3f5f3a11")
        #expect(body["message"] == "[acme] " + headline && body["alias"] == "refund/acme/deadline-at-risk/1f2e")
        #expect(body["priority"] == "P1" && body["source"] == "refunds.example.com")
        #expect(body["details.Key ID"] == "ABC123" && body["details.count"] == "14" && body["details.url"] == page)
        #expect(body["tags.0"] == "refund-desk")
        #expect(body["description"]?.contains(Notice.sample.effect) == true)
        let (close, closing) = try sent(.opsgenie, Notice.sample.with { $0.event = .resolved })
        #expect(
            close.url == "https://api.opsgenie.com/v2/alerts/refund%2Facme%2Fdeadline-at-risk%2F1f2e/close"
                + "?identifierType=alias")
        #expect(closing.names() == ["source"])
        let europe = OpenedChannel(kind: .opsgenie, id: UUID(), target: "eu", secret: .init("key"))
        #expect(try requests(.opsgenie, .sample, europe).first?.url == "https://api.eu.opsgenie.com/v2/alerts")
        let own = try requests(.opsgenie, .sample, europe, bases: .all(at: "http://127.0.0.1:9")).first
        #expect(own?.url == "http://127.0.0.1:9/v2/alerts")
    }

    @Test func `Jira Service Management: the same fields; an end asks for the id first`() throws {
        let (request, body) = try sent(.jsm)
        let base = "https://api.atlassian.com/jsm/ops/api/0b1f8cd5-0b3e-4c57-9d0c-6b1e3f5f3a11/v1"
        #expect(request.url == base + "/alerts")
        let basic = "Basic " + Base64.encode(Array("person@example.com:s3cr3t-s3cr3t-s3cr3t".utf8))
        #expect(request.fields["Authorization"] == basic)
        #expect(body["alias"] == "refund/acme/deadline-at-risk/1f2e" && body["priority"] == "P1")
        let resolved = Notice.sample.with { $0.event = .resolved }
        let asking = try #require(requests(.jsm, resolved).first)
        #expect(asking.method == .get && asking.body == nil && asking.fields["Authorization"] == basic)
        #expect(asking.url == base + "/alerts/alias?alias=refund%2Facme%2Fdeadline-at-risk%2F1f2e")
        let service = JSMChannel(channel: .sample(.jsm), bases: .sample)
        let found = ClientResponse(
            status: 200, headers: [:], body: Array(#"{"id":"ab/c-1","alias":"x"}"#.utf8), httpVersion: 1)
        let close = try #require(service.following(asking, found, for: resolved))
        #expect(close.method == .post && close.url == base + "/alerts/ab%2Fc-1/close")
        #expect(try ReadJSON(close.body).names() == ["source"])
    }

    @Test func `Discord: one embed that mentions nobody`() throws {
        let (request, body) = try sent(.discord)
        #expect(request.url == "https://discord.com/api/webhooks/123/s3cr3t-s3cr3t-s3cr3t?wait=true")
        #expect(body.count("allowed_mentions.parse") == 0 && body.value("allowed_mentions.parse") != nil)
        #expect(body.count("embeds") == 1 && body["embeds.0.title"] == headline && body["embeds.0.url"] == page)
        #expect(body["embeds.0.description"]?.hasPrefix(Notice.sample.effect) == true)
        #expect(body["embeds.0.fields.0.name"] == "Key ID" && body["embeds.0.fields.0.value"] == "ABC123")
        #expect(body["embeds.0.timestamp"] == "2026-11-30T11:26:40.000Z")
        let threaded = OpenedChannel(
            kind: .discord, id: UUID(), target: nil,
            secret: .init("https://discord.com/api/webhooks/1/t?thread_id=7"))
        #expect(try requests(.discord, .sample, threaded).first?.url.hasSuffix("?thread_id=7&wait=true") == true)
    }

    @Test func `Teams: an adaptive card in a message`() throws {
        let (request, body) = try sent(.teams)
        #expect(request.url == "https://own.example.com/workflows/s3cr3t-s3cr3t-s3cr3t" && request.host == .tenant)
        #expect(body["type"] == "message")
        #expect(body["attachments.0.contentType"] == "application/vnd.microsoft.card.adaptive")
        #expect(body.value("attachments.0.contentUrl")?.isNull == true)
        let card = "attachments.0.content"
        #expect(body["\(card).$schema"] == "http://adaptivecards.io/schemas/adaptive-card.json")
        #expect(body["\(card).type"] == "AdaptiveCard" && body["\(card).version"] == "1.2")
        #expect(body["\(card).fallbackText"] == "[acme] CRITICAL " + headline)
        #expect(body["\(card).body.0.type"] == "TextBlock" && body["\(card).body.0.text"] == headline)
        #expect(body["\(card).body.0.weight"] == "bolder" && body["\(card).body.0.wrap"] == "true")
        #expect(body["\(card).body.4.type"] == "FactSet" && body["\(card).body.4.facts.3.title"] == "Key ID")
        #expect(body["\(card).actions.0.type"] == "Action.OpenUrl" && body["\(card).actions.0.url"] == page)
    }

    @Test func `ntfy: JSON to the server's root`() throws {
        let (request, body) = try sent(.ntfy)
        #expect(request.url == "https://own.example.com" && request.host == .tenant)
        #expect(request.fields["Authorization"] == "Bearer tk_s3cr3t-s3cr3t-s3cr3t")
        #expect(body["topic"] == "our-refunds" && body["title"] == headline && body["priority"] == "5")
        #expect(body["message"]?.hasPrefix(Notice.sample.effect) == true && body["markdown"] == "false")
        #expect(body["tags.0"] == "rotating_light" && body["click"] == page)
        #expect(body["actions.0.action"] == "view" && body["actions.0.url"] == page)
    }

    @Test func `Telegram: a message in HTML to a chat and its topic`() throws {
        let (request, body) = try sent(.telegram)
        #expect(request.url == "https://api.telegram.org/bot123456789:AAs3cr3t-s3cr3t-s3cr3t/sendMessage")
        #expect(body["chat_id"] == "-1001234567890" && body["message_thread_id"] == "42")
        #expect(body["parse_mode"] == "html")
        #expect(body["text"]?.hasPrefix("<b>\(headline)</b>\n") == true)
        #expect(body["text"]?.contains("<a href=\"\(page)\">Open incident</a>") == true)
        #expect(body["text"]?.contains("Key ID: ABC123") == true)
    }

    @Test func `Pushover: what is critical rings until it is confirmed`() throws {
        let (request, body) = try sent(.pushover)
        #expect(request.url == "https://api.pushover.net/1/messages.json")
        #expect(body["token"] == "azGDORePK8gMaC0QOYAMyEEuzJnyUi")
        #expect(body["user"] == "uQiRzpo4DXghDmr9QzzfQu27cmVRsG" && body["title"] == "[acme] " + headline)
        #expect(body["url"] == page && body["url_title"] == "Open incident")
        #expect(body["priority"] == "2" && body["retry"] == "60" && body["expire"] == "3600")
        for notice in [Notice.sample.with { $0.severity = .error }, Notice.sample.with { $0.event = .resolved }] {
            let (_, calm) = try sent(.pushover, notice)
            #expect(calm["priority"] != "2" && calm["retry"] == nil && calm["expire"] == nil)
        }
    }

    @Test func `Gotify: token in the query, the rest in the body`() throws {
        let (request, body) = try sent(.gotify)
        #expect(request.url == "https://own.example.com/message?token=As3cr3t-s3cr3t" && request.host == .tenant)
        #expect(body["title"] == "[acme] " + headline && body["priority"] == "10")
        #expect(body["message"]?.contains(Notice.sample.effect) == true)
    }

    @Test func `Google Chat: one card`() throws {
        let (request, body) = try sent(.googlechat)
        #expect(request.url.hasPrefix("https://chat.googleapis.com/v1/spaces/AAA/messages?key=k&token="))
        #expect(body["cardsV2.0.card.header.title"] == headline)
        let widgets = "cardsV2.0.card.sections.0.widgets"
        #expect(body["\(widgets).0.textParagraph.text"] == Notice.sample.effect)
        #expect(body["\(widgets).3.decoratedText.topLabel"] == "Key ID")
        #expect(body["\(widgets).3.decoratedText.text"] == "ABC123")
        #expect(body["\(widgets).6.buttonList.buttons.0.onClick.openLink.url"] == page)
    }

    @Test(
        arguments: ChannelKind.allCases.filter { ![.email, .pagerduty, .opsgenie, .jsm, .alertmanager].contains($0) })
    func `an end says so in the first words, and names no first step`(kind: ChannelKind) throws {
        let (_, body) = try sent(kind, Notice.sample.with { $0.event = .resolved })
        let text = String(decoding: body.root.raw, as: UTF8.self)
        #expect(text.contains("Resolved: ") || text.contains("incident.resolved"))
        #expect(kind == .webhook || !text.contains(Notice.sample.firstStep))
    }

    @Test func `the order of severities`() {
        #expect(Severity.allCases == [.info, .warning, .error, .critical])
        #expect(Severity.allCases.sorted() == Severity.allCases)
    }
}
