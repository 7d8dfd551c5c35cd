import AppStore
import Testing

@Suite struct JSONTests {
    private func refusal(_ text: String) -> JSONError.Kind? { refusal(Array(text.utf8)) }

    private func refusal(_ bytes: [UInt8]) -> JSONError.Kind? {
        do {
            _ = try JSONDocument(bytes)
            return nil
        } catch {
            return error.kind
        }
    }

    @Test(arguments: [
        "null", "true", " false ", "0", "-0", "12.50", "1e3", "-1.5E-7", "\"\"", "[]", "{}", "[1,[2,{}]]",
        "{\"a\":{\"a\":1},\"b\":[]}", "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\ud83d\\ude00\"", "\"é中😀\"",
        "\t[\r\n1 , 2 ]",
    ])
    func `JSON is read`(text: String) {
        #expect(refusal(text) == nil)
    }

    @Test(arguments: [
        "", " ", "[1,]", "{\"a\":1,}", "[1 2]", "{\"a\" 1}", "{a:1}", "{1:1}", "nul", "True", "NaN", "Infinity", "01",
        "+1", ".5", "1.", "1e", "1e+", "-", "0x1", "'a'", "\"a", "\"\\x\"", "\"\\u12g4\"", "\"\\u12\"", "\"\n\"",
        "\"\t\"",
        "\"\\ud800\"", "\"\\ud800x\"", "\"\\ud800\\u0041\"", "\"\\udc00\"", "[", "{", "{\"a\":", "[1]x", "// a\n1",
        "\u{FEFF}1",
        "\u{0}", "]",
    ])
    func `what is not JSON is refused`(text: String) {
        #expect(refusal(text) == .syntax)
    }

    @Test(
        arguments: [
            [0x80], [0xC0, 0x80], [0xC1, 0xBF], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80], [0xF0, 0x80, 0x80, 0x80],
            [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xE2, 0x82], [0xC3, 0x28], [0xFF], [0xFE],
        ] as [[UInt8]])
    func `a text that is not UTF-8 is refused`(bytes: [UInt8]) {
        #expect(refusal([0x22] + bytes + [0x22]) == .notUTF8)
    }

    @Test func `UTF-16 is refused`() {
        #expect(refusal([0xFF, 0xFE, 0x7B, 0x00, 0x7D, 0x00]) != nil)
        #expect(refusal([0x7B, 0x00, 0x7D, 0x00]) != nil)
    }

    @Test func `a member named twice is refused, however it is spelled`() {
        #expect(refusal(#"{"a":1,"a":1}"#) == .duplicateMember)
        #expect(refusal(#"{"a":1,"\u0061":1}"#) == .duplicateMember)
        #expect(refusal(#"{"x":{"b":1,"c":2,"b":3}}"#) == .duplicateMember)
        #expect(refusal(#"{"a":1,"A":1,"b":{"a":1}}"#) == nil)
        let many = (0..<500).map { "\"m\($0)\":1" }.joined(separator: ",")
        #expect(refusal("{\(many)}") == nil)
        #expect(refusal("{\(many),\"m7\":1}") == .duplicateMember)
        #expect(refusal("{\(many),\"\\u006d499\":1}") == .duplicateMember)
    }

    @Test func `nesting is bounded`() {
        func nested(_ count: Int) -> String {
            String(repeating: "[", count: count) + String(repeating: "]", count: count)
        }
        #expect(refusal(nested(64)) == nil)
        #expect(refusal(nested(65)) == .tooDeep)
        #expect(refusal(String(repeating: "[", count: 1_000_000)) == .tooDeep)
        #expect(refusal(String(repeating: "{\"a\":", count: 1_000)) == .tooDeep)
    }

    @Test func `numbers are whole, written with digits, and have 64 bits`() throws {
        func number(_ text: String) throws -> Int64? { try JSONDocument(Array("{\"n\":\(text)}".utf8)).root["n"]?.int }
        #expect(try number("9223372036854775807") == .max)
        #expect(try number("-9223372036854775808") == .min)
        #expect(try number("9223372036854775808") == nil)
        #expect(try number("1e3") == nil)
        #expect(try number("1.0") == nil)
        #expect(try number("\"1\"") == nil)
        #expect(try number("null") == nil)
        #expect(try number("0") == 0)
    }

    @Test func `values are found by name, in order, with escapes undone`() throws {
        let text = #"{"a/b":"\u00e9\n\ud83d\ude00","\u0062":[true,null,{"c":"d"}],"e":""}"#
        let root = try JSONDocument(Array(text.utf8)).root
        #expect(root["a/b"]?.string == "é\n😀")
        #expect(root["b"]?.elements?.count == 3)
        #expect(root["b"]?.elements?[0].bool == true)
        #expect(root["b"]?.elements?[1].isNull == true)
        #expect(root["b"]?.elements?[2]["c"]?.string == "d")
        #expect(root["e"]?.string == "")
        #expect(root["f"] == nil)
        #expect(root["a/b"]?["c"] == nil)
        #expect(root.members.map(\.name) == ["a/b", "b", "e"])
    }

    @Test func `a quoted text reads back as it was`() throws {
        for text in ["", "a\"b\\c", "\u{0}\u{1F}\u{7F}", "é中😀", "</script>", "\u{2028}"] {
            #expect(try JSONDocument(Array(JSONText.quoted(text).utf8)).root.string == text)
        }
    }
}
