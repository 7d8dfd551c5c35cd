/// The cookies of a request.
package struct Cookies: Sendable {
    package struct Cookie: Sendable, Hashable {
        package let name: String
        package let value: String
    }

    /// In their order. Names may repeat: browsers send the most specific path first.
    package let all: [Cookie]

    /// More than any browser keeps for a site.
    static let countMax = 200

    init(_ headers: HeaderFields) {
        var cookies: [Cookie] = []
        for field in headers.all("Cookie") {
            for part in field.split(separator: ";") where cookies.count < Self.countMax {
                let pair = part.trimmedOfBlanks
                guard let equals = pair.firstIndex(of: "="), equals != pair.startIndex else { continue }
                var value = pair[pair.index(after: equals)...]
                if value.count >= 2, value.hasPrefix("\""), value.hasSuffix("\"") {
                    value = value.dropFirst().dropLast()
                }
                cookies.append(Cookie(name: String(pair[..<equals]), value: String(value)))
            }
        }
        all = cookies
    }

    package func first(_ name: String) -> String? { all.first { $0.name == name }?.value }
}
