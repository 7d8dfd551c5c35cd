/// Every element the pages use. An element that is not here is not used.

private func element(
    _ name: StaticString, _ attributes: [Attribute], _ content: () -> HTML
) -> HTML {
    var bytes = open(name, attributes)
    bytes.append(contentsOf: content().bytes)
    bytes.append(contentsOf: "</".utf8)
    bytes.append(contentsOf: name.description.utf8)
    bytes.append(UInt8(ascii: ">"))
    return HTML(bytes: bytes)
}

private func open(_ name: StaticString, _ attributes: [Attribute]) -> [UInt8] {
    var bytes: [UInt8] = [UInt8(ascii: "<")]
    bytes.append(contentsOf: name.description.utf8)
    for attribute in attributes {
        bytes.append(UInt8(ascii: " "))
        bytes.append(contentsOf: attribute.name.description.utf8)
        guard let value = attribute.value else { continue }
        bytes.append(contentsOf: "=\"".utf8)
        Escaping.append(value.utf8, to: &bytes)
        bytes.append(UInt8(ascii: "\""))
    }
    bytes.append(UInt8(ascii: ">"))
    return bytes
}

typealias Content = () -> HTML

// MARK: Document

func document(@HTMLBuilder _ content: Content) -> HTML {
    var whole = HTML(markupThatIsSafeAsItStands: "<!doctype html>\n")
    whole.append(element("html", [.lang("en")], content))
    return whole
}
func head(@HTMLBuilder _ content: Content) -> HTML { element("head", [], content) }
func body(_ attributes: Attribute..., @HTMLBuilder content: Content) -> HTML { element("body", attributes, content) }
func title(_ text: String) -> HTML { element("title", []) { HTML(text: text) } }
func meta(_ attributes: Attribute...) -> HTML { HTML(bytes: open("meta", attributes)) }
func link(_ attributes: Attribute...) -> HTML { HTML(bytes: open("link", attributes)) }
/// A script of ours from a file; there is none in a page.
func deferredScript(asset: String) -> HTML {
    var bytes = Array("<script defer src=\"".utf8)
    Escaping.append(asset.utf8, to: &bytes)
    bytes.append(contentsOf: "\"></script>".utf8)
    return HTML(bytes: bytes)
}

// MARK: Regions

func header(_ attributes: Attribute..., @HTMLBuilder content: Content) -> HTML {
    element("header", attributes, content)
}
func main(_ attributes: Attribute..., @HTMLBuilder content: Content) -> HTML { element("main", attributes, content) }
func nav(_ attributes: Attribute..., @HTMLBuilder content: Content) -> HTML { element("nav", attributes, content) }
func aside(_ attributes: Attribute..., @HTMLBuilder content: Content) -> HTML { element("aside", attributes, content) }
func footer(_ attributes: Attribute..., @HTMLBuilder content: Content) -> HTML {
    element("footer", attributes, content)
}
func section(_ attributes: Attribute..., @HTMLBuilder content: Content) -> HTML {
    element("section", attributes, content)
}
func article(_ attributes: Attribute..., @HTMLBuilder content: Content) -> HTML {
    element("article", attributes, content)
}
func div(_ attributes: Attribute..., @HTMLBuilder content: Content) -> HTML { element("div", attributes, content) }
func details(_ attributes: Attribute..., @HTMLBuilder content: Content) -> HTML {
    element("details", attributes, content)
}
func summary(_ attributes: Attribute..., @HTMLBuilder content: Content) -> HTML {
    element("summary", attributes, content)
}

// MARK: Text

func h1(_ attributes: Attribute..., @HTMLBuilder content: Content) -> HTML { element("h1", attributes, content) }
func h2(_ attributes: Attribute..., @HTMLBuilder content: Content) -> HTML { element("h2", attributes, content) }
func h3(_ attributes: Attribute..., @HTMLBuilder content: Content) -> HTML { element("h3", attributes, content) }
func p(_ attributes: Attribute..., @HTMLBuilder content: Content) -> HTML { element("p", attributes, content) }
func span(_ attributes: Attribute..., @HTMLBuilder content: Content) -> HTML { element("span", attributes, content) }
func strong(@HTMLBuilder _ content: Content) -> HTML { element("strong", [], content) }
func code(_ attributes: Attribute..., @HTMLBuilder content: Content) -> HTML { element("code", attributes, content) }
func pre(_ attributes: Attribute..., @HTMLBuilder content: Content) -> HTML { element("pre", attributes, content) }
func time(_ attributes: Attribute..., @HTMLBuilder content: Content) -> HTML { element("time", attributes, content) }
func a(_ attributes: Attribute..., @HTMLBuilder content: Content) -> HTML { element("a", attributes, content) }
/// A place where a line may break.
var breakHere: HTML { HTML(markupThatIsSafeAsItStands: "<wbr>") }
func img(_ attributes: Attribute...) -> HTML { HTML(bytes: open("img", attributes)) }

/// A drawing of one path on a square, with what it shows in words.
func drawing(_ name: StaticString, side: Int, path: String, label: String) -> HTML {
    element(
        "svg", [.class(name), .viewBox(side: side), .role("img"), .ariaLabel(label)],
        { element("path", [.path(path)], { .empty }) })
}

// MARK: Lists and tables

func ul(_ attributes: Attribute..., @HTMLBuilder content: Content) -> HTML { element("ul", attributes, content) }
func ol(_ attributes: Attribute..., @HTMLBuilder content: Content) -> HTML { element("ol", attributes, content) }
func li(_ attributes: Attribute..., @HTMLBuilder content: Content) -> HTML { element("li", attributes, content) }
func dl(_ attributes: Attribute..., @HTMLBuilder content: Content) -> HTML { element("dl", attributes, content) }
func dt(_ attributes: Attribute..., @HTMLBuilder content: Content) -> HTML { element("dt", attributes, content) }
func dd(_ attributes: Attribute..., @HTMLBuilder content: Content) -> HTML { element("dd", attributes, content) }
func table(_ attributes: Attribute..., @HTMLBuilder content: Content) -> HTML { element("table", attributes, content) }
func caption(_ attributes: Attribute..., @HTMLBuilder content: Content) -> HTML {
    element("caption", attributes, content)
}
func thead(@HTMLBuilder _ content: Content) -> HTML { element("thead", [], content) }
func tbody(@HTMLBuilder _ content: Content) -> HTML { element("tbody", [], content) }
func tr(_ attributes: Attribute..., @HTMLBuilder content: Content) -> HTML { element("tr", attributes, content) }
func th(_ attributes: Attribute..., @HTMLBuilder content: Content) -> HTML { element("th", attributes, content) }
func td(_ attributes: Attribute..., @HTMLBuilder content: Content) -> HTML { element("td", attributes, content) }

// MARK: Forms

func form(_ attributes: Attribute..., @HTMLBuilder content: Content) -> HTML { element("form", attributes, content) }
func label(_ attributes: Attribute..., @HTMLBuilder content: Content) -> HTML { element("label", attributes, content) }
func input(_ attributes: Attribute...) -> HTML { HTML(bytes: open("input", attributes)) }
func input(_ attributes: [Attribute]) -> HTML { HTML(bytes: open("input", attributes)) }
func select(_ attributes: [Attribute], @HTMLBuilder content: Content) -> HTML {
    element("select", attributes, content)
}
func option(_ attributes: [Attribute], @HTMLBuilder content: Content) -> HTML { element("option", attributes, content) }
func textarea(_ attributes: [Attribute], text: String) -> HTML {
    // The parser drops one line end right after the tag; without ours it would drop the text's own.
    element("textarea", attributes) { HTML(text: "\n" + text) }
}
func fieldset(_ attributes: Attribute..., @HTMLBuilder content: Content) -> HTML {
    element("fieldset", attributes, content)
}
func legend(_ attributes: Attribute..., @HTMLBuilder content: Content) -> HTML {
    element("legend", attributes, content)
}
func button(_ attributes: Attribute..., @HTMLBuilder content: Content) -> HTML {
    element("button", attributes, content)
}
