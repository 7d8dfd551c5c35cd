/// A labelled field of a form.
struct Field {
    let label: String
    let name: String
    var help: String?
    var error: String?
    /// Where two fields of a page have one name.
    private var ownID: String?
    private let control: Control

    private enum Control {
        case input([Attribute])
        case choice([(value: String, text: String)], selected: String)
    }

    /// - Parameter more: attributes beside the name and the id.
    init(
        _ label: String, name: String, id: String? = nil, help: String? = nil, error: String? = nil,
        _ more: Attribute...
    ) {
        ownID = id
        self.label = label
        self.name = name
        self.help = help
        self.error = error
        control = .input(more)
    }

    /// A choice of one; the empty value stands for "any", or for "not chosen yet".
    init(
        _ label: String, name: String, choices: [(value: String, text: String)], selected: String?,
        help: String? = nil, error: String? = nil
    ) {
        self.label = label
        self.name = name
        self.help = help
        self.error = error
        // A value from an address that is no choice any more still narrows the list: it must be seen.
        let selected = selected ?? ""
        let isKnown = selected.isEmpty || choices.contains { $0.value == selected }
        control = .choice(isKnown ? choices : choices + [(selected, selected)], selected: selected)
    }

    private var id: String { "field-\(ownID ?? name)" }

    /// A refused form comes back where its first fault is, and not at the top of a long page.
    private var description: [Attribute] {
        (help != nil || error != nil ? [.ariaDescribedBy("\(id)-help")] : [])
            + (error != nil ? [.ariaInvalid, .autofocus] : [])
    }

    var html: HTML {
        div(.class("field")) {
            Web.label(.class("field-label"), .for(id)) { label }
            switch control {
            case .input(let more):
                input(
                    [.class("input"), .id(id), .name(name)] + more + description)
            case .choice(let choices, let selected):
                select(
                    [.class("input"), .id(id), .name(name), .nicety("submit")] + description
                ) {
                    for choice in choices {
                        option([.value(choice.value)] + (choice.value == selected ? [.selected] : [])) { choice.text }
                    }
                }
            }
            if let text = error ?? help {
                p(.class("field-help", error == nil ? .plain : .bad), .id("\(id)-help")) { text }
            }
        }
    }
}
