import AppStore
import Support

import Testing
import Time

@testable import HTTP
@testable import Refunds

@Suite("Answers of apps' servers") struct CallbackAnswerTests {
    private static let t = (noon - .days(1)).milliseconds

    private func read(_ text: String) throws -> CallbackAnswer { try CallbackAnswer(Array(text.utf8), at: noon) }

    private func outcome(_ status: Int, _ body: String = "", _ fields: HeaderFields = HeaderFields()) -> CallbackOutcome
    {
        CallbackOutcome(
            ClientResponse(status: status, headers: fields, body: Array(body.utf8), httpVersion: 1), at: noon)
    }

    @Test func `every member is read, and what nobody knows is passed over`() throws {
        let answer = try read(
            """
            {"consent":{"consented":true,"recordedAt":\(Self.t),"wordingVersion":"3","more":1},"deliveryStatus":"DELIVERED",
             "consumptionPercentage":45200,"sampleContentProvided":false,"observedAt":\(Self.t),"note":"Played for an hour.",
             "later":{"a":[1]}}
            """)
        #expect(
            answer.consent
                == .init(consented: true, recordedAt: Moment(milliseconds: Self.t), wordingVersion: "3"))
        #expect(answer.deliveryStatus == .delivered && answer.consumptionPercentage == 45_200)
        #expect(answer.sampleContentProvided == false && answer.observedAt == Moment(milliseconds: Self.t))
        #expect(answer.note == "Played for an hour." && answer.troubles.isEmpty)
        #expect(answer.taken == ["consent given", "DELIVERED", "45.2 % used", "no free sample", "a note"])
    }

    @Test(arguments: [
        (#"{"note":"a","note":"b"}"#, "names a member twice"), (#"{"note":"#, "is not JSON"),
        (String(repeating: "[", count: 100), "nested too deeply"),
    ])
    func `what is wrong with the whole answer is named, with its place`(text: String, fault: String) {
        do throws(CallbackAnswer.Unreadable) {
            _ = try CallbackAnswer(Array(text.utf8), at: Moment(milliseconds: Self.t))
            Issue.record("it was read")
        } catch {
            #expect(error.text.contains(fault) && error.text.contains("at byte"))
        }
    }

    @Test(arguments: ["", " \n", "{}", #"{"consent":null,"deliveryStatus":null,"note":""}"#])
    func `a server may know nothing`(text: String) throws {
        let answer = try read(text)
        #expect(answer.isEmpty && answer.troubles.isEmpty)
    }

    @Test(arguments: [
        (#""deliveryStatus":"delivered""#, "deliveryStatus"), (#""deliveryStatus":1"#, "deliveryStatus"),
        (#""consumptionPercentage":100001"#, "consumptionPercentage"),
        (#""consumptionPercentage":-1"#, "consumptionPercentage"),
        (#""consumptionPercentage":"50""#, "consumptionPercentage"),
        (#""consumptionPercentage":50.5"#, "consumptionPercentage"),
        (#""sampleContentProvided":"yes""#, "sampleContentProvided"), (#""note":7"#, "note"),
        (#""note":"\#(String(repeating: "a", count: 2001))""#, "note"), (#""note":"a\u0000b""#, "note"),
        (#""note":"a\u202eb""#, "note"),
        (#""consent":true"#, "consent"), (#""consent":{"recordedAt":\#(t)}"#, "consent"),
        (#""consent":{"consented":"true","recordedAt":\#(t)}"#, "consent"),
        (#""consent":{"consented":true}"#, "recordedAt"),
        (#""consent":{"consented":true,"recordedAt":1770000000}"#, "recordedAt"),
        (#""consent":{"consented":true,"recordedAt":4102444800000}"#, "recordedAt"),
        (#""consent":{"consented":true,"recordedAt":\#(t),"wordingVersion":3}"#, "wordingVersion"),
    ])
    func `a member that is wrong is told of and spoils no other`(member: String, named: String) throws {
        // Each beside two good ones of another kind.
        let isSample = member.contains("sampleContent")
        let good = isSample ? #""deliveryStatus":"DELIVERED""# : #""sampleContentProvided":true"#
        let answer = try read("{\(member),\(good)}")
        #expect(answer.troubles.count == 1 && answer.troubles[0].contains(named), "\(answer.troubles)")
        #expect(answer.consent == nil && answer.consumptionPercentage == nil && answer.note == nil)
        #expect(isSample ? answer.deliveryStatus == .delivered : answer.sampleContentProvided == true)
    }

    @Test(arguments: [
        (#"{"consented":false}"#, 0), (#"{"consented":false,"recordedAt":null}"#, 0),
        (#"{"consented":false,"recordedAt":4102444800000}"#, 1), (#"{"consented":false,"recordedAt":"now"}"#, 1),
        (#"{"consented":false,"wordingVersion":3}"#, 1),
    ])
    func `BL-010: a withdrawal counts, whatever is wrong about its time or wording`(consent: String, told: Int) throws {
        let answer = try read(#"{"consent":\#(consent)}"#)
        #expect(answer.consent?.consented == false && answer.consent?.wordingVersion == nil)
        #expect(answer.troubles.count == told, "\(answer.troubles)")
    }

    @Test func `what was observed at a time that cannot be is not taken for new`() throws {
        let answer = try read(#"{"consumptionPercentage":1000,"observedAt":4102444800000,"note":"n"}"#)
        #expect(answer.consumptionPercentage == nil && answer.note == "n" && answer.troubles.count == 2)
    }

    @Test(arguments: ["[]", "true", "<html>", "{", #"{"a":1,"a":2}"#, "{} {}", String(repeating: "[", count: 70)])
    func `an answer that is no object is refused as a whole`(text: String) throws {
        guard case .refused(_, 200, _) = outcome(200, text) else {
            Issue.record("taken: \(text)")
            return
        }
    }

    @Test func `passing and lasting troubles are told apart`() {
        for status in [408, 425, 429, 500, 502, 503, 504] {
            guard case .again = outcome(status) else {
                Issue.record("\(status)")
                continue
            }
        }
        for status in [301, 302, 307, 400, 401, 403, 404, 405, 410, 422] {
            guard case .refused = outcome(status, "{}") else {
                Issue.record("\(status)")
                continue
            }
        }
        #expect(outcome(503, "", ["Retry-After": "120"]) == .again("answered 503", status: 503, after: .seconds(120)))
        #expect(outcome(503, "", ["Retry-After": "90000"]) == .again("answered 503", status: 503, after: .hours(1)))
        guard case .refused(let why, _, _) = outcome(500, "", ["webhook-delivery": "abort-message"]) else {
            Issue.record("asked on")
            return
        }
        #expect(why.contains("not to be asked again"))
        func failed(_ kind: HTTPClientError.Kind, _ arrival: HTTPClientError.Arrival = .unknown) -> String {
            CallbackOutcome(HTTPClientError(arrival: arrival, kind: kind, text: "x")).result
        }
        #expect(failed(.timeout) == "failed" && failed(.resolve) == "failed" && failed(.connect) == "failed")
        #expect(failed(.addressRefused) == "refused" && failed(.tooLarge) == "refused")
        #expect(failed(.busy) == "not-asked" && failed(.busy, .notReceived) == "not-asked")
        #expect(failed(.cancelled, .notReceived) == "not-asked")
        // Ended by this process, when it may have been heard: nobody knows.
        #expect(failed(.cancelled) == "unknown" && failed(.shutDown) == "unknown")
    }
}
