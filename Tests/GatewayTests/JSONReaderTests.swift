import Testing

@testable import Gateway

@Suite struct JSONReaderTests {
    @Test(arguments: [
        "{}", "[]", "null", "true", "-0", "0.5e-3", "\"a\\u00fc\\ud83d\\ude00\\n\"", " [1 , 2]\n",
        "{\"a\":{\"b\":[{}]}}", "\"ü\"",
    ])
    func `JSON is read`(text: String) throws { _ = try JSONReader.read(Array(text.utf8)) }

    @Test(arguments: [
        "", " ", "{", "[", "\"", "[1,]", "{\"a\":1,}", "{,}", "[,1]", "{\"a\"}", "{\"a\":}", "{a:1}", "{'a':1}", "01",
        "+1", ".5", "1.", "1e",
        "0x1", "NaN", "Infinity", "tru", "nulL", "True", "\"\\x\"", "\"\\u12\"", "\"\\ud800\"", "\"\\ud800\\u0041\"",
        "\"\\udc00\"",
        "\"\\u0000\"", "\"a\nb\"", "\"a\tb\"", "1 2", "[1 2]", "{\"a\":1 \"b\":2}", "{\"a\":1,\"a\":1}",
        "{\"a\":1,\"\\u0061\":1}", "// x\n1", "/**/1",
        "\u{FEFF}{}",
    ])
    func `what RFC 8259 does not know, or leaves open, is refused`(text: String) {
        #expect(throws: JSONError.self) { try JSONReader.read(Array(text.utf8)) }
    }

    @Test func `bytes that are not UTF-8 are refused`() {
        #expect(throws: JSONError.self) { try JSONReader.read([0x22, 0xFF, 0x22]) }
        #expect(throws: JSONError.self) { try JSONReader.read([0x22, 0xC0, 0x80, 0x22]) }
        #expect(throws: JSONError.self) { try JSONReader.read([0x22, 0xED, 0xA0, 0x80, 0x22]) }
    }

    @Test func `deep nesting is refused before it costs anything`() {
        let deep = String(repeating: "[", count: 100_000)
        #expect(throws: JSONError.self) { try JSONReader.read(Array(deep.utf8)) }
    }

    @Test func `what is written is read again as it was`() throws {
        let value = JSON.members([
            ("text", .string("a\"\\\n\u{1}ü😀")), ("number", .int(-9_007_199_254_740_993)), ("left out", nil),
            ("list", .array([.null, .bool(true), .members([])])),
        ])
        #expect(try JSONReader.read(value.bytes) == value)
    }
}
