/// Why a password is not taken.
///
/// Judged offline: by its length, by how much of it is left when everything is taken away that a guesser tries first
/// (common and breached passwords and their words, names known to everybody who sees the person, rows of the keyboard,
/// repetitions, sequences, years), and by nothing else: no rule about kinds of characters.
package enum PasswordTrouble: Error, Hashable, Sendable, CustomStringConvertible {
    case tooShort
    case tooLong
    /// On the list of passwords that everybody tries, or made of its words.
    case common
    /// One word, perhaps with digits or signs around it: dictionaries are tried early.
    case oneWord
    /// Made of the person's address or of a name that others know.
    case personal
    case keyboard
    case repeated
    case sequence

    package static let charactersMin = 10
    package static let bytesMax = 1024

    package var description: String {
        switch self {
        case .tooShort: "At least \(Self.charactersMin) characters; a sentence is good."
        case .tooLong: "At most \(Self.bytesMax) bytes; this one has more."
        case .common:
            "This one is among the passwords that are tried first, or made of their words. Three or four words that do not belong together are better."
        case .oneWord:
            "This is a single word, and words are tried early, with digits and signs around them too. Take three or four that do not belong together."
        case .personal:
            "This one is made of your address, your name, your tenant's or the product's, which others know."
        case .keyboard: "This one is mostly a row of keys."
        case .repeated: "This one is mostly one piece repeated."
        case .sequence: "This one is mostly a sequence or a date."
        }
    }

    /// Nil for a good one.
    ///
    /// - Parameter context: e-mail address and names that belong to the person.
    package static func of(_ password: [UInt8], beside context: [String] = []) -> PasswordTrouble? {
        guard password.count <= bytesMax else { return .tooLong }
        let text = String(decoding: password, as: UTF8.self)
        guard text.count >= charactersMin else { return .tooShort }
        if CommonPasswords.whole.contains(text.lowercased()) { return .common }
        return PasswordCover(text, context: context).trouble ?? (isOneWord(text) ? .oneWord : nil)
    }

    /// Letters alone, once what is no letter is taken off both ends, and no more than a long word has.
    private static func isOneWord(_ text: String) -> Bool {
        let core = text.drop { !$0.isLetter }.reversed().drop { !$0.isLetter }
        return (4...14).contains(core.count) && core.allSatisfy(\.isLetter)
    }
}
