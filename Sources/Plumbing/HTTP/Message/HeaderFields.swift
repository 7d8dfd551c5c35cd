/// Header fields in their order. Names are compared without regard to case.
///
/// No field can hold CR, LF or NUL, so that nothing a handler puts here can start a new field or a
/// new response.
package struct HeaderFields: Sendable, ExpressibleByDictionaryLiteral {
    package struct Field: Sendable, Hashable {
        package let name: String
        package let value: String
    }

    private var fields: [Field] = []

    package init() {}

    package init(dictionaryLiteral elements: (String, String)...) {
        for (name, value) in elements { add(name, value) }
    }

    /// The first field of this name.
    package subscript(_ name: String) -> String? {
        for field in fields where field.name.equalsIgnoringCase(name) { return field.value }
        return nil
    }

    package func all(_ name: String) -> [String] {
        fields.compactMap { $0.name.equalsIgnoringCase(name) ? $0.value : nil }
    }

    package func contains(_ name: String) -> Bool { self[name] != nil }

    /// Whether a text can be the name of a field.
    package static func isName(_ text: String) -> Bool { !text.isEmpty && text.utf8.allSatisfy(\.isTokenCharacter) }

    /// Adds a field behind the others. Characters that may not stand in a value become spaces; a
    /// name that is no token is a fault of ours.
    package mutating func add(_ name: String, _ value: String) {
        precondition(!name.isEmpty && name.utf8.allSatisfy(\.isTokenCharacter), "a header field's name is a token")
        if value.utf8.allSatisfy(\.isFieldCharacter) {
            fields.append(Field(name: name, value: value))
        } else {
            let clean = value.utf8.map { $0.isFieldCharacter ? $0 : ASCII.space }
            fields.append(Field(name: name, value: String(decoding: clean, as: UTF8.self)))
        }
    }

    /// From the parser, which has checked both.
    mutating func addChecked(_ name: String, _ value: String) { fields.append(Field(name: name, value: value)) }

    /// Replaces every field of this name by one.
    package mutating func set(_ name: String, _ value: String) {
        remove(name)
        add(name, value)
    }

    package mutating func remove(_ name: String) { fields.removeAll { $0.name.equalsIgnoringCase(name) } }

    mutating func reserveCapacity(_ count: Int) { fields.reserveCapacity(count) }
}

extension HeaderFields: RandomAccessCollection {
    package var startIndex: Int { fields.startIndex }
    package var endIndex: Int { fields.endIndex }
    package subscript(position: Int) -> Field { fields[position] }
}

extension HeaderFields {
    /// The elements of a comma-separated list over all fields of this name, in lower case.
    package func tokens(_ name: String) -> [String] {
        all(name).flatMap { value in
            value.split(separator: ",").map { $0.trimmedOfBlanks.lowercased() }.filter { !$0.isEmpty }
        }
    }

    /// The media type without its parameters, in lower case; nil where there is none.
    package var mediaType: String? {
        guard let value = self["Content-Type"] else { return nil }
        let type = value.prefix { $0 != ";" }.trimmedOfBlanks.lowercased()
        return type.isEmpty ? nil : type
    }
}
