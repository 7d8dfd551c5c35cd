import Refunds

/// A word with a colour; the word alone says it all.
struct Badge {
    let text: String
    let tone: Tone

    var html: HTML { span(.class("badge", tone)) { text } }
}

extension Badge {
    init(_ state: CaseState) { self.init(text: Words.label(state), tone: Words.tone(state)) }
    init(_ state: RoundState) {
        if let same = CaseState(rawValue: state.rawValue) {
            self.init(same)
        } else {
            self.init(text: "Superseded", tone: .plain)
        }
    }
    init(_ outcome: CaseOutcome) { self.init(text: Words.label(outcome), tone: Words.tone(outcome)) }

    static let sandbox = Badge(text: "Sandbox", tone: .plain)

    /// Nothing for Production, which is where real money is.
    static func environment(isRehearsal: Bool, isSandbox: Bool) -> Badge? {
        isRehearsal ? Badge(text: "Rehearsal", tone: .plain) : isSandbox ? .sandbox : nil
    }
}
