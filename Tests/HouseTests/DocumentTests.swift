import Foundation
import Testing

@Suite struct `Rules of the documents` {
    static func documents() throws -> [SourceTree.File] {
        try SourceTree.files(in: "docs", ".md") + SourceTree.files(in: "ops", ".md")
            + ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"].map(SourceTree.read)
    }

    @Test func `links between files resolve`() throws {
        for file in try Self.documents() {
            let folder = file.path.split(separator: "/").dropLast().joined(separator: "/")
            for (number, line) in file.lines.enumerated() {
                for match in line.matches(of: /\]\(([^)#\s]+)(?:#[^)]*)?\)/) {
                    let target = String(match.1)
                    if target.contains("://") || target.hasPrefix("mailto:") { continue }
                    let path = URL(filePath: "/" + folder + "/" + target).standardized.path
                    #expect(SourceTree.exists(String(path.dropFirst())), "\(file.path):\(number + 1): \(target)")
                }
            }
        }
    }

    @Test func `each decision record has a status, a date, a number of its own and a page at most`() throws {
        var numbers: Set<String> = []
        for file in try SourceTree.files(in: "docs/decisions", ".md") where file.name != "README.md" {
            #expect(file.name.contains(/^\d{4}-[a-z0-9-]+\.md$/), "\(file.path)")
            #expect(numbers.insert(String(file.name.prefix(4))).inserted, "\(file.path): its number is taken")
            #expect(file.text.contains(/(?m)^Status: (accepted|superseded by \d{4})/), "\(file.path): no status")
            #expect(file.text.contains(/(?m)^Date: \d{4}-\d{2}-\d{2}$/), "\(file.path): no date")
            #expect(file.lines.count <= 70, "\(file.path): longer than a page")
        }
    }

    @Test func `each command that the README names exists`() throws {
        let readme = try SourceTree.read("README.md").text
        for match in readme.matches(of: /\.\/(ops\/[\w-]+)/) {
            #expect(SourceTree.exists(String(match.1)), "README.md names \(match.1)")
        }
        #expect(readme.contains("./ops/run") && readme.contains("./ops/test"))
    }

    @Test func `each setting that the program knows stands in the README`() throws {
        let readme = try SourceTree.read("README.md").text
        let sources = try SourceTree.files(in: "Sources/Run", ".swift").map(\.text).joined()
        let known = Set(sources.matches(of: /"(REFUND_DESK_[A-Z_]*[A-Z]|DATABASE_URL)"/).map { String($0.1) })
        for name in known where !name.hasSuffix("_FILE") {
            #expect(readme.contains(name), "README.md does not name \(name)")
        }
    }

    @Test func `the two commands are executable, and continuous integration calls the second and nothing else`() throws
    {
        for path in ["ops/run", "ops/test", "ops/postgres", "ops/install", ".ci/run"] {
            #expect(FileManager.default.isExecutableFile(atPath: SourceTree.root.appending(path: path).path), "\(path)")
        }
        let lines = try SourceTree.read(".ci/run").lines.filter { !$0.isEmpty && !$0.hasPrefix("#") }
        #expect(lines == [#"exec "$(dirname "$0")/../ops/test""#])
    }
}
