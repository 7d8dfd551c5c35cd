/// One attribute of an element.
///
/// There is no way to write an arbitrary name, an event handler or a style. Addresses come from
/// `Site`, so a script address cannot be written.
struct Attribute: Sendable {
    let name: StaticString
    /// Nil: the attribute stands alone, as `required` does.
    let value: String?

    private init(_ name: StaticString, _ value: String?) {
        self.name = name
        self.value = value
    }

    // MARK: What it is and how it looks

    static func id(_ value: String) -> Attribute { Attribute("id", value) }
    /// Class names are string literals or a `Tone`, so that a test can compare them with the style sheets.
    static func `class`(_ names: StaticString) -> Attribute { Attribute("class", names.description) }
    static func `class`(_ names: StaticString, _ tone: Tone) -> Attribute {
        Attribute("class", "\(names) \(tone.rawValue)")
    }
    static func lang(_ value: StaticString) -> Attribute { Attribute("lang", value.description) }
    /// What a text is written in, such as `de`.
    static func lang(code: String) -> Attribute { Attribute("lang", code) }
    static func title(_ value: String) -> Attribute { Attribute("title", value) }
    /// What a form asks passkeys for, which `passkeys.js` carries out.
    static func passkey(_ kind: StaticString) -> Attribute { Attribute("data-passkey", kind.description) }
    /// Where a form's script gets what it asks the browser for.
    static func offer(_ place: Site) -> Attribute { Attribute("data-offer", place.url) }
    static let hidden = Attribute("hidden", nil)
    static let open = Attribute("open", nil)

    static func viewBox(side: Int) -> Attribute { Attribute("viewBox", "0 0 \(side) \(side)") }
    static func path(_ steps: String) -> Attribute { Attribute("d", steps) }

    // MARK: Where it leads

    static func href(_ place: Site) -> Attribute { Attribute("href", place.url) }
    static func href(fragment: String) -> Attribute { Attribute("href", "#" + fragment) }
    static func href(asset: String) -> Attribute { Attribute("href", asset) }
    static func src(asset: String) -> Attribute { Attribute("src", asset) }
    static func action(_ place: Site) -> Attribute { Attribute("action", place.url) }
    static let get = Attribute("method", "get")
    static let post = Attribute("method", "post")
    static func rel(_ value: StaticString) -> Attribute { Attribute("rel", value.description) }

    // MARK: Fields

    static func name(_ value: String) -> Attribute { Attribute("name", value) }
    static func value(_ value: String) -> Attribute { Attribute("value", value) }
    static func type(_ value: StaticString) -> Attribute { Attribute("type", value.description) }
    static func `for`(_ id: String) -> Attribute { Attribute("for", id) }
    static func placeholder(_ text: String) -> Attribute { Attribute("placeholder", text) }
    static func autocomplete(_ value: StaticString) -> Attribute { Attribute("autocomplete", value.description) }
    static func inputmode(_ value: StaticString) -> Attribute { Attribute("inputmode", value.description) }
    static func minlength(_ n: Int) -> Attribute { Attribute("minlength", String(n)) }
    static func maxlength(_ n: Int) -> Attribute { Attribute("maxlength", String(n)) }
    static func min(_ n: Int) -> Attribute { Attribute("min", String(n)) }
    static func max(_ n: Int) -> Attribute { Attribute("max", String(n)) }
    static let required = Attribute("required", nil)
    /// A form that carries files.
    static let multipart = Attribute("enctype", "multipart/form-data")
    static func accept(_ value: StaticString) -> Attribute { Attribute("accept", value.description) }
    static func rows(_ n: Int) -> Attribute { Attribute("rows", String(n)) }
    static func pattern(_ value: StaticString) -> Attribute { Attribute("pattern", value.description) }
    static func max(_ value: String) -> Attribute { Attribute("max", value) }
    static let checked = Attribute("checked", nil)
    static let readonly = Attribute("readonly", nil)
    static let selected = Attribute("selected", nil)
    static let disabled = Attribute("disabled", nil)
    static let autofocus = Attribute("autofocus", nil)
    static let noSpellcheck = Attribute("spellcheck", "false")

    // MARK: For those who listen or use a keyboard

    static func role(_ value: StaticString) -> Attribute { Attribute("role", value.description) }
    static func ariaLabel(_ text: String) -> Attribute { Attribute("aria-label", text) }
    static func ariaLabelledBy(_ id: String) -> Attribute { Attribute("aria-labelledby", id) }
    static func ariaDescribedBy(_ id: String) -> Attribute { Attribute("aria-describedby", id) }
    static func ariaCurrent(_ what: StaticString) -> Attribute { Attribute("aria-current", what.description) }
    static let ariaHidden = Attribute("aria-hidden", "true")
    static let ariaInvalid = Attribute("aria-invalid", "true")
    static func tabindex(_ n: Int) -> Attribute { Attribute("tabindex", String(n)) }

    // MARK: Details of single elements

    static func datetime(_ value: String) -> Attribute { Attribute("datetime", value) }
    static func scope(_ value: StaticString) -> Attribute { Attribute("scope", value.description) }
    static func charset(_ value: StaticString) -> Attribute { Attribute("charset", value.description) }
    static func content(_ value: String) -> Attribute { Attribute("content", value) }
    /// The column's name, shown beside the value where a table is drawn as cards.
    static func column(_ name: String) -> Attribute { Attribute("data-column", name) }
    /// What `console.js` may make nicer; nothing depends on it.
    /// The id of the field or text that a button copies.
    static func copies(_ id: String) -> Attribute { Attribute("data-copies", id) }
    /// Where the parts of the page that change by themselves are fetched from.
    static func source(_ place: Site) -> Attribute { Attribute("data-source", place.url) }
    /// A part that changes by itself, by its name.
    static func live(_ name: String) -> Attribute { Attribute("data-live", name) }
    /// Something is awaited here: the page is worth asking about again.
    static let awaits = Attribute("data-awaits", nil)
    static func nicety(_ name: StaticString) -> Attribute { Attribute("data-nicety", name.description) }
}
