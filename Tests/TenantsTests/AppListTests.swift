import Testing

@testable import Tenants

@Suite struct `A pasted list of apps` {
    /// `bundleID|appleID|name` of each line that asks for an app, and the number of each that does not.
    private func read(_ text: String) throws -> [String] {
        try AppList.parse(text).map { asked in
            switch asked.app {
            case .success(let app): "\(app.bundleID)|\(app.appleID.map { "\($0)" } ?? "")|\(app.name ?? "")"
            case .failure: "\(asked.line)"
            }
        }
    }

    @Test(arguments: [
        ("com.example.one, 6450000011, One", "com.example.one|6450000011|One"),
        ("com.example.one,,One", "com.example.one||One"), ("com.example.one", "com.example.one||"),
        ("one", "one||"), ("com.example.one, One", "com.example.one||One"),
        ("com.example.one, One, and more", "com.example.one||One, and more"),
        ("com.example.one\t6450000011\tOne, and more", "com.example.one|6450000011|One, and more"),
        ("com.example.one;6450000011;One, and more", "com.example.one|6450000011|One, and more"),
        ("com.example.one; One", "com.example.one||One"),
        (#""com.example.one","6450000011","One, and ""more"""#, #"com.example.one|6450000011|One, and "more""#),
        (#""com.example.one";"";"One; two""#, "com.example.one||One; two"),
        ("“com.example.one”, “One”", "com.example.one||One"),
        ("6450000011, com.example.one, One", "com.example.one|6450000011|One"),
        ("One, com.example.one", "com.example.one||One"),
        ("com.example.one, id6450000011", "com.example.one|6450000011|"),
        ("com.example.one 6450000011 One more", "com.example.one|6450000011|One more"),
        ("- com.example.one, One", "com.example.one||One"), ("\u{FEFF}com.example.one\r", "com.example.one||"),
        ("com.example.one, 1Password 8", "com.example.one||1Password 8"),
        ("com.example.one, O'Neil's \"best\"", "com.example.one||O'Neil's \"best\""),
    ])
    func `a line is read as people and tables write it`(line: String, app: String) throws {
        #expect(try read(line) == [app])
    }

    @Test(arguments: [
        "id, Name\ncom.example.one, One", "Bundle ID\tName\ncom.example.one\tOne",
        "Name;Bundle Identifier\nOne;com.example.one", "\"App Name\",\"SKU\",\"Bundle ID\"\nOne,X1,com.example.one",
        "# exported\n\nBundle ID,Apple ID,Name\ncom.example.one,,One", "bundle_id,name\ncom.example.one,One",
    ])
    func `a line of heads says in which order, and is no app`(list: String) throws {
        #expect(try read(list) == ["com.example.one||One"])
        #expect(AppList.head(of: list) != nil)
    }

    @Test func `a column of ids may hold either kind`() throws {
        #expect(
            try read("ID,ID,Name\n6450000011,com.example.one,2048") == ["com.example.one|6450000011|2048"])
        #expect(try read("Bundle ID,Name\ncom.example.one,2048") == ["com.example.one||2048"])
        #expect(AppList.head(of: "id\ncom.example.one") == nil, "one word by itself may be a bundle ID")
    }

    @Test(arguments: [
        ("com.example.one, 64500000O1", "is no Apple ID"), ("com.example.one, 99999999999999999999", "has 20 digits"),
        ("not a bundle", "cannot be a bundle ID"), (", One", "the bundle ID is missing"),
        (String(repeating: "a", count: 200), "has 200 characters"),
        ("com.example.one, \(String(repeating: "n", count: 300))", "at most 200 characters"),
        ("Bundle ID,Name\n64500000O1,One", "looks like an Apple ID"), ("6450000011", "looks like an Apple ID"),
        ("Bundle ID,Name\n,One", "the bundle ID is missing"),
    ])
    func `a line that asks for no app says why, and is kept as it was`(list: String, reason: String) throws {
        let asked = try #require(try AppList.parse(list).last)
        guard case .failure(let trouble) = asked.app else {
            Issue.record("taken")
            return
        }
        #expect("\(trouble)".contains(reason), "\(trouble)")
        #expect(asked.text == list.split(separator: "\n").last?.drop { $0 == " " }.description)
    }

    @Test func `what is no list at all says so`() {
        for (list, reason) in [
            ("", "holds no app"), ("# nothing", "holds no app"), ("Bundle ID,Name", "holds no app under its heads"),
            ((0...200).map { "com.example.a\($0)" }.joined(separator: "\n"), "has 201 lines, and at most 200"),
        ] {
            let error = #expect(throws: AppChangeError.self) { try AppList.parse(list) }
            #expect(error?.member == "list" && error?.text.contains(reason) == true, "\(reason)")
        }
    }
}
