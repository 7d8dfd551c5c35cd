/// A JSON value that keeps what was written: the order of members and the exact text of numbers.
///
/// The small Apple reads and writes JSON with its own code, so that it cannot share a misreading
/// with the product that it stands opposite.
package indirect enum JSON: Sendable, Hashable {
    case null
    case bool(Bool)
    /// The number as it stands in the text, such as `129000000` or `1.5e3`.
    case number(String)
    case string(String)
    case array([JSON])
    case object(JSONObject)

    package static func int(_ value: some BinaryInteger) -> JSON { .number(String(value)) }

    /// A string, or `null`'s absence: nil when there is none.
    package static func optional(_ value: String?) -> JSON? { value.map(JSON.string) }

    package var bool: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    package var string: String? {
        if case .string(let value) = self { value } else { nil }
    }

    /// The value of a number written as a plain integer; nil for `1.0`, `1e3` and anything else.
    package var int: Int64? {
        if case .number(let text) = self { Int64(text) } else { nil }
    }

    package var array: [JSON]? {
        if case .array(let values) = self { values } else { nil }
    }

    package var object: JSONObject? {
        if case .object(let value) = self { value } else { nil }
    }

    /// A member of an object; nil for other values and for members that are not there.
    package subscript(_ name: String) -> JSON? { object?[name] }
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByNilLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    package init(stringLiteral value: String) { self = .string(value) }
    package init(integerLiteral value: Int64) { self = .number(String(value)) }
    package init(booleanLiteral value: Bool) { self = .bool(value) }
    package init(nilLiteral: ()) { self = .null }
    package init(arrayLiteral elements: JSON...) { self = .array(elements) }
    package init(dictionaryLiteral elements: (String, JSON)...) { self = .object(JSONObject(elements)) }
}
