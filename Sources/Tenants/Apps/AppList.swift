package import Postgres
import Time

/// Several apps under one key, added from a pasted list: `bundleId, Apple ID, name` a line.
///
/// Apple ID and name may be missing; a name may hold commas. Fields stand between commas, semicolons or tabs, in quotes
/// or not, and a first line of heads says in which order. Empty lines and lines that begin with # are left out.
package enum AppList {
    package static let linesMax = 200
    /// Of a line, as it is shown again.
    private static let shownMax = 1000

    /// One line, with what came of it.
    package struct Row: Sendable {
        /// From 1.
        package let line: Int
        /// As it was given.
        package let text: String
        /// Empty where the line named none.
        package let bundleID: String
        package let result: Result<App, Trouble>
    }

    /// Why a line added nothing.
    package struct Trouble: Error, Hashable, CustomStringConvertible {
        package let description: String
        init(_ error: some Error) { description = "\(error)" }
        init(text: String) { description = text }
    }

    /// What a line asks for.
    package struct Asked: Sendable {
        /// From 1.
        package let line: Int
        package let text: String
        package let app: Result<NewApp, Trouble>
    }

    /// The line of heads that a list begins with, as it was given; nil where the first line is an app's.
    package static func head(of text: String) -> String? {
        lines(of: text).first.flatMap { AppListHead(AppListLine($0.text)) == nil ? nil : $0.text }
    }

    /// The apps that the lines ask for; a line that asks for none says why.
    ///
    /// Throws `AppChangeError` naming `list` where there are no lines, or too many.
    package static func parse(_ text: String) throws(AppChangeError) -> [Asked] {
        var lines = lines(of: text)[...]
        let head = lines.first.flatMap { AppListHead(AppListLine($0.text)) }
        if head != nil { lines.removeFirst() }
        guard !lines.isEmpty else {
            throw AppChangeError("list", head == nil ? "holds no app" : "holds no app under its heads")
        }
        guard lines.count <= linesMax else {
            throw AppChangeError("list", "has \(lines.count) lines, and at most \(linesMax) are taken at once")
        }
        var seen: [String: Int] = [:]
        return lines.map { line in
            var app = app(AppListLine(line.text), head)
            if case .success(let new) = app {
                if let first = seen[new.bundleID] {
                    app = .failure(Trouble(text: "\(new.bundleID) stands in line \(first) already"))
                } else {
                    seen[new.bundleID] = line.number
                }
            }
            return Asked(line: line.number, text: String(line.text.prefix(shownMax)), app: app)
        }
    }

    private static func lines(of text: String) -> [(number: Int, text: String)] {
        text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated().compactMap {
            let line = $0.element.withoutOuterBlanks
            return line.isEmpty || line.hasPrefix("#") ? nil : ($0.offset + 1, line)
        }
    }

    private static func app(_ line: AppListLine, _ head: AppListHead?) -> Result<NewApp, Trouble> {
        let (bundleID, appleID, name) = head.map { places(line, $0) } ?? places(line)
        let id = bundleID.map { line.fields[$0] } ?? ""
        guard App.isBundleID(id) else { return .failure(Trouble(TenantStoreError.badBundleID(id))) }
        guard id.contains(".") || !looksLikeNumber(id) else {
            return .failure(
                Trouble(text: "\"\(id)\" is no bundle ID: it looks like an Apple ID, and the bundle ID is missing"))
        }
        var new = NewApp(bundleID: id)
        if let text = appleID.map({ line.fields[$0] }), !text.isEmpty {
            do throws(AppChangeError) { new.appleID = try AppleIDText.number(text) } catch {
                return .failure(Trouble(text: "\"\(text.prefix(40))\" is no Apple ID: it \(error.text)"))
            }
        }
        let called = line.joined(name)
        if !called.isEmpty {
            do throws(TenantStoreError) { new.name = try TenantStore.name(called).text } catch {
                return .failure(Trouble(error))
            }
        }
        return .success(new)
    }

    private typealias Places = (bundleID: Int?, appleID: Int?, name: [Int])

    /// Under heads each column is what its head says.
    private static func places(_ line: AppListLine, _ head: AppListHead) -> Places {
        var places: Places = (nil, nil, [])
        for (index, field) in line.fields.enumerated() {
            switch index < head.columns.count ? head.columns[index] : head.columns.last == .name ? .name : .other {
            case .bundleID: places.bundleID = index
            case .appleID: places.appleID = index
            case .eitherID where AppListLine.isAppleID(field): places.appleID = index
            case .eitherID: places.bundleID = places.bundleID ?? index
            case .name: places.name.append(index)
            case .other: break
            }
        }
        return places
    }

    /// Without heads: a bundle ID with a dot stands where it stands, else the first field is it; then an Apple ID, if
    /// the next one looks like one.
    private static func places(_ line: AppListLine) -> Places {
        let bundleID = line.fields.firstIndex(where: AppListLine.isUnmistakable) ?? 0
        var rest = line.fields.indices.filter { $0 != bundleID }
        // Digits anywhere are the number; what only looks like one is judged, and not taken for a name.
        let appleID =
            rest.first { AppListLine.isAppleID(line.fields[$0]) }
            ?? rest.first.flatMap { looksLikeNumber(line.fields[$0]) ? $0 : nil }
        rest.removeAll { $0 == appleID }
        return (bundleID, appleID, rest)
    }

    private static func looksLikeNumber(_ text: String) -> Bool {
        let digits = text.count { $0.isNumber }
        return digits >= 6 && digits * 2 > text.count
    }

    /// Adds every app of a list with an inbox; each line is a transaction of its own, all or nothing.
    ///
    /// - Throws: `AppChangeError` naming `list`, and what the database throws when it is away.
    package static func add(
        _ text: String, to tenant: TenantID, with vault: Vault, by actor: AuditEntry.Actor,
        address: String? = nil, in database: Database
    ) async throws -> [Row] {
        var rows: [Row] = []
        for asked in try parse(text) {
            func row(_ bundleID: String, _ result: Result<App, Trouble>) -> Row {
                Row(line: asked.line, text: asked.text, bundleID: bundleID, result: result)
            }
            switch asked.app {
            case .failure(let trouble): rows.append(row("", .failure(trouble)))
            case .success(let new):
                do {
                    let app = try await database.transaction(tenant.scope) { tx in
                        let app = try await TenantStore.addApp(
                            new, to: tenant, at: vault.clock.now, by: actor, address: address, in: tx)
                        _ = try await vault.addInbox(to: app.id, of: tenant, by: actor, address: address, in: tx)
                        return app
                    }
                    rows.append(row(new.bundleID, .success(app)))
                } catch let error as TenantStoreError {
                    rows.append(row(new.bundleID, .failure(Trouble(error))))
                }
            }
        }
        return rows
    }
}
