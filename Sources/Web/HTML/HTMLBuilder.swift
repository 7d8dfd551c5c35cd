/// Makes one `HTML` of the statements in a closure. A string is text and is escaped.
@resultBuilder
package enum HTMLBuilder {
    package static func buildExpression(_ html: HTML) -> HTML { html }
    package static func buildExpression(_ html: HTML?) -> HTML { html ?? .empty }
    package static func buildExpression(_ text: String) -> HTML { HTML(text: text) }

    package static func buildBlock(_ parts: HTML...) -> HTML { join(parts) }
    package static func buildArray(_ parts: [HTML]) -> HTML { join(parts) }
    package static func buildOptional(_ part: HTML?) -> HTML { part ?? .empty }
    package static func buildEither(first part: HTML) -> HTML { part }
    package static func buildEither(second part: HTML) -> HTML { part }

    private static func join(_ parts: [HTML]) -> HTML {
        if parts.count == 1 { return parts[0] }
        var whole = HTML.empty
        for part in parts { whole.append(part) }
        return whole
    }
}
