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

    /// Parts of a line; what is nil is left out.
    static func detail(_ remark: CallbackRemark) -> [String?] {
        [
            remark.result == "answered" ? remark.taken ?? "it knew nothing of this purchase" : nil, remark.why,
            remark.notTaken.map { "not taken: \($0)" }, remark.note.map { "note: \($0)" },
            remark.tries == 1 ? "1 try" : "\(remark.tries) tries",
        ]
    }
}
