/// What is odd and not forbidden: it is sent only by somebody who says that they have seen it.
struct SecondLook {
    let warnings: [String]
    var seen: Set<String> = []
    var isUnseen = false

    var html: HTML {
        if warnings.isEmpty { return .empty }
        return fieldset(.class("choices")) {
            legend(.class("field-label")) { "Worth a second look" }
            if isUnseen {
                p(.class("field-help", .bad)) { "Nothing was sent. Tick what you have looked at and still mean." }
            }
            for (index, text) in warnings.enumerated() {
                div(.class("choice")) {
                    input(
                        [.type("checkbox"), .id("seen-\(index)"), .name("seen"), .value(text)]
                            + (seen.contains(text) ? [.checked] : []))
                    label(.for("seen-\(index)")) { text }
                }
            }
        }
    }
}
