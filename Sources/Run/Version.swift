import FoundationEssentials
import Schema

/// Which release this is.
enum Version {
    static let number = "0.1.0"
    static var schema: Int { Schema.migrations.count }

    /// The commit the program was built from: noted beside it, or that of the checkout it lies in.
    static var commit: String? {
        for folder in Places.foldersAbove {
            if let noted = text(folder + "/COMMIT") { return noted }
            guard let head = text(folder + "/.git/HEAD") else { continue }
            guard head.hasPrefix("ref: ") else { return head }
            let name = String(head.dropFirst(5))
            if let commit = text(folder + "/.git/" + name) { return commit }
            let packed = text(folder + "/.git/packed-refs")?.split(separator: "\n").first { $0.hasSuffix(" " + name) }
            return packed.map { String($0.prefix { $0 != " " }) }
        }
        return nil
    }

    private static func text(_ path: String) -> String? {
        guard let data = FileManager.default.contents(atPath: path), data.count < 1 << 20 else { return nil }
        let text = String(decoding: data, as: UTF8.self).trimmed
        return text.isEmpty ? nil : text
    }
}

extension String {
    fileprivate var trimmed: String {
        String(drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed())
    }
}
