import Time

/// The members of a report, taken one by one; what nobody asked for is refused.
struct Members {
    /// The App Store opened on 2008-07-10: nothing here happened before. A time in seconds, taken for
    /// milliseconds, would lie in January 1970 and let a consent count that was not given yet.
    static let earliest = Moment(milliseconds: 1_215_648_000_000)

    private var members: [String: JSON]
    private let names: [String]

    /// - Throws: `Problem` unless the value is an object.
    init(_ value: JSON) throws(Problem) {
        guard case .object(let all) = value else { throw Problem.bad("an object was expected, not \(value.kind)") }
        members = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0.value) })
        names = all.map(\.name)
    }

    /// - Throws: `Problem` naming the first member that was not taken.
    func end() throws(Problem) {
        guard let name = names.first(where: { members[$0] != nil }) else { return }
        throw Problem.bad("the member \(name.debugDescription) is unknown", member: name)
    }

    /// Null is the same as left out.
    private mutating func take(_ name: String) -> JSON? {
        guard let value = members.removeValue(forKey: name), value != .null else { return nil }
        return value
    }

    private func missing(_ name: String) -> Problem { .bad("the member \"\(name)\" is missing", member: name) }
    private func wrong(_ name: String, _ expected: String, _ value: JSON) -> Problem {
        .bad("the member \"\(name)\" must be \(expected), not \(value.kind)", member: name)
    }

    mutating func text(_ name: String) throws(Problem) -> String? {
        guard let value = take(name) else { return nil }
        guard case .string(let text) = value else { throw wrong(name, "a text", value) }
        return text
    }

    mutating func requiredText(_ name: String) throws(Problem) -> String {
        guard let text = try text(name) else { throw missing(name) }
        return text
    }

    mutating func flag(_ name: String) throws(Problem) -> Bool? {
        guard let value = take(name) else { return nil }
        guard case .bool(let flag) = value else { throw wrong(name, "true or false", value) }
        return flag
    }

    mutating func requiredFlag(_ name: String) throws(Problem) -> Bool {
        guard let flag = try flag(name) else { throw missing(name) }
        return flag
    }

    /// A number that is written as an integer: `1e3` and `1.0` are none.
    mutating func integer(_ name: String) throws(Problem) -> Int64? {
        guard let value = take(name) else { return nil }
        guard case .number(let text) = value else { throw wrong(name, "an integer", value) }
        guard let number = Int64(text) else {
            throw .bad("the member \"\(name)\" must be an integer", member: name)
        }
        return number
    }

    /// Milliseconds since 1970.
    mutating func time(_ name: String) throws(Problem) -> Moment? {
        guard let number = try integer(name) else { return nil }
        let moment = Moment(milliseconds: number)
        // The end of the year 9999.
        guard moment >= Self.earliest, number < 253_402_300_800_000 else {
            throw .bad("the member \"\(name)\" is a time in milliseconds since 1970", member: name)
        }
        return moment
    }

    mutating func requiredTime(_ name: String) throws(Problem) -> Moment {
        guard let time = try time(name) else { throw missing(name) }
        return time
    }

    mutating func list(_ name: String) throws(Problem) -> [JSON] {
        guard let value = take(name) else { throw missing(name) }
        guard case .array(let elements) = value else { throw wrong(name, "a list", value) }
        return elements
    }

    mutating func optionalList(_ name: String) throws(Problem) -> [JSON]? {
        guard let value = take(name) else { return nil }
        guard case .array(let elements) = value else { throw wrong(name, "a list", value) }
        return elements
    }
}
