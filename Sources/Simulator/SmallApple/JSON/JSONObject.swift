/// The members of a JSON object, in the order in which they were written.
package struct JSONObject: Sendable, Hashable, ExpressibleByDictionaryLiteral {
    package struct Member: Sendable, Hashable {
        package let name: String
        package var value: JSON
    }

    package private(set) var members: [Member] = []

    package init() {}

    package init(_ pairs: [(String, JSON)]) {
        for (name, value) in pairs { self[name] = value }
    }

    package init(dictionaryLiteral elements: (String, JSON)...) { self.init(elements) }

    package var names: [String] { members.map(\.name) }
    package var isEmpty: Bool { members.isEmpty }

    /// Setting keeps the place of a member that exists, appends a new one, and removes it for nil.
    package subscript(_ name: String) -> JSON? {
        get { members.first { $0.name == name }?.value }
        set {
            let place = members.firstIndex { $0.name == name }
            switch (place, newValue) {
            case (let place?, let value?): members[place].value = value
            case (let place?, nil): members.remove(at: place)
            case (nil, let value?): members.append(Member(name: name, value: value))
            case (nil, nil): break
            }
        }
    }

    /// A copy with the members of `changes` put over this object's; a `null` removes a member, and
    /// objects inside objects are changed member by member (RFC 7396, JSON Merge Patch).
    package func changed(by changes: JSONObject) -> JSONObject {
        var copy = self
        for member in changes.members {
            switch (member.value, copy[member.name]) {
            case (.null, _): copy[member.name] = nil
            case (.object(let inner), .object(let old)?): copy[member.name] = .object(old.changed(by: inner))
            case (.object(let inner), _): copy[member.name] = .object(JSONObject().changed(by: inner))
            default: copy[member.name] = member.value
            }
        }
        return copy
    }
}
