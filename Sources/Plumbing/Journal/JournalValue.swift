package import Time

/// What a field of a log line may hold.
package enum JournalValue: Sendable, ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByStringInterpolation
{
    case string(String)
    case int(Int64)
    case bool(Bool)
    case none

    package init(stringLiteral value: String) { self = .string(value) }
    package init(integerLiteral value: Int64) { self = .int(value) }
    package init(booleanLiteral value: Bool) { self = .bool(value) }

    package init(_ value: String?) { self = value.map(JournalValue.string) ?? .none }
    package init(_ value: some BinaryInteger) { self = .int(Int64(clamping: value)) }
    package init(_ value: Bool) { self = .bool(value) }
    package init(_ value: Moment) { self = .string(value.iso8601) }
    /// Whole milliseconds.
    package init(_ value: Duration) { self = .int(value.wholeMilliseconds) }
    /// The description of an error, which by rule holds no bind values, bodies or keys.
    package init(_ error: any Error) { self = .string("\(error)") }

    func append(to line: inout String) {
        switch self {
        case .int(let number): line += String(number)
        case .bool(let flag): line += flag ? "true" : "false"
        case .none: line += "null"
        case .string(let text):
            line += "\""
            for scalar in text.unicodeScalars {
                switch scalar {
                case "\"": line += "\\\""
                case "\\": line += "\\\\"
                case "\n": line += "\\n"
                case "\r": line += "\\r"
                case "\t": line += "\\t"
                // Control characters, and the separators that some log viewers break lines at.
                case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{2028}", "\u{2029}":
                    let hex = String(scalar.value, radix: 16)
                    line += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
                default: line.unicodeScalars.append(scalar)
                }
            }
            line += "\""
        }
    }
}
