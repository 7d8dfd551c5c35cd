import Journal
import Testing

@testable import Mail

@Suite struct `The address of a mail server` {
    @Test func `says how the way there is made safe, and which port`() throws {
        let secret = Redacted("secret")
        let submission = try MailServer(url: "smtp://desk%40example.com@mail.example.com", password: secret)
        #expect(submission.security == .startTLS && submission.port == 587)
        #expect(submission.user == "desk@example.com" && submission.url == "smtp://mail.example.com:587")
        let implicit = try MailServer(url: "smtps://mail.example.com")
        #expect(implicit.security == .implicitTLS && implicit.port == 465)
        #expect(try MailServer(url: "smtp://mail.example.com:25").url == "smtp://mail.example.com:25")
    }

    @Test(arguments: [
        ("smtp://localhost", true), ("smtp://127.0.0.1:2525", true), ("smtp://[::1]", true), ("smtp://127.1", true),
        ("smtp://LOCALHOST", true), ("smtp://mail.example.com", false), ("smtp://10.0.0.1", false),
        ("smtp://localhost.example.com", false), ("smtp://127.0.0.1.example.com", false), ("smtps://localhost", false),
        ("smtp://mail.localhost", false),
    ])
    func `without TLS only on this machine`(url: String, isPlain: Bool) throws {
        #expect((try MailServer(url: url).security == .plain) == isPlain)
    }

    @Test(arguments: [
        "mail.example.com", "smtp://", "http://mail.example.com", "smtp://u:p@mail.example.com",
        "smtp://mail.example.com/path", "smtp://mail.example.com?x", "smtp://mail.example.com#x",
        "smtp://u;AUTH=PLAIN@mail.example.com", "smtp://mail.example.com:99999", "smtp://mail example.com",
        "smtp://@mail.example.com", "smtp://u%0d%0a@mail.example.com", "smtp://[fe80::1%25eth0]", "",
    ])
    func `is refused in words that do not repeat it`(url: String) {
        do throws(MailServerError) {
            _ = try MailServer(url: url, password: url.contains("u") && url.contains("@") ? Redacted("pw") : nil)
            Issue.record("\(url) was taken")
        } catch {
            #expect(!error.description.isEmpty)
            #expect(!error.description.contains("u:p"))
        }
    }

    @Test func `a user needs a password and a password a user`() {
        #expect(throws: MailServerError("names a user without a password: set that too")) {
            try MailServer(url: "smtp://desk@mail.example.com")
        }
        #expect(throws: MailServerError("names no user, and a password is set")) {
            try MailServer(url: "smtp://mail.example.com", password: Redacted("x"))
        }
    }

    @Test func `no description shows the password`() throws {
        let server = try MailServer(url: "smtp://desk@mail.example.com", password: Redacted("hunter2"))
        var text = "\(server)"
        dump(server, to: &text)
        #expect(!text.contains("hunter2"))
    }

    @Test func `a server that repeats the password is not quoted`() {
        var words = ServerWords()
        words.take("535-5.7.8 wrong\r\n")
        words.take("535 5.7.8 password hunter2\r\n")
        #expect(words.text(hiding: nil) == "535 5.7.8 wrong 5.7.8 password hunter2")
        #expect(!words.text(hiding: "hunter2").contains("hunter2"))
        words.take("250 ok\r\n")
        #expect(words.text(hiding: "hunter2") == "250 ok")
    }
}
