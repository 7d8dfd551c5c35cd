import AppStore
import FoundationEssentials
import Time

/// A JSON value to be written; members keep their order, and those without a value are left out.
indirect enum JSONOut {
    case text(String)
    case number(Int64)
    case flag(Bool)
    case null
    case list([JSONOut])
    case object([(String, JSONOut?)])

    static func time(_ moment: Moment) -> JSONOut { .number(moment.milliseconds) }

    var bytes: [UInt8] {
        var out = ""
        append(to: &out)
        return Array(out.utf8)
    }

    private func append(to out: inout String) {
        switch self {
        case .text(let text): out += JSONText.quoted(text)
        case .number(let number): out += String(number)
        case .flag(let flag): out += flag ? "true" : "false"
        case .null: out += "null"
        case .list(let elements):
            out += "["
            for (index, element) in elements.enumerated() {
                if index > 0 { out += "," }
                element.append(to: &out)
            }
            out += "]"
        case .object(let members):
            out += "{"
            var isFirst = true
            for (name, value) in members {
                guard let value else { continue }
                if !isFirst { out += "," }
                isFirst = false
                out += JSONText.quoted(name) + ":"
                value.append(to: &out)
            }
            out += "}"
        }
    }
}
