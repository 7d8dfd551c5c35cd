import Foundation
import HTTP
import Journal
import Refunds
import Support
import Testing
import Time

/// Prometheus' own Alertmanager, which refuses what is not of its form.
@Suite struct `Alertmanager, the real one` {
    private struct Alert: Decodable {
        struct Status: Decodable { let state: String }
        let labels: [String: String]
        let annotations: [String: String]
        let endsAt: String
        let generatorURL: String
        let status: Status
    }

    private static let now = WallClock.system.now

    private func notice(_ event: Notice.Event, _ effect: String) -> Notice {
        Notice(
            event: event, tenant: "acme", tenantName: "Acme Games",
            incidentID: UUID(uuidString: "6B29FC40-CA47-1067-B31D-00DD010662DA")!, rule: "deadline-at-risk",
            dedupKey: "refund/acme/deadline-at-risk/1f2e", severity: .critical,
            title: "No reply goes out: Apple refuses key ABC123 – \"Ärger\" 💥", effect: effect,
            firstStep: "Add a new key", url: "/t/acme/alerts/1", runbook: "https://docs.example.com/key",
            openedAt: Self.now - .minutes(5), at: Self.now, count: 2, cases: ["/t/acme/cases/1"],
            facts: [Notice.Fact("Key ID", "ABC123")])
    }

    @Test func `takes an alert, knows it again, and lets it end`() async throws {
        try await withFolder { folder in
            let configuration = folder + "/alertmanager.yml"
            try Data("route: {receiver: nobody}\nreceivers: [{name: nobody}]\n".utf8).write(
                to: URL(filePath: configuration))
            let port = try FreePort.find()
            let program = try RunningProgram(
                try Tool.path("prometheus-alertmanager"),
                [
                    "--config.file=\(configuration)", "--storage.path=\(folder)/data", "--cluster.listen-address=",
                    "--web.listen-address=127.0.0.1:\(port)",
                ])
            do {
                try await program.printed("Listening on")
                try await tell(URL(string: "http://127.0.0.1:\(port)")!)
            } catch {
                await program.end()
                throw error
            }
            await program.end()
        }
    }

    private func tell(_ base: URL) async throws {
        let http = HTTPClient(
            name: "channels", options: .init(addressGuard: AddressGuard(setting: "yes"), limitsPlainCalls: true),
            journal: .silent, counters: Counters())
        let sender = ChannelSender(
            services: http, tenants: http, mail: nil, bases: ChannelBases(publicURL: "https://refunds.example.com"),
            clock: .system)
        let channel = OpenedChannel(kind: .alertmanager, id: UUID(), target: base.absoluteString, secret: nil)
        func alerts() async throws -> [Alert] {
            let answer = try await http.send(ClientRequest(method: .get, url: "\(base)/api/v2/alerts"))
            return try JSONDecoder().decode([Alert].self, from: Data(answer.body))
        }
        #expect(await sender.send(notice(.trigger, "2 requests wait"), over: channel).isAccepted)
        #expect(await sender.send(notice(.reminder, "3 requests wait"), over: channel).isAccepted)
        let open = try await alerts()
        #expect(open.count == 1 && open.first?.status.state == "active")
        #expect(open.first?.labels["alertname"] == "deadline-at-risk" && open.first?.labels["severity"] == "critical")
        #expect(open.first?.annotations["description"] == "3 requests wait")
        #expect(open.first?.annotations["summary"]?.hasSuffix("– \"Ärger\" 💥") == true)
        #expect(open.first?.generatorURL == "https://refunds.example.com/t/acme/alerts/1")
        #expect(await sender.send(notice(.resolved, ""), over: channel).isAccepted)
        #expect(try await alerts().isEmpty)
        await http.shutdown()
    }
}
