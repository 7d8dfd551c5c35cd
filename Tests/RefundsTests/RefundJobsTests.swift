import AppStore
import HTTP
import Journal
import Postgres
import Queue
import Support
import Tenants
import Testing
import Time

@testable import Refunds

@Suite("The work of the engine, by real workers, over real sockets", .ownThreads)
struct RefundJobsTests {
    @Test func `a posted request is read, decided and answered, with the app's token, at its environment's host`()
        async throws
    {
        try await Desk.open { desk in
            let production = try ScriptedServer(steps: [.answer(500, body: #"{"errorCode":5000001}"#), .answer(202)])
            let sandbox = try ScriptedServer(steps: [.answer(202)])
            let counters = Counters()
            let http = HTTPClient(name: "apple", options: .init(), journal: .silent, counters: counters)
            let api = AppStoreServerAPI(
                hosts: AppStoreHosts(production: production.url + "/p", sandbox: sandbox.url + "/s"), http: http,
                clock: .system, journal: .silent, counters: counters)
            let listener = Listener(database: desk.database, journal: .silent)
            let workers = Workers(
                database: desk.database, clock: .system, bell: desk.bell, listener: listener,
                handlers: RefundJobs.handlers(
                    database: desk.database,
                    apple: AppleSide(
                        verifier: desk.side.verifier(for: desk.alpha.app), api: api,
                        commerce: desk.side.commerce(for: desk.alpha.app), rehearsalHTTP: http,
                        clock: .system, journal: .silent, counters: counters),
                    headers: desk.headers, directory: desk.directory, vault: desk.vault, tokens: TokenCache(),
                    relay: http, alerting: desk.alerting, bell: desk.bell, clock: .system, journal: .silent,
                    counters: counters
                ) { try $0() },
                concurrency: 4, loops: desk.database.loops, journal: .silent, counters: counters)
            listener.start()
            let working = Task { await workers.run() }

            try await desk.consent()
            #expect(try await desk.post(desk.note("CONSUMPTION_REQUEST", desk.tx())) == .accepted)
            #expect(
                try await desk.post(desk.note("CONSUMPTION_REQUEST", desk.tx { $0["environment"] = "Sandbox" }))
                    == .accepted)
            let calls = await production.received(count: 2)
            let other = await sandbox.received(count: 1)
            try await until(.seconds(10), "both cases answered") {
                try await desk.count("refunds.cases where state = 'answered'") == 2
            }

            #expect(calls.map(\.method) == ["PUT", "PUT"])
            #expect(
                calls.map(\.target)
                    == Array(repeating: "/p/inApps/v2/transactions/consumption/2000000900000001", count: 2))
            #expect(calls[0].text == calls[1].text)
            #expect(calls[0].field("Authorization")?.hasPrefix("Bearer eyJ") == true)
            #expect(other.map(\.target) == ["/s/inApps/v2/transactions/consumption/2000000900000001"])
            await workers.stop(within: .seconds(5))
            await working.value
            await listener.stop()
            await http.shutdown()
        }
    }

    @Test func `every kind of work has a handler`() {
        #expect(
            RefundJobs.Kind.allCases.map(\.rawValue) == [
                "notification", "reply", "deadline", "look-up", "relay", "test-status", "commerce", "notify",
                "history", "replay",
            ])
    }
}
