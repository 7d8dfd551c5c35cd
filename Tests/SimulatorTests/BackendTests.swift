import Crypto
import HTTP
import Support
import Testing
import Time

@testable import Simulator

@Suite("Apps' own servers, as they are played") struct BackendTests {
    private static let secret = "whsec_plJ3nmyCDGBKInavdOK15jsl"

    private func request(
        _ timestamp: String, _ signature: String, body: String = #"{"event_type":"ping","data":{"success":true}}"#
    ) throws
        -> Request
    {
        try Request(
            method: .post, target: "/backend/a/evidence",
            headers: [
                "webhook-id": "msg_loFOjxBNrRLzqYUf", "webhook-timestamp": timestamp, "webhook-signature": signature,
            ], body: Array(body.utf8))
    }

    /// The sample of Standard Webhooks itself.
    @Test func `a signature is checked as the scheme says`() throws {
        let right = "v1,rAvfW3dJ/X/qxhsaXPOyyCGmRKsaKWcsNccKXlIktD0="
        let then = Moment(milliseconds: 1_731_705_121_000)
        #expect(BackendDoor.isSigned(try request("1731705121", right), with: Self.secret, at: then))
        #expect(BackendDoor.isSigned(try request("1731705121", "v1,AAAA \(right)"), with: Self.secret, at: then))
        #expect(!BackendDoor.isSigned(try request("1731705121", right, body: "{}"), with: Self.secret, at: then))
        #expect(!BackendDoor.isSigned(try request("1731705122", right), with: Self.secret, at: then))
        #expect(!BackendDoor.isSigned(try request("1731705121", right), with: Self.secret, at: then + .minutes(6)))
        #expect(!BackendDoor.isSigned(try request("1731705121", right), with: "whsec_AAAA", at: then))
    }
}
