import Refunds

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
