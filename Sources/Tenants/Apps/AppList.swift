package import Postgres
import Time

/// Several apps under one key, added from a pasted list: `bundleId, Apple ID, name` a line.
///
/// Apple ID and name may be missing; a name may hold commas. Empty lines and lines that begin with # are left out.
package enum AppList {
    package static let linesMax = 200

    /// One line, with what came of it.
    package struct Row: Sendable {
        /// From 1.
        package let line: Int
        package let bundleID: String
        package let result: Result<App, Trouble>
    }

    /// Why a line added nothing.
    package struct Trouble: Error, Hashable, CustomStringConvertible {
        package let description: String
        init(_ error: some Error) { description = "\(error)" }
        init(text: String) { description = text }
    }

    /// The apps that the lines ask for; a line that asks for none says why.
    ///
    /// Throws `AppChangeError` naming `list` where there are no lines, or too many.
    package static func parse(_ text: String) throws(AppChangeError) -> [(line: Int, Result<NewApp, Trouble>)] {
        var found: [(line: Int, Result<NewApp, Trouble>)] = []
        var seen: [String: Int] = [:]
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let line = line.trimmed
            if line.isEmpty || line.hasPrefix("#") { continue }
            guard found.count < linesMax else { throw AppChangeError("list", "has more than \(linesMax) lines") }
            switch app(line) {
            case .success(let app):
                if let first = seen[app.bundleID] {
                    found.append(
                        (index + 1, .failure(Trouble(text: "\(app.bundleID) stands in line \(first) already"))))
                } else {
                    seen[app.bundleID] = index + 1
                    found.append((index + 1, .success(app)))
                }
            case .failure(let trouble): found.append((index + 1, .failure(trouble)))
            }
        }
        guard !found.isEmpty else { throw AppChangeError("list", "holds no app") }
        return found
    }

    private static func app(_ line: Substring) -> Result<NewApp, Trouble> {
        let parts = line.split(separator: ",", maxSplits: 2, omittingEmptySubsequences: false).map(\.trimmed)
        let bundleID = String(parts[0])
        guard App.isBundleID(bundleID) else { return .failure(Trouble(TenantStoreError.badBundleID(bundleID))) }
        var new = NewApp(bundleID: bundleID)
        if parts.count > 1, !parts[1].isEmpty {
            guard let id = Int64(parts[1]), id > 0 else {
                return .failure(Trouble(text: "\"\(parts[1])\" is no Apple ID: it is a positive number"))
            }
            new.appleID = id
        }
        if parts.count > 2, !parts[2].isEmpty {
            do throws(TenantStoreError) { new.name = try TenantStore.name(String(parts[2])).text } catch {
                return .failure(Trouble(error))
            }
        }
        return .success(new)
    }

    /// Adds every app of a list with an inbox; each line is a transaction of its own, all or nothing.
    ///
    /// - Throws: `AppChangeError` naming `list`, and what the database throws when it is away.
    package static func add(
        _ text: String, to tenant: TenantID, with vault: Vault, by actor: AuditEntry.Actor,
        address: String? = nil, in database: Database
    ) async throws -> [Row] {
        var rows: [Row] = []
        for (line, asked) in try parse(text) {
            switch asked {
            case .failure(let trouble): rows.append(Row(line: line, bundleID: "", result: .failure(trouble)))
            case .success(let new):
                do {
                    let app = try await database.transaction(tenant.scope) { tx in
                        let app = try await TenantStore.addApp(
                            new, to: tenant, at: vault.clock.now, by: actor, address: address, in: tx)
                        _ = try await vault.addInbox(to: app.id, of: tenant, by: actor, address: address, in: tx)
                        return app
                    }
                    rows.append(Row(line: line, bundleID: new.bundleID, result: .success(app)))
                } catch let error as TenantStoreError {
                    rows.append(Row(line: line, bundleID: new.bundleID, result: .failure(Trouble(error))))
                }
            }
        }
        return rows
    }
}

extension Substring {
    fileprivate var trimmed: Substring {
        var text = self
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return text
    }
}
