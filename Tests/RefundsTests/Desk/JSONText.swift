import Support

/// A JSON value written down in a test: members keep their order.
indirect enum J: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByNilLiteral, ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral, Sendable
{
    case text(String), number(Int64), flag(Bool), none, object([(String, J)]), array([J])

    init(stringLiteral value: String) { self = .text(value) }
    init(integerLiteral value: Int64) { self = .number(value) }
    init(booleanLiteral value: Bool) { self = .flag(value) }
    init(nilLiteral: ()) { self = .none }
    init(dictionaryLiteral elements: (String, J)...) { self = .object(elements) }
    init(arrayLiteral elements: J...) { self = .array(elements) }

    /// A member; setting nil takes it away.
    subscript(_ name: String) -> J? {
        get { if case .object(let members) = self { members.first { $0.0 == name }?.1 } else { nil } }
        set {
            guard case .object(var members) = self else { return }
            if let index = members.firstIndex(where: { $0.0 == name }) {
                if let newValue { members[index].1 = newValue } else { members.remove(at: index) }
            } else if let newValue {
                members.append((name, newValue))
            }
            self = .object(members)
        }
    }

    var json: String {
        switch self {
        case .text(let text): Self.quoted(text)
        case .number(let number): String(number)
        case .flag(let flag): String(flag)
        case .none: "null"
        case .object(let members):
            "{" + members.map { Self.quoted($0.0) + ":" + $0.1.json }.joined(separator: ",") + "}"
        case .array(let elements): "[" + elements.map(\.json).joined(separator: ",") + "]"
        }
    }

    private static func quoted(_ text: String) -> String {
        var out = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": out += "\\\(scalar)"
            case "\u{0}"..."\u{1F}":
                let hex = String(scalar.value, radix: 16)
                out += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
            default: out.unicodeScalars.append(scalar)
            }
        }
        return out + "\""
    }
}

extension AppleSigner {
    func sign(_ payload: J) throws -> String { try sign(json: payload.json) }
}
