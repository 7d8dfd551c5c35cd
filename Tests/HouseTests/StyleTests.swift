import Foundation
import Testing

@Suite struct `Rules of the styles` {
    @Test func `every CSS class that a page uses exists, and the reverse`() throws {
        var defined: Set<String> = []
        for file in try SourceTree.files(in: "public/css", ".css") {
            for match in file.text.replacing(/\/\*[\s\S]*?\*\//, with: "").matches(
                of: /\.([a-z][a-z0-9-]*)(?=[\s.,:>+~\[){]|$)/)
            {
                defined.insert(String(match.1))
            }
        }
        var used: Set<String> = []
        for file in try SourceTree.files(in: "Sources/Web", ".swift") {
            for line in file.lines {
                for match in line.matches(of: /class(?:es)?[:(]\s*"([^"\\]*)"/) {
                    used.formUnion(match.1.split(separator: " ").map(String.init))
                }
            }
        }
        #expect(used.subtracting(defined).isEmpty, "not in public/css: \(used.subtracting(defined).sorted())")
        let sources = try SourceTree.files(in: "Sources/Web", ".swift").map(\.text).joined()
        let idle = defined.filter { name in
            !sources.contains("\"\(name)") && !sources.contains(" \(name)")
                && !sources.contains("-\(name.split(separator: "-").last ?? "")")
        }
        #expect(idle.isEmpty, "used by no page: \(idle.sorted())")
    }

    @Test func `colours stand in the tokens and nowhere else`() throws {
        for file in try SourceTree.files(in: "public/css", ".css") where file.name != "tokens.css" {
            for (number, line) in file.lines.enumerated() {
                #expect(
                    line.firstMatch(of: /#[0-9a-fA-F]{3,8}\b|\brgba?\(|\bhsla?\(|\boklch\(/) == nil,
                    "\(file.path):\(number + 1)")
            }
        }
    }

    @Test func `no page has script or style of its own`() throws {
        for file in try SourceTree.files(in: "Sources/Web", ".swift") {
            for (number, line) in file.lines.enumerated() {
                #expect(
                    line.firstMatch(of: /\bon(click|load|error|submit|change)\s*[=:]|"style"/) == nil,
                    "\(file.path):\(number + 1)")
            }
        }
    }
}
