import AppStore

/// What a signed notification says, laid out for reading.
struct SignedContent {
    let payload: String
    /// What is signed inside, by member name.
    let parts: [(name: String, json: String)]

    /// Nil where the text cannot be taken apart.
    ///
    /// - Parameter text: in compact form, of which the outer signature was verified before it was kept.
    /// - Parameter showsParts: whether what is signed inside was verified as well; else it stays coded.
    init?(_ text: [UInt8], showsParts: Bool) {
        guard let outer = try? JWS(text), let document = try? JSONDocument(outer.payload) else { return nil }
        payload = JSONLayout.text(document.root)
        var parts: [(String, String)] = []
        if showsParts {
            for (_, value) in document.root.members where value.isObject {
                for (name, value) in value.members {
                    guard name.hasPrefix("signed"), let inner = value.stringBytes, let jws = try? JWS(inner),
                        let json = try? JSONDocument(jws.payload)
                    else { continue }
                    parts.append((name, JSONLayout.text(json.root)))
                }
            }
        }
        self.parts = parts
    }
}

/// A JSON text in lines, members in their order, numbers to the digit.
enum JSONLayout {
    /// Longer strings are cut: signed texts stand decoded below.
    static let stringMax = 600

    static func text(_ value: JSONValue) -> String {
        var out = ""
        append(value, indent: "", to: &out)
        return out
    }

    private static func append(_ value: JSONValue, indent: String, to out: inout String) {
        let deeper = indent + "  "
        if value.isObject {
            let members = value.members
            if members.isEmpty {
                out += "{}"
                return
            }
            out += "{"
            for (index, member) in members.enumerated() {
                out += (index == 0 ? "\n" : ",\n") + deeper + JSONText.quoted(member.name) + ": "
                append(member.value, indent: deeper, to: &out)
            }
            out += "\n" + indent + "}"
        } else if let elements = value.elements {
            if elements.isEmpty {
                out += "[]"
                return
            }
            out += "["
            for (index, element) in elements.enumerated() {
                out += (index == 0 ? "\n" : ",\n") + deeper
                append(element, indent: deeper, to: &out)
            }
            out += "\n" + indent + "]"
        } else if let string = value.string {
            if string.utf8.count > stringMax {
                out += JSONText.quoted(String(string.prefix(40)) + "…") + " (\(string.utf8.count) bytes)"
            } else {
                out += JSONText.quoted(string)
            }
        } else {
            out += String(decoding: value.raw, as: UTF8.self)
        }
    }
}
