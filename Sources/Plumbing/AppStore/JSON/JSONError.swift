/// Why a text is not the JSON that is accepted here.
package struct JSONError: Error, Sendable, Equatable, CustomStringConvertible {
    package enum Kind: String, Sendable {
        case notUTF8 = "the text is not UTF-8"
        case syntax = "the text is not JSON"
        case tooDeep = "the text is nested too deeply"
        case duplicateMember = "an object names a member twice"
        case tooLarge = "the text is too large"
    }
    package let kind: Kind
    /// Offset in bytes.
    package let offset: Int

    package var description: String { "\(kind.rawValue), at byte \(offset)" }
}
