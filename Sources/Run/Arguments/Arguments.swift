/// A command line that cannot be meant: exit 2.
struct UsageError: Error, Hashable, CustomStringConvertible {
    let description: String
    /// The command it was about, for its usage line.
    var usage: String?

    init(_ description: String, usage: String? = nil) {
        self.description = description
        self.usage = usage
    }
}

/// The values of one command line, checked against its form.
struct Arguments: Sendable {
    let form: CommandForm
    private let values: [String: [String]]
    private let flags: Set<String>
    private let positionals: [String]

    var wantsHelp: Bool { flags.contains("help") }
    var wantsJSON: Bool { flags.contains("json") }

    /// Reads what follows the command's words.
    ///
    /// `--name value` and `--name=value` are the same; after `--` nothing is an option.
    init(_ words: some Sequence<String>, for form: CommandForm) throws(UsageError) {
        var values: [String: [String]] = [:]
        var flags: Set<String> = []
        var positionals: [String] = []
        var rest = Array(words)[...]
        var optionsEnded = false
        while let word = rest.popFirst() {
            if optionsEnded || !word.hasPrefix("-") || word == "-" {
                positionals.append(word)
                continue
            }
            if word == "--" {
                optionsEnded = true
                continue
            }
            if word == "-h" {
                flags.insert("help")
                continue
            }
            let parts = word.drop { $0 == "-" }.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(parts.first ?? "")
            guard word.hasPrefix("--"), let option = form.allOptions.first(where: { $0.name == name }) else {
                throw UsageError("unknown option \(word.prefix { $0 != "=" })", usage: form.usage)
            }
            if option.value == nil {
                guard parts.count == 1 else { throw UsageError("--\(name) takes no value", usage: form.usage) }
                flags.insert(name)
                continue
            }
            var value: String?
            if parts.count == 2 { value = String(parts[1]) } else { value = rest.popFirst() }
            guard let value, parts.count == 2 || value == "-" || !value.hasPrefix("--") else {
                throw UsageError("--\(name) needs a value", usage: form.usage)
            }
            values[name, default: []].append(value)
        }
        self.form = form
        self.values = values
        self.flags = flags
        self.positionals = positionals
        if wantsHelp { return }
        for option in form.options {
            let count = values[option.name]?.count ?? 0
            switch option.count {
            case .required where count == 0, .requiredRepeatable where count == 0:
                throw UsageError("--\(option.name) is missing", usage: form.usage)
            case .required where count > 1, .optional where count > 1:
                throw UsageError("--\(option.name) may be given once", usage: form.usage)
            default: break
            }
        }
        guard positionals.count == form.positionals.count else {
            let text =
                positionals.count < form.positionals.count
                ? "\(form.positionals[positionals.count]) is missing"
                : "\"\(positionals[form.positionals.count])\" is one word too many"
            throw UsageError(text, usage: form.usage)
        }
    }

    /// The value of an option that may be left out.
    func optional(_ name: String) -> String? { values[name]?.first }

    /// The value of a required option: its presence was checked when the line was read.
    subscript(_ name: String) -> String { values[name]?.first ?? "" }

    func all(_ name: String) -> [String] { values[name] ?? [] }
    func has(_ flag: String) -> Bool { flags.contains(flag) }
    func positional(_ index: Int) -> String { positionals.indices.contains(index) ? positionals[index] : "" }

    /// The value of an option as one of the words it may be.
    func choice<Word: RawRepresentable & CaseIterable>(
        _ name: String, as: Word.Type = Word.self
    ) throws(UsageError) -> Word? where Word.RawValue == String {
        guard let text = optional(name) else { return nil }
        guard let word = Word(rawValue: text) else {
            let known = Word.allCases.map(\.rawValue).joined(separator: ", ")
            throw UsageError("--\(name) is one of \(known)", usage: form.usage)
        }
        return word
    }

    /// The value of an option as a positive number.
    func number(_ name: String) throws(UsageError) -> Int64? {
        guard let text = optional(name) else { return nil }
        guard let number = Int64(text), number > 0 else {
            throw UsageError("--\(name) is a positive number", usage: form.usage)
        }
        return number
    }
}
