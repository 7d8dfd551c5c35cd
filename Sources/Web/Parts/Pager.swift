/// The way through a list that is read in pages: to the newest, and to older ones.
struct Pager {
    /// Nil where this is the first page.
    let newest: Site?
    /// Nil where this is the last page.
    let older: Site?

    var html: HTML {
        if newest == nil && older == nil { return .empty }
        return nav(.class("pager"), .ariaLabel("Pages")) {
            if let newest { a(.class("button"), .href(newest), .rel("first")) { "← Newest" } }
            if let older { a(.class("button"), .href(older), .rel("next")) { "Older →" } }
        }
    }
}
