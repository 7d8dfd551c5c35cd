package import HTTP

import FoundationEssentials

/// The files of `public/`, read once at start.
///
/// Each has a hash of its content in its address, so that browsers may keep it for ever and still
/// never see an old one. An address with an older hash is answered with the present file: after an
/// upgrade an open page may still ask for it.
package struct Assets: Sendable {
    package struct Missing: Error, CustomStringConvertible {
        let folder: String
        package var description: String {
            "the style sheets are not in \(folder)/css: set REFUND_DESK_PUBLIC_FOLDER to the folder \"public\" that came with the program"
        }
    }

    private struct File: Sendable {
        let type: String
        let hash: String
        let bytes: [UInt8]
    }

    private var files: [String: File] = [:]
    let links: AssetLinks
    private let robots: [UInt8]
    /// What to do about each kind of incident, as Markdown; empty where the texts are not beside the program.
    let runbooks: [String: String]

    /// - Throws: `Missing` where the folder holds no style sheet.
    package init(folder: String) throws(Missing) {
        runbooks = Self.runbooks(beside: folder)
        for place in Self.types.keys {
            for name in (try? FileManager.default.contentsOfDirectory(atPath: "\(folder)/\(place)")) ?? [] {
                guard let ending = name.split(separator: ".").last, let type = Self.types[place]?[String(ending)],
                    let data = FileManager.default.contents(atPath: "\(folder)/\(place)/\(name)")
                else { continue }
                let bytes = [UInt8](data)
                files["\(place)/\(name)"] = File(type: type, hash: Self.hash(bytes), bytes: bytes)
            }
        }
        let sheets = files.keys.filter { $0.hasPrefix("css/") }.sorted()
        guard sheets.contains("css/layers.css") else { throw Missing(folder: folder) }
        // The layers' order is declared before any of them is filled; between files of one layer order does not matter.
        let inOrder = ["css/layers.css"] + sheets.filter { $0 != "css/layers.css" }
        let files = files
        links = AssetLinks(
            styleSheets: inOrder.compactMap { Self.address(of: $0, in: files) },
            scripts: files.keys.filter { $0.hasPrefix("js/") }.sorted().compactMap { Self.address(of: $0, in: files) },
            icon: Self.address(of: "icons/desk.svg", in: files))
        robots = FileManager.default.contents(atPath: "\(folder)/robots.txt").map { [UInt8]($0) } ?? []
    }

    private static let types: [String: [String: String]] = [
        "css": ["css": "text/css; charset=utf-8"],
        "js": ["js": "text/javascript; charset=utf-8"],
        "icons": ["svg": "image/svg+xml", "png": "image/png"],
    ]

    /// `/assets/css/tokens.3f9a0c115e7b42d8.css`
    private static func address(of path: String, in files: [String: File]) -> String? {
        guard let file = files[path], let dot = path.lastIndex(of: ".") else { return nil }
        return "/assets/\(path[..<dot]).\(file.hash)\(path[dot...])"
    }

    package var routes: [Route] {
        [
            Route(.get, "/assets/{folder}/{file}") { _, context in
                file(folder: context.parameter("folder"), name: context.parameter("file"))
            },
            Route(.get, "/robots.txt") { _, _ in
                var answer = Response.text("")
                answer.body = .bytes(robots)
                answer.headers.set("Cache-Control", "public, max-age=86400")
                return answer
            },
        ]
    }

    private func file(folder: String, name: String) -> Response {
        let parts = name.split(separator: ".")
        guard parts.count == 3, let file = files["\(folder)/\(parts[0]).\(parts[2])"] else {
            return .text("not found\n", status: .notFound)
        }
        return Response(
            .ok,
            headers: [
                "Content-Type": file.type,
                "Cache-Control": file.hash == parts[1] ? "public, max-age=31536000, immutable" : "no-cache",
                "X-Content-Type-Options": "nosniff", "Cross-Origin-Resource-Policy": "same-origin",
            ], body: .bytes(file.bytes))
    }

    /// FNV-1a, 64 bits: tells files apart, and guards nothing.
    private static func hash(_ bytes: [UInt8]) -> String {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        let digits = String(hash, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// In a checkout they stand under `ops`, in a package under `doc`.
    private static func runbooks(beside folder: String) -> [String: String] {
        for place in ["\(folder)/../ops/runbooks", "\(folder)/../../doc/refund-desk/runbooks"] {
            var found: [String: String] = [:]
            for name in (try? FileManager.default.contentsOfDirectory(atPath: place)) ?? [] where name.hasSuffix(".md")
            {
                guard let data = FileManager.default.contents(atPath: "\(place)/\(name)") else { continue }
                found[String(name.dropLast(3))] = String(decoding: data, as: UTF8.self)
            }
            if !found.isEmpty { return found }
        }
        return [:]
    }
}
