import Gateway
import HTTP
import Journal
import Loop
import Support
import Synchronization
import Testing
import Time

@Suite struct HealthAndMetricsTests {
    private static let get = "HTTP/1.1\r\nHost: a\r\n"

    @Test func `BL-070: HEAD of health and then GET on one connection`() async throws {
        let server = try await RunningServer(HealthEndpoint(clock: .system) { [] }.routes)
        let client = try await server.connect()
        try await client.send("HEAD /health/live \(Self.get)\r\n")
        let head = try await client.response(toHead: true)
        #expect(head.status == 200)
        try await client.send("GET /health/live \(Self.get)\r\n")
        let response = try await client.response()
        #expect(response.status == 200)
        #expect(head["Content-Length"] == "\(response.body.count)")
        #expect(response.text == "{\"status\":\"ok\"}\n")
    }

    @Test(arguments: [([HealthCheck.State.ok, .warn], 200), ([.ok, .fail, .warn], 503), ([], 200)])
    func `ready is what is needed to take a notification, warnings are not`(
        states: [HealthCheck.State], status: Int
    ) async throws {
        let checks = states.enumerated().map { HealthCheck("check-\($0.offset)", $0.element) }
        let server = try await RunningServer(HealthEndpoint(clock: .system) { checks }.routes)
        let response = try await server.ask("GET /health/ready \(Self.get)\r\n")
        #expect(response.status == status)
        for check in checks {
            #expect(response.text.contains("{\"name\":\"\(check.name)\",\"state\":\"\(check.state)\"}"))
        }
        #expect(try await server.ask("GET /health/live \(Self.get)\r\n").status == 200)
    }

    @Test func `who is about to stop is not ready from then on, whatever was found a moment before`() async throws {
        let endpoint = HealthEndpoint(clock: .system) { [HealthCheck("database", .ok)] }
        let server = try await RunningServer(endpoint.routes)
        #expect(try await server.ask("GET /health/ready \(Self.get)\r\n").status == 200)
        endpoint.leave()
        let response = try await server.ask("GET /health/ready \(Self.get)\r\n")
        #expect(response.status == 503 && response.text.contains("{\"name\":\"stopping\",\"state\":\"fail\"}"))
        #expect(try await server.ask("GET /health/live \(Self.get)\r\n").status == 200)
    }

    @Test func `many who ask cost one look in a second`() async throws {
        let counted = Counted()
        let clock = ManualClock(Moment(milliseconds: 1_780_000_000_000))
        let server = try await RunningServer(
            HealthEndpoint(clock: clock.clock) {
                counted.add()
                return []
            }.routes)
        for _ in 0..<5 { _ = try await server.ask("GET /health/ready \(Self.get)\r\n") }
        #expect(counted.count == 1)
        clock.advance(by: .seconds(2))
        _ = try await server.ask("GET /health/ready \(Self.get)\r\n")
        #expect(counted.count == 2)
    }

    @Test(arguments: [
        ("", "", 200), ("X-Forwarded-For: 203.0.113.7\r\n", "", 403), ("Via: 1.1 proxy\r\n", "", 403),
        ("X-Forwarded-For: 203.0.113.7\r\n", "127.0.0.1", 403),
        ("X-Forwarded-For: 10.1.2.3\r\n", "127.0.0.1 10.0.0.0/8", 200),
        ("", "127.0.0.1", 200), ("X-Forwarded-For: garbage\r\n", "127.0.0.1", 403),
    ])
    func `without a token, metrics are for this machine and the trusted ranges`(
        header: String, trusted: String, status: Int
    ) async throws {
        let counters = Counters()
        counters.add("things_total", 3)
        let server = try await RunningServer(
            MetricsEndpoint(counters: counters, token: nil).routes,
            trustedProxies: trusted.split(separator: " ").compactMap { AddressRange($0) })
        let response = try await server.ask("GET /metrics \(Self.get)\(header)\r\n")
        #expect(response.status == status)
        #expect(response.text.contains("things_total 3") == (status == 200))
    }

    @Test func `with a token, metrics are for whoever shows it`() async throws {
        let server = try await RunningServer(
            MetricsEndpoint(counters: Counters(), token: Redacted("a-token")).routes)
        #expect(try await server.ask("GET /metrics \(Self.get)\r\n").status == 401)
        #expect(try await server.ask("GET /metrics \(Self.get)Authorization: Bearer a-tokem\r\n\r\n").status == 401)
        #expect(try await server.ask("GET /metrics \(Self.get)Authorization: Bearer a-token\r\n\r\n").status == 200)
    }
}

private final class Counted: Sendable {
    private let value = Mutex(0)
    var count: Int { value.withLock { $0 } }
    func add() { value.withLock { $0 += 1 } }
}
