import Foundation
import Testing

/// The checkout, as files of text.
struct SourceTree {
    struct File {
        /// Relative to the checkout.
        let path: String
        let lines: [String]

        var name: String { String(path.split(separator: "/").last ?? "") }
        var text: String { lines.joined(separator: "\n") }
    }

    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    static func read(_ path: String) throws -> File {
        let text = try String(contentsOf: root.appending(path: path), encoding: .utf8)
        return File(path: path, lines: text.components(separatedBy: "\n"))
    }

    static func exists(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: root.appending(path: path).path)
    }

    /// Every file below `folder` whose name ends in one of `endings`, in order of path. Build products are left out.
    static func files(in folder: String, _ endings: String...) throws -> [File] {
        let base = root.path + "/"
        guard let walk = FileManager.default.enumerator(atPath: root.appending(path: folder).path) else { return [] }
        var found: [String] = []
        for case let relative as String in walk {
            let path = folder.isEmpty ? relative : folder + "/" + relative
            if path.hasPrefix(".") || path.contains("/.") {
                if relative.split(separator: "/").count == 1 { walk.skipDescendants() }
                continue
            }
            if endings.contains(where: { path.hasSuffix($0) }) { found.append(path) }
        }
        #expect(!found.isEmpty, "nothing below \(base)\(folder)")
        return try found.sorted().map(read)
    }
}

/// Code without its comments and the contents of its string literals, so that prose is not taken for code.
/// Good for one line at a time; a line inside a multi-line literal is left as it is.
func codeOnly(_ line: String) -> String {
    var out = ""
    var inString = false
    var previous: Character = " "
    for character in line {
        if inString {
            if character == "\"" && previous != "\\" {
                inString = false
                out.append(character)
            }
        } else if character == "\"" {
            inString = true
            out.append(character)
        } else if character == "/" && previous == "/" {
            return String(out.dropLast())
        } else {
            out.append(character)
        }
        previous = previous == "\\" && character == "\\" ? " " : character
    }
    return out
}
