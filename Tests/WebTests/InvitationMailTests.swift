import HTTP
import Journal
import Loop
import Mail
import Refunds
import Support
import Tenants
import Testing
import Time

@testable import Web

/// An invited person is mailed the link; whoever invites sees it all the same, and whether it was mailed.
@Suite struct `Invitations by mail` {
    private static var link: Regex<Substring> { /https:\/\/refunds\.example\/invitations\/[A-Za-z0-9_-]{43}/ }

    private func client(
        _ url: String, caFile: String? = nil, limits: MailClient.Limits = InvitationPost.limits
    ) throws -> MailClient {
        MailClient(
            server: try MailServer(url: url), from: try #require(MailAddress("desk@refunds.example")),
            name: "Refund Desk", caFile: caFile, limits: limits, clock: .system, journal: .silent, counters: Counters())
    }

    private func withAdmin(_ mail: MailClient, _ body: (TestBrowser, SampleDesk) async throws -> Void) async throws {
        try await withConsole { desk, _, _ in
            try await desk.makeSam(.owner)
            let sam = TestBrowser(try console(of: desk, mail: mail))
            try await sam.signIn()
            try await body(sam, desk)
        }
        await mail.shutdown()
    }

    @Test func `the link that arrives is the one that is shown, for a first owner and a renewal as well`() async throws
    {
        try await MailBox.open(.startTLS) { box in
            try await withAdmin(try client(box.url, caFile: box.authorityFile)) { sam, desk in
                #expect(try await sam.get(.people("alpha")).text.contains("They are mailed a link"))
                let made = try await sam.post(
                    .invitations("alpha"), [("email", "new@alpha.example"), ("role", "viewer")])
                #expect(made.status == 201 && made.text.contains("It was mailed to new@alpha.example."))
                let shown = try #require(made.text.firstMatch(of: Self.link)).0
                let mail = try #require(try await box.delivered(1).first)
                let text = mail.text.replacing("=\r\n", with: "").replacing("=3D", with: "=")
                #expect(mail.to == ["new@alpha.example"] && mail.isEncrypted && text.contains(shown))
                #expect(text.contains("Subject: Invitation to Alpha Games at Refund Desk"))
                #expect(text.contains("sam@alpha.example invites you to Alpha Games as viewer."))
                // Its page works, and the link is kept nowhere in the clear.
                #expect(try await TestBrowser(try console(of: desk)).get(String(shown.dropFirst(23))).status == 200)

                let id = try #require(try await desk.administration.people(of: desk.alpha.id).invitations.first).id
                let renewed = try await sam.post(.invitationRenewal("alpha", id))
                #expect(renewed.status == 201 && renewed.text.contains("It was mailed to new@alpha.example."))
                let ops = TestBrowser(try console(of: desk, mail: try client(box.url, caFile: box.authorityFile)))
                try await ops.signIn("ops@desk.example")
                _ = try await ops.post(.tenants, [("slug", "gamma"), ("name", "Gamma")])
                let first = try await ops.post(.firstOwner(ofTenant: "gamma"), [("email", "g@gamma.example")])
                #expect(first.status == 201 && first.text.contains("It was mailed to g@gamma.example."))
                #expect(
                    try await box.delivered(3).map(\.to) == [
                        ["new@alpha.example"], ["new@alpha.example"], ["g@gamma.example"],
                    ])
            }
        }
    }

    @Test func `a mail that is not taken is said to be so, and the link is there to be given by hand`() async throws {
        try await MailBox.open(.startTLS) { box in
            try await withAdmin(try client(box.url, caFile: box.authorityFile)) { sam, _ in
                let made = try await sam.post(
                    .invitations("alpha"), [("email", "unknown@alpha.example"), ("role", "viewer")])
                #expect(made.status == 201 && made.text.contains("It was not mailed."))
                #expect(made.text.contains("no such user here") && made.text.contains(Self.link))
            }
        }
    }

    @Test func `a mail server that says nothing holds the page no longer than its time`() async throws {
        // It is connected to and never greets.
        let silent = try await RunningServer([])
        let port = try #require(silent.address.port)
        let mail = try client(
            "smtp://localhost:\(port)",
            limits: MailClient.Limits(connect: .milliseconds(300), total: .milliseconds(300), waitingMax: 1))
        try await withAdmin(mail) { sam, desk in
            let made = try await sam.post(
                .invitations("alpha"), [("email", "new@alpha.example"), ("role", "viewer")])
            #expect(made.status == 201 && made.text.contains("It is not known whether it was mailed."))
            #expect(made.text.contains(Self.link))
            #expect(try await desk.administration.people(of: desk.alpha.id).invitations.count == 1)
        }
        await silent.server.stop(within: .seconds(1))
    }

    @Test func `nobody mails half the world in a tenant's name`() async throws {
        let clock = ManualClock(SampleDesk.signed)
        let mail = try client("smtp://localhost:9", limits: MailClient.Limits(connect: .seconds(1), total: .seconds(1)))
        let post = InvitationPost(
            mail: mail, bases: ChannelBases(publicURL: "https://refunds.example"), clock: clock.clock)
        func send(_ tenant: Int64) async -> InvitationPost.Outcome {
            await post.send(
                Samples.invitation, link: Redacted("https://refunds.example/x"), of: TenantID(rawValue: tenant),
                named: "Alpha", by: "sam@alpha.example")
        }
        for _ in 0..<30 { #expect(await send(1) != .refused(Self.tooMany)) }
        #expect(await send(1) == .refused(Self.tooMany))
        #expect(await send(2) != .refused(Self.tooMany))
        clock.advance(by: .hours(2))
        #expect(await send(1) != .refused(Self.tooMany))
        await mail.shutdown()
    }

    private static let tooMany = "30 invitations were mailed within an hour, and more wait for the next one"
}
