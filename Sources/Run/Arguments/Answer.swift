/// What a command has to say when it went well: one object for programs, a few lines for people.
struct Answer: Sendable {
    var members: [(String, JSON)]
    var text: String
    /// False when the command did its work and found something wrong: exit 1.
    var isGood = true

    init(_ members: [(String, JSON)], text: String, isGood: Bool = true) {
        self.members = members
        self.text = text
        self.isGood = isGood
    }
}

/// Why a command did not do what it was asked: exit 1, the text on standard error.
struct Failure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
