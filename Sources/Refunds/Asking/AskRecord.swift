import AppStore
import FoundationEssentials

/// What was taken from an answer, as the case keeps it.
struct AskRecord: Sendable, Hashable {
    private(set) var answer: CallbackAnswer

    init(_ answer: CallbackAnswer) { self.answer = answer }

    /// The member that says what speaks against consent.
    static let objection = "consentObjection"

    /// Of an answer that says nothing else.
    init(objection: ConsentObjection) {
        answer = CallbackAnswer()
        answer.objection = objection
    }

    var json: String {
        text(
            .object([
                (
                    "consent",
                    answer.consent.map { consent in
                        .object([
                            ("consented", .flag(consent.consented)), ("recordedAt", .time(consent.recordedAt)),
                            ("wordingVersion", consent.wordingVersion.map(JSONOut.text)),
                        ])
                    }
                ), (Self.objection, answer.objection.map { .text($0.rawValue) }),
                ("appAccountToken", answer.appAccountToken.map(JSONOut.text)),
                ("deliveryStatus", answer.deliveryStatus.map { .text($0.rawValue) }),
                ("consumptionPercentage", answer.consumptionPercentage.map { .number(Int64($0)) }),
                ("sampleContentProvided", answer.sampleContentProvided.map(JSONOut.flag)),
                ("observedAt", answer.observedAt.map(JSONOut.time)), ("note", answer.note.map(JSONOut.text)),
                ("notTaken", answer.troubles.isEmpty ? nil : .list(answer.troubles.map(JSONOut.text))),
            ]))
    }

    /// What the case's story says of a question that ended.
    struct Remark: Sendable, Hashable {
        /// `answered`, `refused`, `silent`, `ended`.
        var result: String
        var tries: Int
        var taken: [String] = []
        var troubles: [String] = []
        var note: String?
        var why: String?

        var json: String {
            text(
                .object([
                    ("result", .text(result)), ("tries", .number(Int64(tries))),
                    ("taken", taken.isEmpty ? nil : .text(taken.joined(separator: ", "))),
                    ("notTaken", troubles.isEmpty ? nil : .text(troubles.joined(separator: "; "))),
                    ("why", why.map { .text(Text.kept($0, bytesMax: 500)) }), ("note", note.map(JSONOut.text)),
                ]))
        }
    }
}

private func text(_ out: JSONOut) -> String { String(decoding: out.bytes, as: UTF8.self) }
