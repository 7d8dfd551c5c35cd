import Foundation
import Support
import Testing

@Suite struct `Scripts of operation` {
    static let commands = ["ops/package", "ops/deploy", "ops/backup", "ops/restore", "ops/test-package"]

    @Test func `each script is understood by its shell`() async throws {
        var scripts = Self.commands.filter { $0 != "ops/test-package" }.map { (path: $0, shell: "bash") }
        for name in ["install", "debian/in-turn", "debian/refund-deskctl"] { scripts.append(("ops/" + name, "bash")) }
        for name in ["postinst", "prerm", "postrm"] { scripts.append(("ops/debian/" + name, "dash")) }
        for (script, shell) in scripts {
            let finished = try await Tool.run(shell, "-n", Checkout.path(script))
            #expect(finished.status == 0, "\(script): \(finished.error)")
        }
    }

    @Test(arguments: commands) func `help is printed and ends with 0, and a word it does not know with 2`(
        command: String
    ) async throws {
        let help = try await Tool.run(Checkout.path(command), "--help")
        #expect(help.status == 0 && help.output.contains(command) && !help.output.contains("set -e"), "\(help)")
        let wrong = try await Tool.run(Checkout.path(command), "--no-such-word")
        #expect(wrong.status == 2 && wrong.error.contains(command), "\(wrong)")
    }

    @Test func `the example settings name only settings that the program knows, and start nothing`() async throws {
        let example = try checkoutText("ops/debian/refund-desk.env")
        let lines = example.split(separator: "\n").filter { $0.contains(/^#?[A-Z_]+=/) }
        #expect(lines.count >= 4 && lines.allSatisfy { $0.hasPrefix("#") })
        var environment: [String: String] = [:]
        for line in lines {
            let parts = line.dropFirst().split(separator: "=", maxSplits: 1).map(String.init)
            environment[parts[0]] = parts[1]
        }
        environment["REFUND_DESK_MASTER_KEY_FILE"] = nil
        environment["DATABASE_URL"] = "postgresql://127.0.0.1:1/nowhere"
        let doctor = try await Desk.program(["doctor"], environment: environment)
        #expect(doctor.output.contains("every setting is known and well formed"), "\(doctor)")
    }

    @Test func `something that is no package of ours is not installed`() async throws {
        try await withFolder { folder in
            let file = folder + "/other.deb"
            try Data("no package".utf8).write(to: URL(filePath: file))
            let finished = try await Tool.run(Checkout.path("ops/deploy"), file, "--dry-run")
            #expect(finished.status == 1 && finished.error.contains("is no Debian package"), "\(finished)")
            let missing = try await Tool.run(Checkout.path("ops/deploy"), folder + "/none.deb")
            #expect(missing.status == 1 && missing.error.contains("there is no package"), "\(missing)")
        }
    }
}
