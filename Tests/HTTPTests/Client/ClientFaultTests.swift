import Foundation
import HTTP
import Journal
import Loop
import Support
import Testing

@Suite(.timeLimit(.minutes(10)))
struct `HTTP client under faults` {
    /// In a process of its own: that it is alive at the end is half of the case, and its memory is nobody else's.
    @Test func `BL-111: fifty callers, every fault, and the process lives on with the memory it had`() async {
        await #expect(processExitsWith: .success) {
            let complaints = await FaultRun.complaints(callers: 50, rounds: 24)
            for complaint in complaints { print(complaint) }
            exit(complaints.isEmpty ? 0 : 1)
        }
    }

    @Test func `a proxy of the environment is not used`() async {
        await #expect(processExitsWith: .success) {
            for name in ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"] {
                unsafe setenv(name, "http://127.0.0.1:1", 1)
            }
            let server = try ScriptedServer(steps: [.answer(200)])
            let client = HTTPClient(name: "test", options: .init(), journal: .silent, counters: Counters())
            let response = try await client.send(ClientRequest(method: .get, url: server.url))
            exit(response.status == 200 ? 0 : 1)
        }
    }
}

/// Calls against servers that are wrong in every way, all at once.
enum FaultRun {
    static let total: Duration = .milliseconds(250)
    /// For a machine that is busy with other tests: limits are kept by timers, which then come late.
    static let late: Duration = .seconds(3)

    static func complaints(callers: Int, rounds: Int) async -> [String] {
        guard let loopback = IPAddress("127.0.0.1"),
            let unaccepting = try? Socket.listen(.ip(loopback, port: 0), backlog: 0),
            let gone = try? Socket.listen(.ip(loopback, port: 0)),
            let silent = try? ScriptedServer(steps: [.silence]),
            let half = try? ScriptedServer(steps: [.raw("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc")]),
            let resetting = try? ScriptedServer(steps: [.reset]),
            let closing = try? ScriptedServer(steps: [.answerThenClose(200, body: "ok")]),
            let good = try? ScriptedServer(steps: [.answer(202)]), let names = SilentNames()
        else { return ["the servers do not start"] }
        let deadPort = gone.address.port ?? 0
        _ = consume gone
        let urls = [
            "http://127.0.0.1:\(unaccepting.address.port ?? 0)/", "http://127.0.0.1:\(deadPort)/", silent.url, half.url,
            resetting.url, closing.url, good.url, names.url,
        ]
        let client = HTTPClient(name: "faults", options: .init(), journal: .silent, counters: Counters())
        var complaints: [String] = []
        var answered = 0
        var memory: [Int] = []
        for round in 0..<rounds {
            let ended = await withTaskGroup(of: (Bool, Duration).self) { group in
                for caller in 0..<callers {
                    group.addTask {
                        let begun = ContinuousClock.now
                        let url = urls[(caller + round) % urls.count]
                        let request = ClientRequest(
                            method: .put, url: url, body: [UInt8](repeating: 0x20, count: 3000),
                            connectTimeout: .milliseconds(150), totalTimeout: total)
                        let response = try? await client.send(request)
                        return (response != nil, .now - begun)
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            if !names.letGo() { complaints.append("round \(round): no name was being looked up") }
            answered += ended.filter(\.0).count
            for (_, took) in ended where took > total + late { complaints.append("a call took \(took)") }
            memory.append(residentKilobytes())
        }
        if answered == 0 { complaints.append("nothing was answered") }
        if good.received.isEmpty { complaints.append("the good server saw nothing") }
        // The first third warms up caches, threads and the allocator.
        if let start = memory.dropFirst(rounds / 3).first, let end = memory.last, end - start > 4096 {
            complaints.append("memory grew by \(end - start) KiB: \(memory)")
        }
        await client.shutdown()
        return complaints
    }

    /// A name whose look-up does not come back, as with a DNS server that is silent.
    ///
    /// It is not such a server: to name one takes the machine's /etc/resolv.conf. Before it asks, glibc reads the file
    /// of HOSTALIASES for names without a dot, and here that is a pipe to which nobody writes. What the client sees is
    /// the same: `getaddrinfo` does not return, on a thread of libcurl's. Only longer: a silent server is given up by
    /// glibc after some seconds, this one when it is let go.
    final class SilentNames {
        let url = "http://silentname/"
        private let pipe = "/tmp/refund-desk-names-\(getpid())"

        /// For this process from now on.
        init?() {
            guard unsafe mkfifo(pipe, 0o600) == 0 else { return nil }
            unsafe setenv("HOSTALIASES", pipe, 1)
            // Who was let go asks a real server for the name: not for long.
            unsafe setenv("RES_OPTIONS", "timeout:1 attempts:1", 1)
        }

        deinit { unsafe unlink(pipe) }

        /// Ends the look-ups that hang now; false: there was none.
        func letGo() -> Bool {
            let descriptor = unsafe open(pipe, O_WRONLY | O_NONBLOCK)
            if descriptor >= 0 { close(descriptor) }
            return descriptor >= 0
        }
    }

    static func residentKilobytes() -> Int {
        let words = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ") ?? []
        return words.count > 1 ? (Int(words[1]) ?? 0) * 4 : 0
    }
}
