import Foundation
import Journal
import Loop
import Postgres
import Schema
import Support
import Testing

@Suite struct `a server that speaks TLS` {
    /// Gives the cluster in `$1` a certificate for `localhost`, and lets it take nothing else over TCP.
    private static let script = """
        set -e
        certificate() {
          openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost \
            -addext subjectAltName=DNS:localhost -keyout "$1" -out "$2" 2>/dev/null
        }
        data="$(cat "$1/place")/data"
        certificate "$data/server.key" "$data/server.crt"
        certificate "$1/other.key" "$1/other.crt"
        cp "$data/server.crt" "$1/root.crt"
        chmod 600 "$data/server.key"
        echo "ssl = on" >>"$data/postgresql.conf"
        sed -i 's/^host /hostssl /' "$data/pg_hba.conf"
        chown --reference="$data/PG_VERSION" "$data/server.key" "$data/server.crt" "$data/pg_hba.conf"
        """

    private static func withTLS(_ body: (_ url: String, _ folder: String) async throws -> Void) async throws {
        try await Cluster.with(durable: false) { cluster, _ in
            _ = try await RunningProgram.run("sh", ["-c", script, "sh", cluster.folder])
            try await cluster.stop()
            try await body(try await cluster.start(), cluster.folder)
        }
    }

    @Test func `is spoken to as sslmode demands`() async throws {
        try await Self.withTLS { url, folder in
            let loop = EventLoops.forTests.all[0]
            let named = url.replacing("127.0.0.1", with: "localhost")
            let root = "sslrootcert=\(folder)/root.crt"
            for address in [
                url, "\(url)?sslmode=require", "\(url)?sslmode=verify-ca&\(root)",
                "\(named)?sslmode=verify-full&\(root)",
            ] {
                let login = try await Login(address, on: loop)
                let row = try await login.rows("select ssl from pg_stat_ssl where pid = pg_backend_pid()")[0]
                let isEncrypted: Bool = try row("ssl")
                #expect(isEncrypted, "\(address)")
                await login.close()
            }
            for (address, reason) in [
                ("\(url)?sslmode=disable", "no encryption"),
                ("\(url)?sslmode=verify-full&\(root)", "does not match"),
                ("\(named)?sslmode=verify-full&sslrootcert=\(folder)/other.crt", "certificate verify failed"),
                ("\(named)?sslmode=verify-full&sslrootcert=\(folder)/none.crt", "does not exist"),
            ] {
                let error = await #expect(throws: PostgresError.self) { try await Login(address, on: loop) }
                #expect(error?.kind == .unavailable)
                #expect(error?.text.contains(reason) == true, "\(address): \(error?.text ?? "")")
            }

            // More than a record of TLS holds, in both directions, on several connections at once.
            let address = "\(named)?sslmode=verify-full&\(root)"
            _ = try await Schema.migrator(on: loop, journal: .silent).migrate(address)
            let database = try Database(
                url: address, loops: .forTests, limits: .forTests, journal: .silent, counters: Counters())
            let text = String(repeating: "0123456789abcdef", count: 20_000)
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for n in 0..<8 {
                    group.addTask {
                        let sent = "\(n)\(text)"
                        let row = try await database.rows(.house, "select \(sent) as came, pg_sleep(0.01)::text")[0]
                        return try row("came") == sent
                    }
                }
                for try await isSame in group { #expect(isSame) }
            }
            await database.close()
        }
    }
}
