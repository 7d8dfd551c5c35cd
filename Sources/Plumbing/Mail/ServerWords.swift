/// What a mail server said last, gathered line by line as libcurl hands it over.
struct ServerWords {
    /// Longer replies are cut: they are shown to people.
    static let charactersMax = 300

    private var lines: [String] = []
    private var isComplete = true

    /// The number of that reply.
    var code: Int? { lines.first.flatMap { Int($0.prefix(3)) } }

    /// Takes one line: `250-SIZE`, `550 5.1.1 no such user`. A line after a complete reply begins a new one.
    ///
    /// The server's good-bye says nothing about the mail.
    mutating func take(_ line: String) {
        if line.hasPrefix("221") { return }
        if isComplete { lines = [] }
        isComplete = line.dropFirst(3).first != "-"
        if lines.count < 8 { lines.append(String(line.prefix(Self.charactersMax))) }
    }

    /// The reply in one line, with its number once.
    ///
    /// - Parameter secret: a reply that holds it, as some servers repeat what they were told, is not shown.
    func text(hiding secret: String?) -> String {
        let number = lines.first?.prefix(3) ?? ""
        let clean = HeaderText("\(number) \(lines.map { $0.dropFirst(4) }.joined(separator: " "))").text
        if let secret, !secret.isEmpty,
            clean.contains(secret) || clean.contains(MailBase64.encode(Array(secret.utf8)))
        {
            return "(its words are left out: they hold the password)"
        }
        return String(clean.prefix(Self.charactersMax))
    }
}
