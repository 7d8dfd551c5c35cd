import Testing

@testable import Simulator

@Suite struct `JSON of the small Apple` {
    @Test func `what is read is written again, members in their order and numbers as they stood`() throws {
        let text = #"{"b":1.50e3,"a":[null,true,"\n\"é💥"],"z":{"deep":-0}}"#
        #expect(try JSONReader.read(text).text == text)
    }

    @Test(arguments: [
        "", " ", "{", "{\"a\":1,}", "[1,]", "{\"a\":1}x", "{\"a\":1,\"a\":2}", "01", "1.", "1e", "-", "+1", "NaN",
        "nul",
        "\"a", "\"\\u12\"", "\"\\ud800\"", "\"\\ud800\\u0041\"", "\"\\x\"", "\"a\nb\"", "{'a':1}", "\u{FEFF}1", "[1 2]",
        "{a:1}", "{\"a\" 1}", String(repeating: "[", count: 100),
    ])
    func `text that is no JSON is refused`(text: String) {
        #expect(throws: JSONReader.Fault.self) { try JSONReader.read(text) }
    }

    @Test func `bytes that are no UTF-8 are refused`() {
        #expect(throws: JSONReader.Fault.self) { try JSONReader.read([0x22, 0xFF, 0x22]) }
    }

    @Test func `escapes and surrogate pairs become characters`() throws {
        #expect(try JSONReader.read(#""\u0041\ud83d\udca5\/\b""#) == .string("A💥/\u{8}"))
    }

    @Test func `only a plain integer is an integer`() throws {
        #expect(try JSONReader.read("100000").int == 100_000)
        for text in ["1.0", "1e3", "\"1\"", "true", "9223372036854775808"] {
            #expect(try JSONReader.read(text).int == nil)
        }
    }

    @Test func `a change replaces, adds, removes and reaches into objects`() {
        let object: JSONObject = ["a": 1, "b": ["c": 2, "d": 3]]
        let changed = object.changed(by: ["a": nil, "b": ["c": 5, "d": nil], "e": ["f": nil, "g": 1]])
        #expect(JSON.object(changed).text == #"{"b":{"c":5},"e":{"g":1}}"#)
    }
}
