import Foundation
import Testing

/// SwiftPM lets a target import whatever its neighbours import, so the table in Package.swift is
/// enforced here.
@Suite struct `Who may import whom` {
    /// The system's own modules, and who may use them where not everybody may.
    static let system: Set<String> = [
        "Foundation", "FoundationEssentials", "Dispatch", "Glibc", "Synchronization", "Testing",
    ]

    struct Target {
        let name: String
        let folder: String
        let imports: Set<String>
    }

    static func targets() throws -> [Target] { try known.get() }

    private static let known = Result { try read() }

    private static func read() throws -> [Target] {
        let manifest = try SourceTree.read("Package.swift").text
        let everything = try #require(list(named: "everything", in: manifest))
        var targets: [Target] = []
        let call = /(?m)^        (room|pipe|program|tests)\(\s*"(\w+)"(?:,\s*([^\n]*?(?:\n[^\n]*?)??))?\),?$/
        for match in manifest.matches(of: call) {
            let kind = String(match.1)
            let name = String(match.2)
            let rest = String(match.3 ?? "")
            var imports = Set(rest.matches(of: /"(\w+)"/).map { String($0.1) })
            if rest.contains("everything") { imports.formUnion(everything) }
            var folder =
                switch kind {
                case "pipe": "Sources/Plumbing/\(name)"
                case "tests": "Tests/\(name)Tests"
                default: "Sources/\(name)"
                }
            if let path = rest.firstMatch(of: /path: "([^"]+)"/) {
                folder = String(path.1)
                imports.formIntersection(Set(rest.prefix { $0 != "]" }.matches(of: /"(\w+)"/).map { String($0.1) }))
            }
            if rest.contains("resources:") { imports.remove("Migrations") }
            if kind == "tests" { imports.formUnion(["Support"]) }
            targets.append(Target(name: kind == "tests" ? name + "Tests" : name, folder: folder, imports: imports))
        }
        targets.append(Target(name: "Support", folder: "Tests/Support", imports: Set(everything + ["Simulator"])))
        return targets
    }

    /// The module that a line imports. By hand: a regular expression over every line takes a minute.
    static func imported(_ line: String) -> String? {
        guard line.hasPrefix("import ") || line.hasPrefix("package import ") || line.hasPrefix("@") else { return nil }
        var words = line.split(separator: " ")
        while let word = words.first, word.hasPrefix("@") || word == "package" { words.removeFirst() }
        guard words.first == "import" else { return nil }
        words.removeFirst()
        if let kind = words.first, ["struct", "class", "enum", "func", "protocol"].contains(kind) {
            words.removeFirst()
        }
        return words.first.map { String($0.prefix { $0 != "." }) }
    }

    static func list(named name: String, in manifest: String) -> [String]? {
        guard let start = manifest.range(of: "let \(name) = ["),
            let end = manifest.range(of: "]", range: start.upperBound..<manifest.endIndex)
        else { return nil }
        return manifest[start.upperBound..<end.lowerBound].matches(of: /"(\w+)"/).map { String($0.1) }
    }

    @Test func `the manifest is understood`() throws {
        let names = Set(try Self.targets().map(\.name))
        for expected in [
            "Run", "Gateway", "Web", "Refunds", "Tenants", "AppStore", "Queue", "Schema", "Postgres",
            "Crypto", "HTTP", "Mail", "Loop", "Journal", "Time", "Simulator", "SimulatorProgram", "HouseTests",
            "JourneyTests", "Support",
        ] { #expect(names.contains(expected), "\(expected) was not found in Package.swift") }
        let web = try #require(Self.targets().first { $0.name == "Web" })
        #expect(web.imports == ["Tenants", "Refunds", "HTTP", "Journal", "Time"])
    }

    @Test func `every import of a target stands in its line of the manifest`() throws {
        for target in try Self.targets() {
            for file in try SourceTree.files(in: target.folder, ".swift") {
                for (number, line) in file.lines.enumerated() {
                    guard let module = Self.imported(line) else { continue }
                    #expect(
                        target.imports.contains(module) || Self.system.contains(module),
                        "\(file.path):\(number + 1): \(target.name) may not import \(module)")
                }
            }
        }
    }

    @Test func `no arrow points upward or sideways`() throws {
        let floors: [[String]] = [
            ["Time"], ["Journal"], ["CLinux", "CPostgres", "COpenSSL", "CCurl"], ["Loop"],
            ["Postgres", "Crypto", "HTTP", "Mail"], ["AppStore", "Queue", "Schema"], ["Tenants"], ["Refunds"],
            ["Gateway", "Web", "Simulator"], ["Run", "SimulatorProgram"],
        ]
        let floor = Dictionary(
            uniqueKeysWithValues: floors.enumerated().flatMap { n, names in names.map { ($0, n) } })
        for target in try Self.targets() where target.folder.hasPrefix("Sources/") {
            let own = try #require(floor[target.name], "\(target.name) stands on no floor")
            for module in target.imports {
                let its = try #require(floor[module], "\(module) stands on no floor")
                #expect(its < own, "\(target.name) must not import \(module)")
            }
        }
        // Faces and the impostor do not know what they must not.
        let forbidden = [
            "Gateway": ["Postgres", "Crypto", "AppStore", "Web"], "Web": ["Postgres", "Crypto", "AppStore", "Gateway"],
            "Tenants": ["Refunds", "AppStore", "HTTP"], "Simulator": ["AppStore", "Refunds", "Tenants"],
        ]
        for target in try Self.targets() {
            #expect(target.imports.isDisjoint(with: forbidden[target.name] ?? []), "\(target.name)")
        }
    }
}
