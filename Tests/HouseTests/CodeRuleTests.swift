import Foundation
import Testing

@Suite struct `Rules of the code` {
    /// Files in which a word may stand that switches off a check of the compiler, and why. The list may only shrink.
    static let exceptions: [String: [String: String]] = [
        "@unchecked Sendable": [
            "Sources/Plumbing/Loop/EventLoop.swift":
                "an executor with a thread of its own: the compiler cannot see its confinement",
            "Sources/Plumbing/Postgres/ConnectionHandle.swift": "owns a PGcancel, which libpq lets any thread use",
            "Sources/Plumbing/Postgres/ResultHandle.swift": "owns a PGresult, which is only read",
            "Sources/Plumbing/Crypto/SecretBytes.swift":
                "owns memory of the secure heap, which is only read after it was filled",
            "Sources/Plumbing/Crypto/P256PublicKey.swift": "owns a context of OpenSSL behind a lock",
            "Sources/Plumbing/Crypto/KeyHandle.swift": "owns an EVP_PKEY, which is only read",
            "Sources/Plumbing/Crypto/Algorithms.swift": "algorithms fetched once, which OpenSSL lets any thread use",
            "Sources/Plumbing/Crypto/Certificate.swift": "owns an X509, which is only read",
        ],
        "try!": [:], "as!": [:], "fatalError": [:], "nonisolated(unsafe)": [:],
    ]

    @Test(arguments: exceptions.keys.sorted())
    func `words that switch off a check stand only where they are explained`(word: String) throws {
        let allowed = Set((Self.exceptions[word] ?? [:]).keys)
        var used: Set<String> = []
        for file in try SourceTree.files(in: "Sources", ".swift") where file.text.contains(word) {
            for (number, line) in file.lines.enumerated() where line.contains(word) && codeOnly(line).contains(word) {
                used.insert(file.path)
                #expect(allowed.contains(file.path), "\(file.path):\(number + 1): \(word)")
            }
        }
        #expect(allowed.subtracting(used).isEmpty, "no longer needed: \(allowed.subtracting(used).sorted())")
    }

    @Test func `unsafe stands in the plumbing and nowhere else`() throws {
        for file in try SourceTree.files(in: "Sources", ".swift") where !file.path.hasPrefix("Sources/Plumbing/") {
            for (number, line) in file.lines.enumerated() where line.contains("unsafe") {
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
                // Most lines hold no string: looking for its quote costs next to nothing, a regular expression does not.
                for (number, line) in file.lines.enumerated() where line.utf8.contains(UInt8(ascii: "\"")) {
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
                where line.utf8.contains(UInt8(ascii: "<"))
                    && !line.trimmingCharacters(in: .whitespaces).hasPrefix("//")
                {
                    #expect(
                        line.firstMatch(
                            of: /"[^"]*<\/?(a|b|p|div|span|table|tr|td|ul|li|html|body|script|style|form|input)[\s>\/]/)
                            == nil,
                        "\(file.path):\(number + 1): literal markup")
                }
            }
        }
    }

    /// A document, not code: the description of the API, as one reads it.
    static let documents: Set<String> = ["Sources/Gateway/API/OpenAPI.swift"]

    @Test func `every file is one thing of a readable length`() throws {
        for file in try SourceTree.files(in: "Sources", ".swift") where !Self.documents.contains(file.path) {
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
            let text = file.text
            for word in words where text.contains(word) {
                for (number, line) in file.lines.enumerated() {
                    #expect(!line.contains(word), "\(file.path):\(number + 1): \(word)")
                }
            }
        }
    }
}
