import FoundationEssentials

/// Where things lie around the program.
enum Places {
    /// The folder of the program and the ones above it, nearest first, six at most.
    static var foldersAbove: [String] {
        guard let program = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe") else {
            return []
        }
        var folders: [String] = []
        var path = Substring(program)
        while folders.count < 6, let slash = path.lastIndex(of: "/") {
            path = path[..<slash]
            folders.append(path.isEmpty ? "/" : String(path))
        }
        return folders
    }

    /// The folder of static assets: as set, or `public` beside the program or in the checkout it lies in.
    static func publicFolder(_ setting: String?) -> String? {
        if let setting { return setting }
        return foldersAbove.map { ($0 == "/" ? "" : $0) + "/public" }.first {
            FileManager.default.fileExists(atPath: $0 + "/css")
        }
    }
}
