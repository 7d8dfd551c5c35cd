/// A field of more than one line.
struct TextArea {
    let label: String
    let name: String
    let text: String
    var rows = 4
    var help: String?
    var error: String?
    var isCode = false

    private var id: String { "field-\(name)" }

    var html: HTML {
        div(.class("field")) {
            Web.label(.class("field-label"), .for(id)) { label }
            textarea(
                [
                    .id(id), .name(name), .rows(rows),
                    isCode ? .class("input input-text mono") : .class("input input-text"),
                ]
                    + (isCode ? [.noSpellcheck, .autocomplete("off")] : [])
                    + (help != nil || error != nil ? [.ariaDescribedBy("\(id)-help")] : [])
                    + (error != nil ? [.ariaInvalid] : []), text: text)
            if let text = error ?? help {
                p(.class("field-help", error == nil ? .plain : .bad), .id("\(id)-help")) { text }
            }
        }
    }
}

/// One of few, all of them in sight.
struct Choices {
    struct Choice {
        let value: String
        let text: String
        var more: String?
    }

    let legend: String
    let name: String
    let choices: [Choice]
    let chosen: String?
    /// Where two of a page have one name.
    var id: String?
    var error: String?

    var html: HTML {
        fieldset(.class("choices")) {
            Web.legend(.class("field-label")) { legend }
            if let error { p(.class("field-help", .bad)) { error } }
            for choice in choices {
                let id = "choice-\(id ?? name)-\(choice.value)"
                div(.class("choice")) {
                    input(
                        [.type("radio"), .id(id), .name(name), .value(choice.value)]
                            + (choice.value == chosen ? [.checked] : []))
                    label(.for(id)) {
                        choice.text
                        if let more = choice.more { span(.class("subtext")) { more } }
                    }
                }
            }
        }
    }
}

/// A yes that a person gives by hand.
struct Tick {
    let text: String
    let name: String
    var isTicked = false

    var html: HTML {
        div(.class("choice")) {
            input(
                [.type("checkbox"), .id("tick-\(name)"), .name(name), .value("yes")] + (isTicked ? [.checked] : []))
            label(.for("tick-\(name)")) { text }
        }
    }
}

/// Text that is copied into another place: selectable by hand, and with a button where scripts run.
struct CopyField {
    let label: String
    let id: String
    let text: String

    var html: HTML {
        div(.class("field")) {
            Web.label(.class("field-label"), .for(id)) { label }
            div(.class("copy")) {
                input(.class("input mono"), .id(id), .type("text"), .readonly, .noSpellcheck, .value(text))
                button(.class("button"), .type("button"), .copies(id), .hidden) { "Copy" }
            }
        }
    }
}
