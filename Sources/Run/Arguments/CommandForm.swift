/// The form of one command: its words, what follows them, and what `--help` says of it.
struct CommandForm: Sendable {
    struct Option: Sendable {
        enum Count: Sendable { case optional, required, repeatable, requiredRepeatable }
        let name: String
        /// What stands for the value in the help; nil for a switch.
        let value: String?
        let count: Count
        let meaning: String

        static func required(_ name: String, _ value: String, _ meaning: String) -> Option {
            Option(name: name, value: value, count: .required, meaning: meaning)
        }
        static func optional(_ name: String, _ value: String, _ meaning: String) -> Option {
            Option(name: name, value: value, count: .optional, meaning: meaning)
        }
        static func repeatable(_ name: String, _ value: String, isRequired: Bool = false, _ meaning: String) -> Option {
            Option(name: name, value: value, count: isRequired ? .requiredRepeatable : .repeatable, meaning: meaning)
        }
        static func flag(_ name: String, _ meaning: String) -> Option {
            Option(name: name, value: nil, count: .optional, meaning: meaning)
        }
    }

    /// For example `["tenant", "add"]`.
    let words: [String]
    /// Names of the values that stand without a `--name`, all of them required.
    var positionals: [String] = []
    var options: [Option] = []
    let summary: String
    /// Whether the command answers with one object and so takes `--json`.
    var hasAnswer = true

    var allOptions: [Option] {
        options + (hasAnswer ? [.flag("json", "print one JSON object instead of text")] : [])
            + [.flag("help", "print this text")]
    }

    /// `refund-desk tenant add SLUG --name NAME [--json]`
    var usage: String {
        var parts = ["refund-desk"] + words + positionals
        for option in allOptions where option.name != "help" {
            let text = "--\(option.name)" + (option.value.map { " \($0)" } ?? "")
            switch option.count {
            case .required: parts.append(text)
            case .optional: parts.append("[\(text)]")
            case .repeatable: parts.append("[\(text)]…")
            case .requiredRepeatable: parts.append("\(text)…")
            }
        }
        return parts.joined(separator: " ")
    }

    var help: String {
        let names = allOptions.map { "  --\($0.name)" + ($0.value.map { " \($0)" } ?? "") }
        let width = (names.map(\.count).max() ?? 0) + 2
        let lines = zip(names, allOptions).map { name, option in
            name + String(repeating: " ", count: width - name.count) + option.meaning
        }
        return "\(usage)\n\n\(summary)\n\n" + lines.joined(separator: "\n") + "\n"
    }
}
