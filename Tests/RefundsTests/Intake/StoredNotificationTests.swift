import AppStore
import Crypto
import Testing

@testable import Refunds

@Suite("The form in which a notification is kept")
struct StoredNotificationTests {
    private let header = Base64URL.encode(Array(#"{"alg":"ES256","x5c":["AA==","BB==","CC=="]}"#.utf8))
    private let signature = Base64URL.encode([UInt8](repeating: 7, count: 64))

    private func signed(_ json: String, header: String? = nil, signature: String? = nil) -> String {
        "\(header ?? self.header).\(Base64URL.encode(Array(json.utf8))).\(signature ?? self.signature)"
    }

    private func note(_ data: String) -> String { signed(#"{"notificationType":"TEST","data":{\#(data)}}"#) }

    private func stored(_ text: String) throws -> StoredNotification {
        .packing(try JWS(Array(text.utf8)), headerNumber: 5)
    }

    private func back(_ stored: StoredNotification) -> String? {
        stored.text { $0 == 5 ? Array(header.utf8) : nil }.map { String(decoding: $0, as: UTF8.self) }
    }

    @Test func `packed, it comes back to the byte, with each inner text decoded once`() throws {
        let transaction = signed(#"{"transactionId":"1","name":"café"}"#)
        let renewal = signed(#"{"autoRenewStatus":1}"#, signature: Base64URL.encode([UInt8](repeating: 9, count: 64)))
        let text = note(
            #""bundleId":"a","signedTransactionInfo":"\#(transaction)","x":[1],"signedRenewalInfo":"\#(renewal)""#)
        let kept = try stored(text)
        #expect(kept.form == .packed)
        #expect(kept.headers == [5, 5, 5])
        #expect(kept.signature.count == 64)
        #expect(back(kept) == text)
        #expect(String(decoding: kept.body, as: UTF8.self).contains(#""transactionId":"1""#))
        #expect(kept.body.count < text.utf8.count / 2)
    }

    @Test func `without inner texts it is packed as well`() throws {
        let text = note(#""bundleId":"a""#)
        #expect(try stored(text).headers == [5])
        #expect(back(try stored(text)) == text)
    }

    @Test func `an inner text under another header stays as it is`() throws {
        let other = signed(
            "{}", header: Base64URL.encode(Array(#"{"alg":"ES256","x5c":["DD==","EE==","FF==","GG=="]}"#.utf8)))
        let text = note(#""signedTransactionInfo":"\#(other)""#)
        #expect(try stored(text).headers == [5])
        #expect(back(try stored(text)) == text)
    }

    @Test func `a signature of another length is kept as received`() throws {
        let text = signed("{}", signature: Base64URL.encode([1, 2, 3]))
        #expect(try stored(text) == .asReceived(Array(text.utf8)))
        #expect(back(try stored(text)) == text)
    }

    @Test func `an inner text that is escaped or misspelled stays as it is`() throws {
        let good = signed("{}")
        for inner in [good + "=", good.replacing("eyJ", with: "\\u0065yJ"), good + ".x"] {
            let text = note(#""signedTransactionInfo":"\#(inner)""#)
            #expect(back(try stored(text)) == text)
        }
    }

    @Test func `a damaged row gives nothing rather than something else`() throws {
        let kept = try stored(note(#""signedTransactionInfo":"\#(signed("{}"))""#))
        #expect(kept.text { _ in nil } == nil)
        for cut in 0..<min(kept.body.count, 80) {
            let damaged = StoredNotification(
                form: .packed, headers: kept.headers, signature: kept.signature, body: Array(kept.body[..<cut]))
            #expect(back(damaged) != back(kept))
        }
    }
}
