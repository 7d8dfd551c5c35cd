/// What people call a person, a tenant, an app, a token or a device.
///
/// Names stand in other people's pages, mails and lists: one that turns the direction of writing, holds what nobody
/// sees or breaks a line could pass for another.
package struct Name: Hashable, Sendable {
    /// Without blanks at its ends.
    package let text: String

    /// Why a text is no name.
    package enum Trouble: Error, Hashable, CustomStringConvertible {
        case empty
        case long(charactersMax: Int)
        /// It holds a character that cannot be seen, or that changes how what is around it is shown.
        case unseen(Unicode.Scalar)

        package var description: String {
            switch self {
            case .empty: "a name has at least one character that can be seen"
            case .long(let max): "a name has at most \(max) characters"
            case .unseen(let scalar):
                "a name has visible characters only, and \(Self.code(scalar)) (\(Self.kind(scalar))) is in this one: type it anew"
            }
        }

        private static func code(_ scalar: Unicode.Scalar) -> String {
            let digits = String(scalar.value, radix: 16, uppercase: true)
            return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
        }

        private static func kind(_ scalar: Unicode.Scalar) -> String {
            switch scalar.properties.generalCategory {
            case .control: "a control character"
            case .lineSeparator, .paragraphSeparator: "a line break"
            case _ where scalar.properties.isBidiControl: "it turns the direction of writing"
            default: "it cannot be seen"
            }
        }
    }

    /// For persons, tokens and devices.
    package static let shortMax = 100
    /// For tenants and apps.
    package static let longMax = 200
    /// Marks may be piled on one character without end.
    private static let bytesPerCharacter = 5

    /// - Throws: why it is no name. Blanks at its ends are left out and not complained of.
    package init(_ given: String, charactersMax: Int = Name.shortMax) throws(Trouble) {
        if let scalar = given.unicodeScalars.first(where: Self.isUnseen) { throw .unseen(scalar) }
        let text = given.withoutOuterBlanks
        guard !text.isEmpty else { throw .empty }
        guard text.count <= charactersMax, text.utf8.count <= charactersMax * Self.bytesPerCharacter else {
            throw .long(charactersMax: charactersMax)
        }
        self.text = text
    }

    /// Controls, line breaks, direction marks, and whatever Unicode says is drawn as nothing. Variation selectors stay:
    /// they choose between two forms of the visible character before them.
    static func isUnseen(_ scalar: Unicode.Scalar) -> Bool {
        let properties = scalar.properties
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: return true
        default: break
        }
        if properties.isVariationSelector { return false }
        // The blank Braille pattern is drawn as nothing, though Unicode counts it as a symbol.
        return properties.isDefaultIgnorableCodePoint || properties.isNoncharacterCodePoint || scalar == "\u{2800}"
    }
}

extension StringProtocol {
    /// Without white space at both ends.
    package var withoutOuterBlanks: String {
        let from = drop(while: \.isWhitespace)
        guard let last = from.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return String(from[...last])
    }
}
