import FoundationEssentials
import HTTP
import Journal
import Refunds
import Support
import Testing
import Time

@testable import Run

@Suite(.timeLimit(.minutes(10))) struct `The public certificate` {
    private let counters = Counters()

    private func looker(_ url: String, trusting file: String? = nil) -> PublicCertificate {
        PublicCertificate(
            url: url,
            http: HTTPClient(name: "services", options: .init(caFile: file), journal: .silent, counters: counters))
    }

    private func looker(_ server: TLSServer) -> PublicCertificate {
        looker(server.url + "/health/live", trusting: server.authorityFile)
    }

    @Test func `is looked at once an hour, and its end is known`() async throws {
        try await TLSServer.serve(.good, answers: true) { server in
            let certificate = looker(server)
            let now = WallClock.system.now
            for (minutes, calls) in [(Int64(0), 1.0), (59, 1), (61, 2)] {
                await certificate.look(at: now + .minutes(minutes))
                #expect(
                    counters.value("http_client_calls_total", ["client": "services", "outcome": "2xx"]) == calls)
                let ends = try #require(certificate.ends)
                #expect(ends > now + .hours(23) && ends < now + .hours(25) && certificate.fault == nil)
            }
        }
    }

    @Test(arguments: [TLSServer.Certificate.expired, .selfSigned, .wrongHost])
    func `that nobody believes is a fault when it was seen twice`(kind: TLSServer.Certificate) async throws {
        try await TLSServer.serve(kind, answers: true) { server in
            let certificate = looker(server)
            let now = WallClock.system.now
            await certificate.look(at: now)
            #expect(certificate.fault == nil)
            await certificate.look(at: now + .seconds(31))
            let fault = try #require(certificate.fault)
            #expect(fault.contains("TLS verification failed"))
            #expect(certificate.ends == nil)
        }
    }

    @Test func `of an address that cannot be reached from here is not spoken of`() async throws {
        let certificate = looker("https://127.0.0.1:1/")
        for minute in 0..<3 { await certificate.look(at: WallClock.system.now + .minutes(Int64(minute) * 11)) }
        #expect(certificate.ends == nil && certificate.fault == nil)
        #expect(counters.value("http_client_calls_total", ["client": "services", "outcome": "connect"]) == 3)
    }
}

@Suite(.timeLimit(.minutes(10))) struct `What doctor says of the public address` {
    private func check(_ server: TLSServer, at now: Moment = WallClock.system.now) async -> Check {
        let http = HTTPClient(
            name: "doctor", options: .init(caFile: server.authorityFile), journal: .silent, counters: Counters())
        return await PublicURLChecks.certificate(at: server.url + "/health/live", http: http, now: now)
    }

    @Test func `is the certificate's name, issuer, end and the days that are left`() async throws {
        try await TLSServer.serve(.good, answers: true) { server in
            // The test's own lasts a day.
            let soon = await check(server)
            #expect(soon.state == .warn && soon.name == "public-certificate")
            for part in [
                "CN=localhost", "issued by CN=Test Authority", "ends on 20", "days left: renew it at the proxy",
            ] {
                #expect(soon.line.contains(part), "\(soon.line)")
            }
            let early = await check(server, at: WallClock.system.now - .days(30))
            #expect(early.state == .ok && early.line.contains("30 days left"), "\(early.line)")
        }
    }

    @Test(arguments: [
        (TLSServer.Certificate.expired, "renew it"), (.selfSigned, "public authority"),
        (.wrongHost, "REFUND_DESK_PUBLIC_URL"),
    ])
    func `is a fault with what to do next where nobody believes it`(kind: TLSServer.Certificate, next: String)
        async throws
    {
        try await TLSServer.serve(kind, answers: true) { server in
            let found = await check(server)
            #expect(found.state == .fail && found.line.contains("Apple delivers nothing to it"), "\(found.line)")
            #expect(found.line.contains(next), "\(found.line)")
        }
    }

    @Test func `is that it cannot be looked at, where it cannot`() async throws {
        let http = HTTPClient(name: "doctor", options: .init(), journal: .silent, counters: Counters())
        let found = await PublicURLChecks.certificate(
            at: "https://127.0.0.1:1/health/live", http: http, now: WallClock.system.now)
        #expect(found.state == .warn && found.line.contains("cannot be looked at from this machine"), "\(found.line)")
    }

    @Test(arguments: [
        ("http://localhost:8080", ["not https", "nobody but this machine"]),
        ("http://desk.example", ["not https", "https:// only"]), ("https://localhost", ["nobody but this machine"]),
    ])
    func `is plain about an address that Apple cannot call`(url: String, parts: [String]) async throws {
        let configuration = try Configuration(environment: [
            "DATABASE_URL": "postgresql://desk@127.0.0.1/desk", "REFUND_DESK_PUBLIC_URL": url,
        ])
        let found = await PublicURLChecks.of(configuration)
        #expect(found.map(\.name) == ["public-url"] && found[0].state == .warn)
        for part in parts { #expect(found[0].line.contains(part), "\(found[0].line)") }
    }
}
