import Foundation
import Support
import Testing

/// The example configurations, in the hands of the real programs.
@Suite(.timeLimit(.minutes(10))) struct `Proxies in front` {
    /// nginx's example with its certificate, logs and ports in `folder`, and the main file around it.
    private func nginx(in folder: String, http: UInt16, https: UInt16, instances: [UInt16]) async throws -> String {
        try await certificate(in: folder)
        var site = try checkoutText("ops/proxy/nginx.conf")
        let changes: [(String, String)] = [
            ("/etc/letsencrypt/live/refunds.example.com/fullchain.pem", "\"\(folder)/chain.pem\""),
            ("/etc/letsencrypt/live/refunds.example.com/privkey.pem", "\"\(folder)/key.pem\""),
            ("/var/log/nginx/refund-desk.log", "\"\(folder)/access.log\""),
            ("/var/log/nginx/refund-desk.error.log", "\"\(folder)/error.log\""),
            ("listen 80;", "listen 127.0.0.1:\(http);"), ("listen [::]:80;", ""),
            ("listen 443 ssl", "listen 127.0.0.1:\(https) ssl"), ("listen [::]:443 ssl http2;", ""),
            ("127.0.0.1:8081", "127.0.0.1:\(instances[0])"), ("127.0.0.1:8082", "127.0.0.1:\(instances[1])"),
        ]
        for (old, new) in changes {
            #expect(site.contains(old), "ops/proxy/nginx.conf has no \(old)")
            site = site.replacing(old, with: new)
        }
        try site.write(toFile: folder + "/site.conf", atomically: true, encoding: .utf8)
        let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map { "\($0)_temp_path \"\(folder)/temporary\";" }.joined(separator: " ")
        let user = getuid() == 0 ? "user root;" : ""
        try """
        \(user) daemon off; master_process off; pid "\(folder)/pid"; error_log stderr notice;
        events {}
        http { \(temporary) include "\(folder)/site.conf"; }
        """.write(toFile: folder + "/nginx.conf", atomically: true, encoding: .utf8)
        return folder + "/nginx.conf"
    }

    /// Caddy's example with its certificate, log and port in `folder`.
    private func caddy(in folder: String, https: UInt16, instances: [UInt16]) async throws -> String {
        try await certificate(in: folder)
        var site = try checkoutText("ops/proxy/Caddyfile")
        let changes: [(String, String)] = [
            (
                "refunds.example.com {\n",
                "https://refunds.example.com:\(https) {\n\ttls \"\(folder)/chain.pem\" \"\(folder)/key.pem\"\n"
            ),
            ("/var/log/caddy/refund-desk.log", "\"\(folder)/access.log\""),
            ("127.0.0.1:8081", "127.0.0.1:\(instances[0])"), ("127.0.0.1:8082", "127.0.0.1:\(instances[1])"),
        ]
        for (old, new) in changes {
            #expect(site.contains(old), "ops/proxy/Caddyfile has no \(old)")
            site = site.replacing(old, with: new)
        }
        try "{\n\tadmin off\n\tauto_https disable_redirects\n}\n\(site)"
            .write(toFile: folder + "/Caddyfile", atomically: true, encoding: .utf8)
        return folder + "/Caddyfile"
    }

    private func certificate(in folder: String) async throws {
        let made = try await Tool.run(
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout",
            folder + "/key.pem", "-out", folder + "/chain.pem", "-days", "2", "-subj", "/CN=refunds.example.com",
            "-addext", "subjectAltName=DNS:refunds.example.com")
        #expect(made.status == 0, "\(made.error)")
    }

    private func instances(of desk: Desk, at ports: some Sequence<UInt16>, stopDelay: Int = 0) async throws
        -> [RunningProgram]
    {
        var serving: [RunningProgram] = []
        for port in ports {
            var environment = desk.environment
            environment["REFUND_DESK_LISTEN"] = "127.0.0.1:\(port)"
            environment["REFUND_DESK_TRUSTED_PROXIES"] = "127.0.0.1/32"
            environment["REFUND_DESK_PUBLIC_FOLDER"] = Checkout.path("public")
            environment["REFUND_DESK_STOP_DELAY"] = "\(stopDelay)"
            let one = try RunningProgram(OutsideProgram.path("refund-desk"), ["serve"], environment: environment)
            try await one.printed("\"text\":\"serving\"")
            serving.append(one)
        }
        return serving
    }

    private func status(_ method: String, _ path: String, port: UInt16, _ folder: String) async throws -> Int {
        // The certificate names the site, and the site is on this machine. A GET has no body: a proxy that answers before
        // it came resets the stream, which curl reports as an error of HTTP/2.
        let body = method == "GET" ? [] : ["-d", "{}"]
        let asked = try await Tool.run(
            [
                "curl", "-sS", "-o", folder + "/answer", "-w", "%{http_code}", "-X", method, "--cacert",
                folder + "/chain.pem",
                "--resolve", "refunds.example.com:\(port):127.0.0.1",
            ] + body + ["https://refunds.example.com:\(port)\(path)"])
        #expect(asked.status == 0, "\(asked.error)")
        return Int(asked.output) ?? -1
    }

    @Test func `nginx takes its example`() async throws {
        try await withFolder { folder in
            let file = try await nginx(in: folder, http: 18080, https: 18443, instances: [18081, 18082])
            let finished = try await Tool.run(try Tool.path("nginx"), "-t", "-p", folder, "-c", file)
            #expect(finished.status == 0 && !finished.error.contains("[warn]"), "\(finished.error)")
        }
    }

    @Test func `Caddy takes its example`() async throws {
        let finished = try await Tool.run(
            try Tool.path("caddy"), "validate", "--config", Checkout.path("ops/proxy/Caddyfile"), "--adapter",
            "caddyfile")
        #expect(finished.status == 0, "\(finished.error)")
    }

    @Test
    func `behind nginx one instance is enough, metrics are hidden, and the log keeps notification URLs to itself`()
        async throws
    {
        try await withDesk { desk in
            try await withFolder { folder in
                var ports: [UInt16] = []
                for _ in 0..<4 { ports.append(try FreePort.find()) }
                let serving = try await instances(of: desk, at: ports[2...])
                let file = try await nginx(in: folder, http: ports[0], https: ports[1], instances: Array(ports[2...]))
                let proxy = try RunningProgram(try Tool.path("nginx"), ["-p", folder, "-c", file])
                try await proxy.printed("OS: Linux")
                func status(_ method: String, _ path: String) async throws -> Int {
                    try await self.status(method, path, port: ports[1], folder)
                }
                #expect(try await status("POST", "/n/a-secret-of-an-inbox") == 404)
                #expect(try await status("GET", "/metrics") == 404)
                #expect(try await status("GET", "/health/ready") == 200)

                serving[0].signal(SIGTERM)
                #expect(await serving[0].exit() == 0)
                for _ in 0..<6 {
                    #expect(try await status("POST", "/n/a-secret-of-an-inbox") == 404)
                    #expect(try await status("PUT", "/api/v1/apps/a/transactions/1/usage") == 401)
                }
                serving[1].signal(SIGTERM)
                #expect(await serving[1].exit() == 0)
                #expect(try await status("POST", "/n/a-secret-of-an-inbox") == 503)
                #expect(try String(contentsOfFile: folder + "/answer", encoding: .utf8) == "try again\n")
                await proxy.end()
                let log =
                    try String(contentsOfFile: folder + "/access.log", encoding: .utf8)
                    + ((try? String(contentsOfFile: folder + "/error.log", encoding: .utf8)) ?? "")
                #expect(log.contains("POST /n/*") && !log.contains("a-secret"), "\(log)")
            }
        }
    }

    @Test
    func `behind Caddy one instance is enough while the other stops, and the log keeps notification URLs to itself`()
        async throws
    {
        // Of Debian's Caddy each sends a body that is lost, or another request's.
        let example = try checkoutText("ops/proxy/Caddyfile").split(separator: "\n").filter { !$0.contains("#") }
        #expect(!example.contains { $0.contains("buffer_requests") || $0.contains("lb_retr") })
        try await withDesk { desk in
            try await withFolder { folder in
                var ports: [UInt16] = []
                for _ in 0..<3 { ports.append(try FreePort.find()) }
                let serving = try await instances(of: desk, at: ports[1...], stopDelay: 2)
                let file = try await caddy(in: folder, https: ports[0], instances: Array(ports[1...]))
                let proxy = try RunningProgram(
                    try Tool.path("caddy"), ["run", "--config", file, "--adapter", "caddyfile"],
                    environment: ["HOME": folder, "XDG_DATA_HOME": folder, "XDG_CONFIG_HOME": folder])
                try await proxy.printed("serving initial configuration")
                #expect(try await status("GET", "/metrics", port: ports[0], folder) == 404)

                serving[0].signal(SIGTERM)
                async let ended = serving[0].exit()
                try await serving[0].printed("\"text\":\"stopping\"")
                while !serving[0].output.contains("\"text\":\"stopped\"") {
                    #expect(try await status("POST", "/n/a-secret-of-an-inbox", port: ports[0], folder) == 404)
                }
                #expect(await ended == 0)
                for _ in 0..<4 {
                    #expect(try await status("POST", "/n/a-secret-of-an-inbox", port: ports[0], folder) == 404)
                    #expect(
                        try await status("PUT", "/api/v1/apps/a/transactions/1/usage", port: ports[0], folder) == 401)
                }
                await serving[1].end()
                await proxy.end()
                let log = try String(contentsOfFile: folder + "/access.log", encoding: .utf8)
                #expect(log.contains("/n/*") && !log.contains("a-secret"), "\(log)")
            }
        }
    }
}
