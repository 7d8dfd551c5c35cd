import Testing

@testable import Web

@Suite struct `Elements` {
    @Test(arguments: [
        ("<img src=x onerror=alert(1)>", "&lt;img src=x onerror=alert(1)&gt;"),
        ("Tom & \"Jerry\" 's", "Tom &amp; &quot;Jerry&quot; &#39;s"),
        ("a\u{0}b\u{1B}c\u{7F}", "a\u{FFFD}b\u{FFFD}c\u{FFFD}"),
        ("line\nline\ttab", "line\nline\ttab"),
        ("4\u{202F}999 ₫ 💥", "4\u{202F}999 ₫ 💥"),
        ("&lt;", "&amp;lt;"),
    ])
    func `BL-072: text is escaped, as content and as the value of an attribute`(text: String, escaped: String) {
        #expect(p { text }.string == "<p>\(escaped)</p>")
        #expect(span(.title(text)) { "x" }.string == "<span title=\"\(escaped)\">x</span>")
    }

    @Test func `a builder takes conditions, loops and nothing at all`() {
        let words = ["a", "b"]
        let html = ul {
            for word in words { li { word } }
            if words.isEmpty { li { "none" } }
            words.isEmpty ? li { "none" } : nil
        }
        #expect(html.string == "<ul><li>a</li><li>b</li></ul>")
    }
}
