import Refunds
import Time

/// What is said of a question to the app's server.
enum CallbackWords {
    static func heading(_ remark: CallbackRemark) -> String {
        switch remark.result {
        case "answered": "The app's server answered"
        case "refused": "The app's server gave no answer that could be used"
        case "silent": "The app's server did not answer in time"
        default: "The app's server was not asked any more"
        }
    }

    static func heading(_ stretch: CaseStory.Ask.Stretch) -> String {
        "The app's server was asked" + (stretch.count == 1 ? "" : " \(stretch.count) times")
    }

    /// What came of a try, in words.
    static func result(_ one: CaseStory.Ask.Try, isLost: Bool) -> String {
        if isLost { return "not known: the process that asked ended first" }
        let text: String
        switch one.result {
        case nil: return "no answer yet"
        case .answered: text = "answered"
        case .refused, .failed: text = one.why ?? "no answer that could be used"
        }
        guard let status = one.status, !text.contains("\(status)") else { return text }
        return "\(text), HTTP \(status)"
    }

    /// Parts of a line; what is nil is left out.
    static func detail(_ stretch: CaseStory.Ask.Stretch) -> [String?] {
        let last = stretch.last
        return [
            stretch.count > 1 ? "the last time \(TimeText(last.begunAt).full)" : nil,
            result(last, isLost: stretch.isLost),
            last.endedAt.map { "after \(DurationText.text($0 - last.begunAt))" },
        ]
    }

    /// How a report of delivery or use came.
    static func usage(_ source: String) -> String {
        switch source {
        case "callback": "The app's server told of delivery or use"
        case "csv": "A file told of delivery or use"
        default: "The app's backend reported delivery or use"
        }
    }

    static func count(_ count: UsageCount?, _ unit: String) -> String? {
        count.map { "\($0.used) of \($0.granted) \(unit) used" }
    }

    /// Parts of a line; what is nil is left out.
    static func detail(_ remark: CallbackRemark) -> [String?] {
        [
            remark.result == "answered"
                ? remark.taken ?? (remark.notTaken == nil ? "it knew nothing of this purchase" : nil) : nil, remark.why,
            remark.notTaken.map { "not taken: \($0)" }, remark.note.map { "note: \($0)" },
            remark.tries == 1 ? "1 try" : "\(remark.tries) tries",
        ]
    }
}
