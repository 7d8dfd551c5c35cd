import Foundation
import Testing

@Suite struct `Rules of the code` {
    /// Files in which a word may stand that switches off a check of the compiler. The list may only shrink.
    static let exceptions: [String: Set<String>] = [
        "@unchecked Sendable": [
            // An executor is a class with a thread of its own; the compiler cannot see its confinement.
            "Sources/Plumbing/Loop/EventLoop.swift"
        ],
        "try!": [], "as!": [], "fatalError": [], "nonisolated(unsafe)": [],
    ]

    @Test(arguments: exceptions.keys.sorted())
    func `words that switch off a check stand only where they are explained`(word: String) throws {
        let allowed = Self.exceptions[word] ?? []
        var used: Set<String> = []
        for file in try SourceTree.files(in: "Sources", ".swift") {
            for (number, line) in file.lines.enumerated() where codeOnly(line).contains(word) {
                used.insert(file.path)
                #expect(allowed.contains(file.path), "\(file.path):\(number + 1): \(word)")
            }
        }
        #expect(allowed.subtracting(used).isEmpty, "no longer needed: \(allowed.subtracting(used).sorted())")
    }

    @Test func `unsafe stands in the plumbing and nowhere else`() throws {
        for file in try SourceTree.files(in: "Sources", ".swift") where !file.path.hasPrefix("Sources/Plumbing/") {
            for (number, line) in file.lines.enumerated() {
                #expect(
                    codeOnly(line).firstMatch(of: /\bunsafe\b/) == nil || Self.unsafeRooms.contains(file.path),
                    "\(file.path):\(number + 1): unsafe")
            }
        }
    }
    /// System calls that only a program's front door makes.
    static let unsafeRooms: Set<String> = []

    @Test func `no SQL is written in the faces`() throws {
        for folder in ["Sources/Gateway", "Sources/Web"] {
            for file in try SourceTree.files(in: folder, ".swift") {
                for (number, line) in file.lines.enumerated() {
                    #expect(
                        line.firstMatch(
                            of: /"[^"]*\b(select .+ from|insert into|update \w+\.\w+ set|delete from)\b/.ignoresCase())
                            == nil,
                        "\(file.path):\(number + 1): SQL belongs to a store or a queries file")
                }
            }
        }
    }

    @Test func `markup is written in one folder`() throws {
        for folder in ["Sources/Web", "Sources/Gateway", "Sources/Refunds"] {
            for file in try SourceTree.files(in: folder, ".swift") where !file.path.hasPrefix("Sources/Web/HTML/") {
                for (number, line) in file.lines.enumerated()
                where !line.trimmingCharacters(in: .whitespaces).hasPrefix("//") {
                    #expect(
                        line.firstMatch(
                            of: /"[^"]*<\/?(a|b|p|div|span|table|tr|td|ul|li|html|body|script|style|form|input)[\s>\/]/)
                            == nil,
                        "\(file.path):\(number + 1): literal markup")
                }
            }
        }
    }

    @Test func `every file is one thing of a readable length`() throws {
        for file in try SourceTree.files(in: "Sources", ".swift") {
            #expect(
                file.lines.count <= 500, "\(file.path) has \(file.lines.count) lines: look for the two things inside")
        }
    }

    @Test func `no line names a workplace`() throws {
        // Spelled in two halves so that this file does not find itself.
        let words = ["/wo" + "rk/", "/ro" + "ot/", "/opt/sw" + "ift", ".lib" + "rary/"]
        var files = try SourceTree.files(in: "Sources", ".swift", ".sql", ".h", ".c")
        files += try SourceTree.files(in: "Tests", ".swift", ".py")
        files += try SourceTree.files(in: "docs", ".md")
        files += try ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"].filter(SourceTree.exists).map(
            SourceTree.read)
        for file in files {
            for (number, line) in file.lines.enumerated() {
                for word in words { #expect(!line.contains(word), "\(file.path):\(number + 1): \(word)") }
            }
        }
    }
}
