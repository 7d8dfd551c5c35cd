import Crypto
import Foundation
package import Journal
package import Time

/// What the simulator leaves on disk: the root to be trusted, its keys, its addresses, and its memory.
package struct StateFolder {
    /// Roots of older starts that are kept, so that what they signed can still be verified.
    static let rootsMax = 10

    private let folder: URL

    package init(path: String) { folder = URL(filePath: path, directoryHint: .isDirectory).absoluteURL }

    /// The folder that a verifier's trust is set to.
    package var rootsPath: String { folder.appending(path: "roots").path }

    /// Writes the root certificate in DER, and the addresses. Each file is whole or not there.
    package func write(_ apple: SmallApple) throws {
        let roots = folder.appending(path: "roots", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: roots, withIntermediateDirectories: true)
        let name = "small-apple-\(Hex.encode(apple.authority.root.sha256.prefix(8))).der"
        try Data(apple.rootDER).write(to: roots.appending(path: name), options: .atomic)
        try prune(roots, keeping: name)
        let addresses: JSON = [
            "address": .string(apple.address), "control": .string(apple.address + "/control"),
            "production": .string(apple.apiURL(.production)), "sandbox": .string(apple.apiURL(.sandbox)),
            "roots": .string(rootsPath), "root": .string(roots.appending(path: name).path),
            "seed": .string(String(apple.seed)),
        ]
        try Data(addresses.bytes + [0x0A]).write(to: folder.appending(path: "simulator.json"), options: .atomic)
    }

    /// The certificate authority of earlier starts; a new one where there is none, or none that still signs.
    package func authority(at now: Moment, journal: Journal) throws -> CertificateAuthority {
        let file = folder.appending(path: "authority.json")
        if let data = try? Data(contentsOf: file) {
            do {
                let kept = try CertificateAuthority(kept: try JSONReader.read(Array(data)))
                if kept.signs(at: now) { return kept }
            } catch {
                journal.warning("the keys of an earlier start are not used", ["error": JournalValue(error)])
            }
        }
        let made = try CertificateAuthority(CertificateAuthority.Shape(now: now))
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try? FileManager.default.removeItem(at: file)
        guard
            FileManager.default.createFile(
                atPath: file.path, contents: Data(try made.kept().bytes), attributes: [.posixPermissions: 0o600])
        else { throw OrderFault("the keys cannot be written to \(file.path)") }
        return made
    }

    private var memory: URL { folder.appending(path: "memory.json") }

    /// Takes up what an earlier start remembered, and goes on with the requests that waited then.
    ///
    /// What cannot be read is left where it is and not used: a demo must start all the same.
    package func recall(into apple: SmallApple) {
        guard let data = try? Data(contentsOf: memory) else { return }
        do {
            for waiting in try Memory(works: apple.works).recall(try JSONReader.read(Array(data))) {
                apple.reviewer.resume(waiting)
            }
            for waiting in apple.works.commerce.requests { apple.clerk.resume(waiting) }
        } catch {
            apple.works.journal.warning("the memory of an earlier start is not used", ["error": JournalValue(error)])
        }
    }

    package func remember(_ apple: SmallApple) throws {
        try Data(Memory(works: apple.works).json.bytes).write(to: memory, options: .atomic)
    }

    private func prune(_ roots: URL, keeping name: String) throws {
        let old = try FileManager.default.contentsOfDirectory(at: roots, includingPropertiesForKeys: nil)
            .filter { $0.lastPathComponent.hasPrefix("small-apple-") && $0.lastPathComponent != name }
            .map { file in
                let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
                return (file, attributes[.modificationDate] as? Date ?? .distantPast)
            }
            .sorted { $0.1 > $1.1 }
        for (file, _) in old.dropFirst(Self.rootsMax - 1) { try FileManager.default.removeItem(at: file) }
    }
}
