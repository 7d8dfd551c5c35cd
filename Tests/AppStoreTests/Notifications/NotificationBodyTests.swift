import AppStore
import Support
import Testing

@Suite struct NotificationBodyTests {
    private func refusal(_ text: String) -> JWSError.Reason? {
        do {
            _ = try NotificationBody.signedPayload(Array(text.utf8))
            return nil
        } catch {
            return error.reason
        }
    }

    @Test func `the signed text is found`() throws {
        #expect(try NotificationBody.signedPayload(Sample.body("a.b.c")) == Array("a.b.c".utf8))
        #expect(
            try NotificationBody.signedPayload(Array(#"{"x":[1],"signedPayload":"a\u002eb.c"}"#.utf8))
                == Array("a.b.c".utf8))
    }

    @Test(arguments: [
        #"{"signedPayload":7}"#, #"{"signedPayload":null}"#, #"{"signedPayload":""}"#, #"{"signedPayload":["a"]}"#,
        "{}",
        "[]", "7", "", "x", #"{"signedPayload":"a","signedPayload":"b"}"#, #"{"SignedPayload":"a.b.c"}"#,
    ])
    func `BL-047: another body is not a notification`(text: String) {
        #expect(refusal(text) == .notANotification)
    }

    @Test func `BL-046: a version 1 notification is recognised`() {
        let body =
            #"{"notification_type":"CONSUMPTION_REQUEST","environment":"PROD","bid":"com.example.alpha","password":"s","unified_receipt":{"latest_receipt_info":[]}}"#
        #expect(refusal(body) == .versionOneNotification)
        #expect(refusal(#"{"unified_receipt":{}}"#) == .versionOneNotification)
        do {
            _ = try NotificationBody.signedPayload(Array(body.utf8))
        } catch {
            #expect(error.text.contains("version 2"))
            #expect(!error.text.contains("example"))
        }
    }
}
