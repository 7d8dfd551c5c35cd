import HTTP
import Testing

@Suite struct MessageTests {
    private func request(_ headers: HeaderFields, _ body: String = "") throws -> Request {
        try Request(method: .post, target: "/", headers: headers, body: Array(body.utf8))
    }

    // Header fields

    @Test func `names of fields have no case, and the first one counts`() {
        var fields: HeaderFields = ["Content-Type": "a", "content-type": "b"]
        #expect(fields["CONTENT-TYPE"] == "a")
        #expect(fields.all("Content-Type") == ["a", "b"])
        fields.set("content-TYPE", "c")
        #expect(fields.all("Content-Type") == ["c"])
    }

    @Test func `a value cannot start a new line`() {
        var fields = HeaderFields()
        fields.add("A", "b\r\nC: d\0")
        #expect(fields["A"] == "b  C: d ")
    }

    // Cookies

    @Test func `cookies are read from all fields, quoted or not`() throws {
        let cookies = try request(["Cookie": "a=1; b=\"two\"; a=3; broken; =x", "cookie": "c=x=y"]).cookies
        #expect(cookies.first("a") == "1")
        #expect(cookies.first("b") == "two")
        #expect(cookies.first("c") == "x=y")
        #expect(cookies.all.count == 4)
    }

    @Test func `a cookie to set is closed to scripts and to other sites`() {
        var response = Response(.ok)
        response.set(SetCookie("session", "abc", maxAge: .seconds(60), isSecure: true, sameSite: .strict))
        #expect(
            response.headers["Set-Cookie"] == "session=abc; Path=/; Max-Age=60; Secure; HttpOnly; SameSite=Strict")
    }

    @Test(arguments: [
        ("Bearer rd_x", "rd_x"), ("bearer  rd_x ", "rd_x"), ("Basic abc", nil), ("Bearer ", nil), ("Bearer", nil),
    ])
    func `a bearer token is found`(field: String, token: String?) throws {
        #expect(try request(["Authorization": field]).bearerToken == token)
    }

    // Forms

    @Test func `a form is decoded`() throws {
        let form = try request(
            ["Content-Type": "application/x-www-form-urlencoded; charset=UTF-8"], "a=1&b=x+y%26&a=2&c"
        ).form()
        #expect(form.all("a") == ["1", "2"])
        #expect(form.first("b") == "x y&")
        #expect(form.first("c") == "")
        #expect(form.first("d") == nil)
    }

    @Test func `what is no form is not read as one`() throws {
        let wrongType = try request(["Content-Type": "application/json"], "a=1")
        #expect { try wrongType.form() } throws: { ($0 as? BodyError)?.reason == .wrongType }
        let malformed = try request(["Content-Type": "application/x-www-form-urlencoded"], "a=%zz")
        #expect { try malformed.form() } throws: { ($0 as? BodyError)?.reason == .malformed }
    }

    // Percent codes

    @Test(arguments: [("a b/ü~-._", "a%20b%2F%C3%BC~-._"), ("", ""), ("%", "%25"), ("\n", "%0A")])
    func `encoding and decoding are each other's opposite`(text: String, encoded: String) {
        #expect(PercentCoding.encode(text) == encoded)
        #expect(PercentCoding.decode(encoded.utf8) == text)
    }

    // Parts

    private static let type = "multipart/form-data; boundary=\"edge\""
    private static let whole =
        "preamble\r\n--edge\r\nContent-Disposition: form-data; name=\"key\"; filename=\"k.p8\"\r\n"
        + "Content-Type: application/octet-stream\r\n\r\n-----BEGIN\r\n--edg\r\n\r\n--edge\r\n"
        + "content-disposition: form-data; name=id\r\n\r\nABC\r\n--edge--\r\nepilogue"

    @Test func `parts of a body are found where they lie`() throws {
        let request = try request(["Content-Type": Self.type], Self.whole)
        let parts = try request.multipart()
        let key = try #require(parts.first("key"))
        #expect(key.filename == "k.p8")
        #expect(key.mediaType == "application/octet-stream")
        #expect(request.text(of: key) == "-----BEGIN\r\n--edg\r\n")
        #expect(parts.first("id").flatMap { request.text(of: $0) } == "ABC")
        #expect(parts.parts.count == 2)
    }

    @Test func `an empty part is a part`() throws {
        let request = try request(
            ["Content-Type": Self.type],
            "--edge\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n\r\n--edge--")
        #expect(try request.multipart().first("a").map { request.bytes(of: $0).count } == 0)
    }

    @Test(arguments: [
        ("multipart/form-data", whole), ("multipart/form-data; boundary=", whole), (type, ""), (type, "--edge"),
        (type, "--edge\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nnever ended"),
        (type, "--edge\r\n\r\nno name\r\n--edge--"), (type, "--edgeless\r\n"),
        (type, "--edge\r\nContent-Disposition: attachment; name=\"a\"\r\n\r\nx\r\n--edge--"),
        (type, "--edge\r\nContent-Disposition: form-data; name=\"a\r\n\r\nx\r\n--edge--"),
    ])
    func `parts that are not well-formed are refused`(type: String, body: String) throws {
        let request = try request(["Content-Type": type], body)
        #expect { try request.multipart() } throws: { ($0 as? BodyError)?.reason == .malformed }
    }

    @Test func `more parts than wanted are refused`() throws {
        let request = try request(["Content-Type": Self.type], Self.whole)
        #expect { try request.multipart(partsMax: 1) } throws: { ($0 as? BodyError)?.reason == .tooLarge }
    }

    @Test(arguments: ["", "hello", "/%", "/%0", "/%00", "/%ff"])
    func `a target that is no path makes no request`(target: String) {
        #expect(throws: BadTarget.self) { try Request(method: .get, target: target) }
    }
}
