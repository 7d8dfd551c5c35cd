/// What came of asking an app's server by hand, in words.
package struct CallbackTrial: Sendable, Hashable {
    package let isAnswered: Bool
    package let text: String
    package let more: String

    init(_ outcome: CallbackOutcome, took: Duration) {
        let milliseconds = took.components.seconds * 1000 + took.components.attoseconds / 1_000_000_000_000_000
        switch outcome {
        case .answered(let answer, let status):
            isAnswered = true
            text = "It answered \(status) after \(milliseconds) ms."
            var words =
                answer.taken.isEmpty
                ? (answer.troubles.isEmpty
                    ? "It said nothing of this purchase, which is nobody's." : "Nothing of it could be taken.")
                : "Of a real request this would be taken: \(answer.taken.joined(separator: ", "))."
            if !answer.troubles.isEmpty { words += " But: \(answer.troubles.joined(separator: "; "))." }
            more = words
        case .refused(let why, _, _):
            isAnswered = false
            text = "It gave no answer that could be used."
            more = "\(Self.sentence(why)) Of a real request it would not be asked again."
        case .again(let why, _, _):
            isAnswered = false
            text = "It did not answer."
            more = "\(Self.sentence(why)) Of a real request it would be asked again, while there is time."
        case .notAsked(let why), .cutOff(let why):
            isAnswered = false
            text = "It was not asked."
            more = Self.sentence(why)
        }
    }

    private static func sentence(_ text: String) -> String { text.prefix(1).uppercased() + text.dropFirst() + "." }
}
