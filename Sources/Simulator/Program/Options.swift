import Journal

/// The arguments of the program.
struct Options {
    var listen: String?
    var state: String?
    var seed: UInt64?
    var isCalm = false
    var level = Journal.Level.info
    var wantsHelp = false

    /// Wrong usage, for people.
    struct Fault: Error {
        let text: String
    }

    init(_ arguments: [String]) throws(Fault) {
        var rest = arguments[...]
        while let word = rest.popFirst() {
            switch word {
            case "--help", "-h": wantsHelp = true
            case "--calm": isCalm = true
            case "--listen": listen = try Self.value(of: word, &rest)
            case "--state": state = try Self.value(of: word, &rest)
            case "--seed":
                guard let number = UInt64(try Self.value(of: word, &rest)) else {
                    throw Fault(text: "--seed takes a whole number")
                }
                seed = number
            case "--log":
                guard let level = Journal.Level(name: try Self.value(of: word, &rest)) else {
                    throw Fault(text: "--log takes debug, info, warning or error")
                }
                self.level = level
            default: throw Fault(text: "unknown argument \(word)")
            }
        }
    }

    private static func value(of word: String, _ rest: inout ArraySlice<String>) throws(Fault) -> String {
        guard let value = rest.popFirst(), !value.hasPrefix("--"), !value.isEmpty else {
            throw Fault(text: "\(word) needs a value")
        }
        return value
    }
}
