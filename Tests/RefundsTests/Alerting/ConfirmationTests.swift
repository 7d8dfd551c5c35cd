import FoundationEssentials
import Journal
import Postgres
import Support
import Tenants
import Testing
import Time

@testable import Refunds

@Suite struct `A mail address` {
    private func channel(_ desk: Desk, _ address: String = "on-call@example.com") async throws -> Channel {
        try await desk.addChannel(.email) {
            $0.secret = nil
            $0.target = address
            $0.severity = .warning
        }
    }

    private func send(_ desk: Desk) async throws {
        while let job = try await desk.claim(.notify) { try await desk.run(job) }
    }

    private func token(_ desk: Desk) throws -> String {
        let url = try #require(desk.pager.told(.confirm).last?.notice.url)
        return String(try #require(url.split(separator: "/").last))
    }

    private func now(_ desk: Desk, _ channel: Channel) async throws -> Channel {
        try #require(try await desk.alerts.channels(of: channel.tenant).first { $0.id == channel.id })
    }

    @Test func `is asked first, and hears of nothing until its reader said yes`() async throws {
        try await Desk.open(withKey: false) { desk in
            let channel = try await channel(desk)
            try await send(desk)
            let watch = desk.watch()
            try await desk.look(watch)
            #expect(desk.pager.messages.map(\.notice.event) == [.confirm])
            // Who is not confirmed is nobody: the tenant has no channel yet.
            #expect(try await desk.alerts.line(of: channel.tenant) == .nobodyIsTold)

            let link = try token(desk)
            let question = try #require(try await desk.alerts.confirmation(link))
            #expect(question.address == "on-call@example.com" && question.tenantName == "alpha")
            #expect(try await now(desk, channel).isConfirmed == false, "looking is not confirming")
            #expect(try await desk.alerts.confirm(link) == question)
            #expect(try await desk.alerts.confirm(link) == nil, "a link is used up")
            #expect(try await now(desk, channel).isConfirmed)
            desk.clock.advance(by: .seconds(10))
            try await desk.look(watch)
            #expect(desk.pager.triggers(.keyAbsent).map(\.channel) == [channel.id])
        }
    }

    @Test func `that changes is asked anew, and the link to the one before does nothing`() async throws {
        try await Desk.open { desk in
            let channel = try await channel(desk)
            try await send(desk)
            let first = try token(desk)
            _ = try await desk.alerts.confirm(first)
            try await desk.alerts.testChannel(channel.id, of: channel.tenant, by: .commandLine)
            try await send(desk)
            #expect(desk.pager.told(.test).count == 1)

            let same = ChannelChange(name: "Nights", target: "on-call@example.com")
            #expect(
                try await desk.alerts.changeChannel(channel.id, same, of: channel.tenant, by: .commandLine).isConfirmed)
            let other = ChannelChange(name: "Nights", target: "other@example.com")
            let changed = try await desk.alerts.changeChannel(channel.id, other, of: channel.tenant, by: .commandLine)
            #expect(!changed.isConfirmed)
            try await send(desk)
            #expect(desk.pager.told(.confirm).count == 2)
            #expect(try await desk.alerts.confirm(first) == nil)
            #expect(try await desk.alerts.confirm(try token(desk))?.address == "other@example.com")
        }
    }

    @Test func `gets a link that ends after a week, another one on request, and no more than twenty an hour`()
        async throws
    {
        try await Desk.open { desk in
            let channel = try await channel(desk)
            try await send(desk)
            let first = try token(desk)
            try await desk.alerts.testChannel(channel.id, of: channel.tenant, by: .commandLine)
            try await send(desk)
            let second = try token(desk)
            #expect(first != second)
            // Mails overtake each other: both count.
            for link in [first, second] { #expect(try await desk.alerts.confirmation(link) != nil) }
            for link in ["", "x", String(repeating: "A", count: 43)] {
                #expect(try await desk.alerts.confirmation(link) == nil)
            }
            for _ in 0..<30 { try await desk.alerts.testChannel(channel.id, of: channel.tenant, by: .commandLine) }
            #expect(try await desk.count("refunds.notices where event = 'confirm'") == 20)
            await #expect(throws: AlertError.self) { _ = try await self.channel(desk, "third@example.com") }
            desk.clock.advance(by: .days(8))
            #expect(try await desk.alerts.confirm(first) == nil)
        }
    }

    @Test func `a channel keeps its zone, and its messages carry it`() async throws {
        try await Desk.open(withKey: false) { desk in
            try await desk.addChannel {
                $0.zone = "Asia/Tokyo"; $0.severity = .warning
            }
            try await desk.look(desk.watch())
            #expect(desk.pager.triggers(.keyAbsent).first?.notice.zone == "Asia/Tokyo")
            await #expect(throws: AlertError.self) { try await desk.addChannel { $0.zone = "Asia/Atlantis" } }
        }
    }
}
