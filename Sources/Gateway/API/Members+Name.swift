extension Members {
    /// What the tenant's own server calls somebody, for people who look at what they did; nobody named: the server itself.
    ///
    /// - Throws: `Problem` unless it has 1 to 200 bytes.
    mutating func name(_ member: String) throws(Problem) -> String {
        guard let name = try text(member) else { return "the app's server" }
        guard (1...200).contains(name.utf8.count), !name.contains("\0") else {
            throw .bad("the member \"\(member)\" has 1 to 200 bytes", member: member)
        }
        return name
    }
}
