/// Fields that are sent again as they are.
struct HiddenFields {
    let fields: [(String, String)]

    var html: HTML {
        fields.reduce(into: HTML.empty) { html, field in
            html.append(input(.type("hidden"), .name(field.0), .value(field.1)))
        }
    }
}
