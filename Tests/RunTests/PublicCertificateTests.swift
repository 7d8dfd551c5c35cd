import FoundationEssentials
import HTTP
import Journal
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
