/// Several of a few, all of them in sight.
struct CheckList {
    struct Item {
        let value: String
        let text: String
        let more: String
    }

    let label: String
    let name: String
    let items: [Item]
    var checked: Set<String> = []
    var error: String?

    var html: HTML {
        div(.class("check-list"), .role("group"), .ariaLabelledBy("list-\(name)")) {
            p(.class("field-label"), .id("list-\(name)")) { label }
            for item in items {
                let id = "check-\(name)-\(item.value)"
                div(.class("check-item")) {
                    input(
                        [.type("checkbox"), .id(id), .name(name), .value(item.value)]
                            + (checked.contains(item.value) ? [.checked] : []))
                    Web.label(.for(id)) {
                        item.text
                        span(.class("subtext")) { item.more }
                    }
                }
            }
            if let error { p(.class("field-help", .bad)) { error } }
        }
    }
}
