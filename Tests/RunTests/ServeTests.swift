import Foundation
import Postgres
import Support
import Testing

/// `refund-desk serve` as a process.
@Suite(.timeLimit(.minutes(10))) struct `Serving` {
    private func serve(_ desk: Desk, _ words: String...) throws -> RunningProgram {
        try RunningProgram(OutsideProgram.path("refund-desk"), ["serve"] + words, environment: desk.environment)
    }

    @Test(arguments: [SIGTERM, SIGINT])
    func `a stop signal ends it with 0`(signal: Int32) async throws {
        try await withDesk { desk in
            let serving = try serve(desk)
            try await serving.printed("\"text\":\"serving\"")
            serving.signal(signal)
            #expect(await serving.exit() == 0, "\(serving.output)")
            #expect(serving.output.contains("\"text\":\"stopped\""))
        }
    }

    @Test func `told to leave slowly, it is not ready any more and still serves before it stops`() async throws {
        try await withDesk { desk in
            var slow = desk
            let port = try FreePort.find()
            slow.environment["REFUND_DESK_LISTEN"] = "127.0.0.1:\(port)"
            slow.environment["REFUND_DESK_STOP_DELAY"] = "10"
            let serving = try serve(slow)
            try await serving.printed("\"text\":\"serving\"")
            func status(_ path: String) async throws -> Int? {
                Int(
                    try await Tool.run(
                        "curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", "http://127.0.0.1:\(port)\(path)"
                    ).output)
            }
            #expect(try await status("/health/ready") == 200)
            serving.signal(SIGTERM)
            try await serving.printed("\"text\":\"stopping\"")
            while try await status("/health/ready") == 200 {}
            #expect(try await status("/health/ready") == 503)
            #expect(try await status("/health/live") == 200)
            // The second signal does not wait.
            serving.signal(SIGTERM)
            _ = await serving.exit()
        }
    }

    @Test func `each part runs alone`() async throws {
        try await withDesk { desk in
            for part in ["gateway", "engine", "console"] {
                let serving = try serve(desk, "--only", part)
                try await serving.printed("\"parts\":\"\(part)\"")
                serving.signal(SIGTERM)
                #expect(await serving.exit() == 0, "\(serving.output)")
            }
        }
    }

    @Test func `a schema that is too old is refused with the command to run`() async throws {
        try await withDesk { desk in
            try await desk.database.asSuperuser(
                "delete from desk.schema_versions where version = (select max(version) from desk.schema_versions)")
            let finished = try await desk.run("serve")
            #expect(finished.status == 1)
            #expect(finished.error.contains("refund-desk migrate"))
        }
    }

    @Test func `roles that could see every tenant are refused`() async throws {
        try await withDesk { desk in
            try await desk.database.asSuperuser("alter table tenants.apps owner to refund_desk_tenant")
            let finished = try await desk.run("serve")
            #expect(finished.status == 1)
            #expect(finished.error.contains("refund_desk_tenant owns"))
        }
    }

    @Test func `while nobody can sign in it prints a set-up link, another at each start, and none afterwards`()
        async throws
    {
        try await withDesk { desk in
            var links: [String] = []
            for isFirst in [true, true, false] {
                if !isFirst {
                    _ = try await desk.answer("operator", "add", "--email", "ops@desk.example", "--installation")
                }
                let serving = try serve(desk)
                try await serving.printed(isFirst ? "/set-up/" : "\"text\":\"serving\"")
                serving.signal(SIGTERM)
                #expect(await serving.exit() == 0, "\(serving.output)")
                links += serving.output.matches(of: /https:\/\/desk\.example\/set-up\/[A-Za-z0-9_-]{43}/).map {
                    String($0.0)
                }
            }
            #expect(links.count == 2 && links[0] != links[1])
        }
    }

    @Test func `no line of its journal holds a secret`() async throws {
        try await withDesk { desk in
            var loud = desk
            loud.environment["REFUND_DESK_LOG"] = "debug"
            loud.environment["REFUND_DESK_METRICS_TOKEN"] = "s3cr3t-metrics"
            let key = try String(contentsOfFile: desk.folder + "/master.key", encoding: .utf8).prefix(43)
            let serving = try serve(loud)
            try await serving.printed("\"text\":\"serving\"")
            serving.signal(SIGTERM)
            #expect(await serving.exit() == 0)
            #expect(!serving.output.contains("s3cr3t") && !serving.output.contains(key))
        }
    }

    /// systemd's part, played by a script: it keeps the socket and starts the program with it, three times, while callers
    /// come without a pause.
    private static let socketKeeper = #"""
        import json, os, signal, socket, sys, threading, time
        program = sys.argv[1]
        listening = socket.socket()
        listening.bind(("127.0.0.1", 0))
        listening.listen(1024)
        port = listening.getsockname()[1]

        def start():
            pid = os.fork()
            if pid == 0:
                if listening.fileno() != 3:
                    os.dup2(listening.fileno(), 3)
                os.set_inheritable(3, True)
                os.execve(program, [program, "serve"], dict(os.environ, LISTEN_PID=str(os.getpid()), LISTEN_FDS="1"))
            return pid

        answered, failed, isOver = [0], [], threading.Event()

        def call():
            while not isOver.is_set():
                try:
                    with socket.create_connection(("127.0.0.1", port), timeout=60) as s:
                        s.sendall(b"GET /health/live HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
                        text = b""
                        while part := s.recv(4096):
                            text += part
                    if text.startswith(b"HTTP/1.1 200"):
                        answered[0] += 1
                    else:
                        failed.append(text[:60].decode(errors="replace"))
                except OSError as error:
                    failed.append(repr(error))

        callers = [threading.Thread(target=call) for _ in range(4)]
        for caller in callers:
            caller.start()
        ends = []
        for turn in range(3):
            pid = start()
            goal, until = answered[0] + 40, time.monotonic() + 60
            while answered[0] < goal and time.monotonic() < until:
                time.sleep(0.01)
            if turn == 2:
                isOver.set()
                for caller in callers:
                    caller.join()
            os.kill(pid, signal.SIGTERM)
            ends.append(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
        print(json.dumps({"answered": answered[0], "failed": len(failed), "first": failed[:1], "ends": ends}))
        """#

    @Test func `with a socket that is kept open for it two restarts refuse nobody`() async throws {
        try await withDesk { desk in
            let finished = try await OutsideProgram.run(
                "/usr/bin/env", ["python3", "-c", Self.socketKeeper, OutsideProgram.path("refund-desk")],
                environment: desk.environment.merging(["PATH": "/usr/bin:/bin"]) { $1 })
            let line = try #require(
                finished.output.split(separator: "\n").last { $0.hasPrefix("{\"answered\"") }, "\(finished)")
            let told = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            #expect(told["failed"] as? Int == 0, "\(line)")
            #expect(told["ends"] as? [Int] == [0, 0, 0], "\(line)")
            #expect((told["answered"] as? Int ?? 0) >= 120, "\(line)")
        }
    }
}
