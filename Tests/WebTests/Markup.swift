import FoundationEssentials

/// A page taken apart, and what is wrong with it.
struct Markup {
    struct Tag {
        let name: String
        let attributes: [String: String]
    }

    private(set) var tags: [Tag] = []
    /// Sentences; empty where all is well.
    private(set) var troubles: [String] = []

    private static let void: Set<String> = ["meta", "link", "input", "img", "wbr", "!doctype"]
    /// Drawings of our own, which the elements of `HTML` do not cover.
    private static let drawn: Set<String> = ["svg", "path", "rect"]

    init(_ html: String) {
        var open: [String] = []
        var rest = html[...]
        while let start = rest.firstIndex(of: "<") {
            rest = rest[rest.index(after: start)...]
            guard let end = rest.firstIndex(of: ">") else {
                troubles.append("a tag without end")
                break
            }
            let inside = rest[..<end]
            rest = rest[rest.index(after: end)...]
            if inside.hasPrefix("/") {
                let name = String(inside.dropFirst())
                if open.popLast() != name { troubles.append("</\(name)> closes nothing") }
                continue
            }
            let tag = Self.tag(inside)
            tags.append(tag)
            if !Self.void.contains(tag.name), !inside.hasSuffix("/") { open.append(tag.name) }
        }
        if !open.isEmpty { troubles.append("never closed: \(open)") }
        judge()
    }

    func count(_ name: String) -> Int { tags.count { $0.name == name } }

    var classes: Set<String> {
        Set(tags.flatMap { ($0.attributes["class"] ?? "").split(separator: " ").map(String.init) })
    }

    private mutating func judge() {
        let ids = tags.compactMap { $0.attributes["id"] }
        for id in Set(ids) where ids.count(where: { $0 == id }) > 1 {
            troubles.append("two elements have the id \(id)")
        }
        for tag in tags {
            for (name, value) in tag.attributes {
                if name.hasPrefix("on") || name == "style" { troubles.append("<\(tag.name)> has \(name)") }
                if ["href", "src", "action"].contains(name), value.lowercased().hasPrefix("javascript") {
                    troubles.append("<\(tag.name)> leads to a script")
                }
                if ["aria-describedby", "aria-labelledby", "for"].contains(name), !ids.contains(value) {
                    troubles.append("\(name) names \(value), which is not there")
                }
            }
            if tag.name == "script", tag.attributes["src"] == nil { troubles.append("a script stands in the page") }
            if tag.name == "style" { troubles.append("a style stands in the page") }
            if ["input", "select"].contains(tag.name), tag.attributes["type"] != "hidden" {
                let id = tag.attributes["id"] ?? ""
                if !tags.contains(where: { $0.name == "label" && $0.attributes["for"] == id }) {
                    troubles.append("the field \(tag.attributes["name"] ?? "?") has no label")
                }
            }
        }
    }

    private static func tag(_ text: Substring) -> Tag {
        let name = text.prefix { $0 != " " && $0 != "/" }
        var attributes: [String: String] = [:]
        var rest = text.dropFirst(name.count)
        while let first = rest.firstIndex(where: { $0 != " " && $0 != "/" }) {
            rest = rest[first...]
            let key = rest.prefix { $0 != "=" && $0 != " " }
            rest = rest.dropFirst(key.count)
            if rest.hasPrefix("=\"") {
                rest = rest.dropFirst(2)
                let value = rest.prefix { $0 != "\"" }
                rest = rest.dropFirst(value.count + 1)
                attributes[String(key)] = String(value)
            } else {
                attributes[String(key)] = ""
            }
        }
        return Tag(name: name.lowercased(), attributes: attributes)
    }

    /// The names behind dots in selectors.
    static func styledClasses(in folder: String) throws -> Set<String> {
        var classes: Set<String> = []
        for file in try FileManager.default.contentsOfDirectory(atPath: folder) where file.hasSuffix(".css") {
            let data = FileManager.default.contents(atPath: "\(folder)/\(file)") ?? Data()
            for line in String(decoding: data, as: UTF8.self).split(separator: "\n") {
                // Selectors stand before the brace; values with dots in them stand behind it.
                let selector = line.prefix { $0 != "{" }
                guard line.contains("{") || line.hasSuffix(",") else { continue }
                for part in selector.split(separator: ".", omittingEmptySubsequences: false).dropFirst() {
                    let name = part.prefix { $0.isLetter || $0.isNumber || $0 == "-" }
                    if name.first?.isLetter == true { classes.insert(String(name)) }
                }
            }
        }
        return classes
    }
}
