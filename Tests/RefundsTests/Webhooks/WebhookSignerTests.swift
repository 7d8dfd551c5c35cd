import Testing
import Time

@testable import HTTP
@testable import Refunds

@Suite("Signed webhooks") struct WebhookSignerTests {
    private let secret = "whsec_plJ3nmyCDGBKInavdOK15jsl"

    @Test func `the test vector of Standard Webhooks`() throws {
        let signer = WebhookSigner(secrets: [try #require(WebhookSecret(secret))])
        let fields = signer.fields(
            id: "msg_loFOjxBNrRLzqYUf", at: Moment(milliseconds: 1_731_705_121_999),
            body: Array(#"{"event_type":"ping","data":{"success":true}}"#.utf8))
        #expect(fields.map(\.name) == ["webhook-id", "webhook-timestamp", "webhook-signature"])
        #expect(fields[0].value == "msg_loFOjxBNrRLzqYUf" && fields[1].value == "1731705121")
        #expect(fields[2].value == "v1,rAvfW3dJ/X/qxhsaXPOyyCGmRKsaKWcsNccKXlIktD0=")
    }

    @Test func `while a secret is replaced both sign, the new one first`() throws {
        let new = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
        let both = WebhookSigner(secrets: try #require(WebhookSecret.list("\(new),\n\(secret)")))
        let signatures = both.fields(id: "msg_1", at: Moment(seconds: 1), body: [1])[2].value.split(separator: " ")
        let alone = [new, secret].compactMap { text in
            WebhookSecret(text).map {
                WebhookSigner(secrets: [$0]).fields(id: "msg_1", at: Moment(seconds: 1), body: [1])[2].value
            }
        }
        #expect(signatures.map(String.init) == alone && alone.count == 2)
    }

    @Test(arguments: [
        "", "whsec_", "plJ3nmyCDGBKInavdOK15jsl", "whsec_plJ3nmyCDGBKInavdOK15js", "whsec_c2hvcnQ=", "whsec_*",
    ])
    func `what is no secret is none, alone or among others`(text: String) {
        #expect(WebhookSecret(text) == nil)
        #expect(WebhookSecret.list(text) == nil)
        #expect(text.isEmpty || WebhookSecret.list("\(secret),\(text)") == nil)
        #expect(WebhookSecret.list(Array(repeating: secret, count: 5).joined(separator: ",")) == nil)
    }

    @Test func `no description shows a key`() throws {
        let opened = try #require(WebhookSecret(secret))
        var text = "\(opened)"
        dump(opened, to: &text)
        #expect(text.contains("redacted") && !text.contains("166") && !text.contains("plJ3"))
    }

    @Test(
        arguments: [
            (200, nil, WebhookVerdict.taken), (204, "disable", .taken), (301, nil, .again), (302, nil, .again),
            (400, nil, .again), (404, nil, .again), (500, nil, .again), (410, nil, .endpointGone),
            (500, "abort-message", .abandoned), (400, "Disable", .endpointGone), (500, "something", .again),
        ] as [(Int, String?, WebhookVerdict)])
    func `an answer says whether to go on`(status: Int, field: String?, verdict: WebhookVerdict) {
        var fields = HeaderFields()
        if let field { fields.add("Webhook-Delivery", field) }
        #expect(WebhookVerdict(ClientResponse(status: status, headers: fields, body: [], httpVersion: 1)) == verdict)
    }
}
