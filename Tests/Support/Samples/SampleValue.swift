/// A JSON value that a test writes down, changes in one place, and turns into text.
package indirect enum SampleValue: Sendable, Equatable, ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByNilLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    case null
    case bool(Bool)
    case int(Int64)
    case string(String)
    /// A text that is put in as it stands.
    case raw(String)
    case array([SampleValue])
    case object([Member])

    package struct Member: Sendable, Equatable {
        package var name: String
        package var value: SampleValue

        package init(name: String, value: SampleValue) {
            self.name = name
            self.value = value
        }
    }

    package init(stringLiteral value: String) { self = .string(value) }
    package init(integerLiteral value: Int64) { self = .int(value) }
    package init(booleanLiteral value: Bool) { self = .bool(value) }
    package init(nilLiteral: ()) { self = .null }
    package init(arrayLiteral elements: SampleValue...) { self = .array(elements) }
    package init(dictionaryLiteral elements: (String, SampleValue)...) {
        self = .object(elements.map { Member(name: $0.0, value: $0.1) })
    }

    /// A member of an object. Setting nil takes it out; a new one is put at the end.
    package subscript(_ name: String) -> SampleValue? {
        get {
            guard case .object(let members) = self else { return nil }
            return members.first { $0.name == name }?.value
        }
        set {
            guard case .object(var members) = self else { return }
            let place = members.firstIndex { $0.name == name }
            switch (place, newValue) {
            case (let place?, let value?): members[place].value = value
            case (let place?, nil): members.remove(at: place)
            case (nil, let value?): members.append(Member(name: name, value: value))
            case (nil, nil): break
            }
            self = .object(members)
        }
    }

    /// The same with some members changed; `.some(nil)` is JSON's null.
    package func with(_ changes: KeyValuePairs<String, SampleValue>) -> SampleValue {
        var copy = self
        for (name, value) in changes { copy[name] = value }
        return copy
    }

    /// The same without some members.
    package func without(_ names: String...) -> SampleValue {
        var copy = self
        for name in names { copy[name] = SampleValue?.none }
        return copy
    }

    package var json: String {
        switch self {
        case .null: return "null"
        case .bool(let flag): return flag ? "true" : "false"
        case .int(let number): return String(number)
        case .string(let text): return Self.quoted(text)
        case .raw(let text): return text
        case .array(let elements): return "[" + elements.map(\.json).joined(separator: ",") + "]"
        case .object(let members):
            return "{" + members.map { Self.quoted($0.name) + ":" + $0.value.json }.joined(separator: ",") + "}"
        }
    }

    package var bytes: [UInt8] { Array(json.utf8) }

    private static func quoted(_ text: String) -> String {
        var out = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": out += "\\\""
            case "\\": out += "\\\\"
            case "\u{0}"..."\u{1F}":
                let hex = String(scalar.value, radix: 16)
                out += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
            default: out.unicodeScalars.append(scalar)
            }
        }
        return out + "\""
    }
}
