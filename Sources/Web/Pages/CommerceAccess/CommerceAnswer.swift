import Refunds
import Tenants

/// What came of the form that was just sent, shown where the form stands.
struct CommerceAnswer {
    let part: CommerceAccessPart
    var environment: AppEnvironment?
    let tone: Tone
    let text: String
    var more: String?
    /// What the person had typed.
    var fields: [String: String] = [:]
    /// Fields that are wrong, and why.
    var wrong: [String: String] = [:]

    var notice: Notice { Notice(tone, text, more: more) }

    /// Said with every change of a limit.
    private static let waiting =
        "It counts for what is handed in from now on. A request that waits for an approval which is not needed any more goes out when somebody hands it in on its page."

    /// After a form that was taken. What Apple said is read from what is stored, never from the address.
    static func done(_ part: CommerceAccessPart, _ environment: AppEnvironment?, _ model: CommerceAccessModel) -> Self {
        let access = model.access.first { $0.environment == environment }
        func saved(_ text: String, _ more: String? = nil, _ tone: Tone = .good) -> CommerceAnswer {
            CommerceAnswer(part: part, environment: environment, tone: tone, text: text, more: more)
        }
        switch part {
        case .approval: return saved("Saved.")
        case .addendum:
            return access?.isStopped == true
                ? saved("Saved.", "The queue still stands: check whether the door is open, or let it run.")
                : saved("Saved.")
        case .release:
            return access?.isStopped == true
                ? saved(
                    "The queue was let run, and Apple refused the next call like the one before.",
                    "It is stopped again. No request is lost.", .bad)
                : saved("The queue runs.", "The requests that waited go out, oldest first, as fast as Apple allows.")
        case .check:
            return access?.isStopped == true || access?.addendum != .accepted
                ? saved("The door is shut: Apple refuses.", "What it said stands below. No request is lost.", .bad)
                : saved(
                    "The door is open.",
                    "Apple answered that it does not know the transaction, as it should. Requests are sent.")
        case .checklist: return saved("Saved.")
        case .limit: return saved("The limit is set.", CommerceAnswer.waiting)
        case .limitRemoval: return saved("The limit is taken away.", CommerceAnswer.waiting)
        case .cost: return saved("The cost is set.")
        case .costRemoval: return saved("The cost is taken away.")
        }
    }
}
