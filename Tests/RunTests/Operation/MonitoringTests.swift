import Foundation
import Support
import Testing

@Suite struct `Prometheus rules and dashboard` {
    private struct Dashboard: Decodable {
        struct Panel: Decodable {
            struct Target: Decodable { let expr: String }
            let type: String
            let title: String
            let targets: [Target]?
        }
        let title: String
        let panels: [Panel]
    }

    private func expressions() throws -> [String] {
        let dashboard = try JSONDecoder().decode(
            Dashboard.self, from: Data(checkoutText("ops/monitoring/grafana-dashboard.json").utf8))
        let panels = dashboard.panels.filter { $0.type != "row" }
        #expect(panels.count > 15 && panels.allSatisfy { !($0.targets ?? []).isEmpty && !$0.title.isEmpty })
        return panels.flatMap { ($0.targets ?? []).map(\.expr) }
    }

    @Test func `promtool takes the rules, and what they say of made-up counters is right`() async throws {
        let promtool = try Tool.path("promtool")
        let rules = try await Tool.run(
            promtool, "check", "rules", "--lint-fatal", Checkout.path("ops/monitoring/prometheus-rules.yml"))
        #expect(rules.status == 0 && rules.output.contains("SUCCESS"), "\(rules)")
        let told = try await Tool.run(
            promtool, "test", "rules", Checkout.path("ops/monitoring/prometheus-rules.test.yml"))
        #expect(told.status == 0, "\(told)")
    }

    @Test func `Prometheus understands each expression of the dashboard`() async throws {
        try await withFolder { folder in
            var rules = "groups:\n- name: dashboard\n  rules:\n"
            for (number, expression) in try expressions().enumerated() {
                let plain = expression.replacing("$__rate_interval", with: "5m")
                #expect(!plain.contains("$"), "\(plain)")
                rules += "  - record: panel:\(number)\n    expr: '\(plain)'\n"
            }
            let file = folder + "/dashboard.yml"
            try rules.write(toFile: file, atomically: true, encoding: .utf8)
            let finished = try await Tool.run(try Tool.path("promtool"), "check", "rules", file)
            #expect(finished.status == 0, "\(finished)")
        }
    }

    @Test func `every metric that they ask for is one that the program counts`() throws {
        let root = Checkout.path("Sources")
        let walk = try #require(FileManager.default.enumerator(atPath: root))
        var sources = ""
        for case let path as String in walk where path.hasSuffix(".swift") {
            sources += try String(contentsOfFile: root + "/" + path, encoding: .utf8)
        }
        let asked = try expressions().joined(separator: "\n") + checkoutText("ops/monitoring/prometheus-rules.yml")
        let names = Set(
            asked.matches(of: /\b([a-z_]+)\{job="refund-desk"/).map {
                String($0.1).replacing(/_(bucket|count)$/) { _ in "" }
            }
        ).subtracting(["up"])
        #expect(names.count > 15)
        for name in names.sorted() {
            #expect(sources.contains("\"\(name)\""), "no counter is called \(name)")
        }
    }

    @Test func `each alert names a runbook that is there`() throws {
        let rules = try checkoutText("ops/monitoring/prometheus-rules.yml")
        let alerts = rules.matches(of: /- alert: (\w+)/)
        let books = rules.matches(of: /runbook_url: "\/usr\/share\/doc\/refund-desk\/runbooks\/([a-z-]+\.md)"/)
        #expect(alerts.count > 15 && alerts.count == books.count)
        for book in books {
            #expect(FileManager.default.fileExists(atPath: Checkout.path("ops/runbooks/\(book.1)")), "\(book.1)")
        }
    }
}
