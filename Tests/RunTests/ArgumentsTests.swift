import Testing

@testable import Run

@Suite struct `Command line` {
    private let form = CommandForm(
        words: ["thing", "add"], positionals: ["SLUG"],
        options: [
            .required("name", "NAME", "a name"), .optional("size", "N", "a size"),
            .repeatable("scope", "S", "scopes"), .flag("loud", "says more"),
        ],
        summary: "Adds a thing.")

    private func read(_ words: String...) throws(UsageError) -> Arguments { try Arguments(words, for: form) }

    @Test func `reads values after a space or an equals sign, in any order`() throws {
        for words in [
            ["acme", "--name", "A B", "--scope=x", "--scope", "y", "--loud"],
            ["--loud", "--scope", "x", "--name=A B", "acme", "--scope=y"],
        ] {
            let read = try Arguments(words, for: form)
            #expect(read["name"] == "A B")
            #expect(read.all("scope") == ["x", "y"])
            #expect(read.has("loud") && !read.wantsJSON)
            #expect(read.positional(0) == "acme")
        }
        #expect(try read("--name", "-", "--", "--odd")["name"] == "-")
        #expect(try read("--name", "x", "--", "--odd").positional(0) == "--odd")
        #expect(try read("--name=", "acme")["name"] == "")
        #expect(try read("--name=--x", "acme")["name"] == "--x")
    }

    @Test(arguments: [
        (["acme"], "--name is missing"), (["--name", "x"], "SLUG is missing"),
        (["acme", "b", "--name", "x"], "\"b\" is one word too many"),
        (["acme", "--nmae", "x"], "unknown option --nmae"),
        (["acme", "--name"], "--name needs a value"), (["acme", "--name", "--loud"], "--name needs a value"),
        (["acme", "--name", "x", "--name", "y"], "--name may be given once"),
        (["acme", "--name", "x", "--loud=1"], "--loud takes no value"), (["acme", "-n", "x"], "unknown option -n"),
        (["acme", "--name", "x", "--size", "1", "--size", "2"], "--size may be given once"),
    ])
    func `says what is wrong, with the usage line`(words: [String], text: String) {
        let error = #expect(throws: UsageError.self) { try Arguments(words, for: form) }
        #expect(error?.description == text)
        #expect(error?.usage == "refund-desk thing add SLUG --name NAME [--size N] [--scope S]… [--loud] [--json]")
    }

    @Test func `help needs nothing else`() throws {
        #expect(try read("--help").wantsHelp)
        #expect(try read("-h").wantsHelp)
        for name in ["--name NAME", "--size N", "--json", "--help"] { #expect(form.help.contains(name)) }
    }

    @Test func `numbers and words are checked`() throws {
        enum Size: String, CaseIterable { case big, small }
        #expect(try read("a", "--name", "x", "--size", "7").number("size") == 7)
        #expect(try read("a", "--name", "x").number("size") == nil)
        for bad in ["0", "-1", "x", "1.5", "99999999999999999999"] {
            #expect(throws: UsageError.self) { try read("a", "--name", "x", "--size=\(bad)").number("size") }
        }
        #expect(try read("a", "--name", "x", "--size", "big").choice("size", as: Size.self) == .big)
        #expect(throws: UsageError.self) { try read("a", "--name", "x", "--size", "Big").choice("size", as: Size.self) }
    }

    @Test func `no command takes a secret as an argument`() {
        for command in Program.commands {
            for option in command.form.options where option.value != nil {
                #expect(!["password", "secret", "token", "key"].contains(option.name), "\(command.form.words)")
            }
        }
    }

    @Test func `every command has a help text and words of its own`() {
        let words = Program.commands.map { $0.form.words.joined(separator: " ") }
        #expect(Set(words).count == words.count)
        for wanted in [
            "serve", "migrate", "doctor", "tenant add", "app add", "app remove", "inbox add", "inbox retire", "key add",
            "key remove", "operator add", "operator reset", "token add", "token remove", "channel add",
            "channel remove",
            "master-key new", "master-key rotate", "version",
        ] { #expect(words.contains(wanted)) }
    }
}

@Suite struct `JSON on standard output` {
    @Test func `is one line whatever a text holds`() {
        let json = JSON.object([
            ("a", "x\"\\\n\u{2028}\u{7F}é"), ("b", .list([1, .none, true])), ("c", .object([])),
        ])
        #expect(json.text == #"{"a":"x\"\\\u000a\u2028\u007fé","b":[1,null,true],"c":{}}"#)
    }
}

@Suite struct `Names that are nearly right` {
    @Test(arguments: [("a", "a", 0), ("", "abc", 3), ("LITSEN", "LISTEN", 2), ("kitten", "sitting", 3)])
    func `are so many letters apart`(a: String, b: String, apart: Int) {
        #expect(SettingsReader.distance(a, b) == apart)
    }
}
