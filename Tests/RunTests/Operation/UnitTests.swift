import Foundation
import Support
import Testing

@Suite struct `systemd units` {
    /// The units as they would be installed, with programs that exist on every machine.
    private func withUnits<R>(_ body: (String, [String]) async throws -> R) async throws -> R {
        let programs = /\/usr\/(lib\/refund-desk\/in-turn|bin\/refund-desk|sbin\/refund-desk-backup)(?=[ \n])/
        return try await withFolder { folder in
            var paths: [String] = []
            for file in try checkoutFiles(in: "ops/systemd") {
                let text = try checkoutText(file).replacing(programs) { _ in "/bin/true" }
                let path = folder + "/" + String(file.split(separator: "/").last ?? "")
                try text.write(toFile: path, atomically: true, encoding: .utf8)
                paths.append(path)
            }
            return try await body(folder, paths)
        }
    }

    @Test func `systemd understands each of them`() async throws {
        try await withUnits { _, paths in
            #expect(paths.count == 5)
            for path in paths {
                let instance = path.replacing("@.", with: "@1.")
                if instance != path { try FileManager.default.copyItem(atPath: path, toPath: instance) }
                let finished = try await Tool.run("systemd-analyze", "verify", "--man=no", instance)
                #expect(finished.status == 0 && !finished.error.contains("refund-desk"), "\(finished.error)")
            }
        }
    }

    @Test(arguments: [("refund-desk@.service", 12), ("refund-desk-backup.service", 12)])
    func `their exposure stays as low as it is`(unit: String, tenthsMax: Int) async throws {
        try await withUnits { folder, _ in
            let finished = try await Tool.run(
                "systemd-analyze", "security", "--offline=true", "--no-pager", "--threshold=\(tenthsMax)",
                folder + "/" + unit)
            #expect(finished.status == 0, "\(finished.output.suffix(200))")
        }
    }

    @Test func `an instance leaves systemd longer to stop it than the program needs`() throws {
        let unit = try checkoutText("ops/systemd/refund-desk@.service")
        let seconds = try #require(unit.firstMatch(of: /TimeoutStopSec=(\d+)/).flatMap { Int($0.1) })
        // The longest delay, and what the program allows itself after it.
        #expect(seconds > 10 + 28)
    }
}
