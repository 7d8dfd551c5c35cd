/// Where somebody gets mail, and what they sign in with. Kept as it was typed; two that differ by case alone are one.
///
/// Only what is new is judged. Whoever was let in under an address finds their account by that text, so a stricter rule
/// locks nobody out.
package struct EmailAddress: Hashable, Sendable, CustomStringConvertible {
    /// Without blanks at its ends; else as it was typed.
    package let text: String

    package var description: String { text }

    /// Why a text is no e-mail address.
    package enum Trouble: Error, Hashable, CustomStringConvertible {
        case empty
        case blankInside
        /// No at-sign, or more than one.
        case atSigns
        case localPart
        case domain
        case long

        package var description: String {
            switch self {
            case .empty: "an e-mail address is needed, such as name@example.com"
            case .blankInside: "an e-mail address has no blank inside"
            case .atSigns: "an e-mail address has one @, such as name@example.com"
            case .localPart:
                "before the @ of an e-mail address stand letters, digits and single dots between them, none of the signs < > ( ) [ ] , ; : \\ \""
            case .domain: "behind the @ of an e-mail address stands a whole domain, such as example.com"
            case .long: "an e-mail address has at most \(EmailAddress.bytesMax) characters, 64 of them before the @"
            }
        }
    }

    /// Source: RFC 5321, 4.5.3.1, with the errata for the path.
    package static let bytesMax = 254
    private static let localBytesMax = 64
    private static let labelBytesMax = 63

    /// Takes the form that mail servers exchange: an unquoted part, one at-sign, a domain of two labels or more; letters
    /// of any script in both. Whether mail arrives there is for the mail server to say.
    ///
    /// Source: RFC 5322 (dot-atom), RFC 6531, RFC 1123.
    package init(_ given: String) throws(Trouble) {
        let text = Self.typed(given)
        guard !text.isEmpty else { throw .empty }
        guard !text.contains(where: \.isWhitespace) else { throw .blankInside }
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2 else { throw .atSigns }
        guard text.utf8.count <= Self.bytesMax, parts[0].utf8.count <= Self.localBytesMax else { throw .long }
        guard Self.dotted(parts[0], { $0.allSatisfy(Self.isAtom) }) else { throw .localPart }
        let labels = parts[1].split(separator: ".", omittingEmptySubsequences: false)
        guard labels.count >= 2, Self.dotted(parts[1], Self.isLabel),
            labels.last?.allSatisfy({ $0.isASCII && $0.isNumber }) == false
        else { throw .domain }
        self.text = text
    }

    /// What was typed, without blanks at both ends: nothing else is ever changed.
    package static func typed(_ text: String) -> String { text.withoutOuterBlanks }

    private static func dotted(_ text: Substring, _ isPart: (Substring.UnicodeScalarView) -> Bool) -> Bool {
        text.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { part in
            !part.isEmpty && isPart(part.unicodeScalars)
        }
    }

    private static func isAtom(_ scalar: Unicode.Scalar) -> Bool {
        isLetterOrDigit(scalar) || "!#$%&'*+-/=?^_`{|}~".unicodeScalars.contains(scalar)
    }

    private static func isLabel(_ label: Substring.UnicodeScalarView) -> Bool {
        label.allSatisfy { isLetterOrDigit($0) || $0 == "-" } && label.first != "-" && label.last != "-"
            && Substring(label).utf8.count <= labelBytesMax
    }

    private static func isLetterOrDigit(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return Character(scalar).isLetter || Character(scalar).isNumber }
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
            .nonspacingMark, .spacingMark:
            return !Name.isUnseen(scalar) && !scalar.properties.isVariationSelector
        default: return false
        }
    }
}
