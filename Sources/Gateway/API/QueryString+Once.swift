import HTTP

extension QueryString {
    /// Its parameters, in the order in which they stand.
    ///
    /// - Throws: `Problem` naming the parameter that is there twice; without a name where the query cannot be decoded.
    func eachOnce() throws(Problem) -> [(name: String, value: String)] {
        guard isValid else { throw .bad("the query cannot be decoded") }
        var seen: Set<String> = []
        var out: [(name: String, value: String)] = []
        for pair in pairs {
            guard seen.insert(pair.name).inserted else {
                throw .bad("the parameter \(pair.name.debugDescription) is there twice", member: pair.name)
            }
            out.append((pair.name, pair.value))
        }
        return out
    }
}
