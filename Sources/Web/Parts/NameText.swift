/// A name of Apple's or ours, such as `originalTransactionId` or `UNINTENDED_PURCHASE`: it breaks between
/// its words where a line is short, and never inside one.
struct NameText {
    let name: String

    init(_ name: String) { self.name = name }

    var html: HTML {
        var html = HTML.empty
        var word = ""
        for character in name {
            if character.isUppercase, word.last?.isLowercase == true || word.last?.isNumber == true {
                append(&word, to: &html)
            }
            word.append(character)
            if character == "_" || character == "." { append(&word, to: &html) }
        }
        html.append(HTML(text: word))
        return html
    }

    private func append(_ word: inout String, to html: inout HTML) {
        html.append(HTML(text: word))
        html.append(breakHere)
        word = ""
    }
}
