import FoundationEssentials
package import Postgres
import Time

/// The wordings that an app's customers agreed to. They are only ever added to: another text has another name.
package enum WordingStore {
    /// Wordings that a page lists.
    package static let listMax = 200
    /// Bytes of a version's name: as many as a report of consent may give.
    package static let versionBytesMax = 500

    /// Newest first.
    package static func all(of app: App) -> SQL {
        """
        select version, text, shown_from, author, made_at
        from tenants.wordings
        where tenant_id = \(app.tenant.rawValue) and app_id = \(app.id.rawValue)
        order by shown_from desc, made_at desc, version
        limit \(listMax)
        """
    }

    /// How the names begin that wordings of consent for everybody are given.
    private static let everybodyPrefix = "all-from-"

    /// Keeps a wording; audited.
    ///
    /// Throws `AppChangeError` naming `wordingVersion`, `wordingText` or `wordingFrom`.
    package static func add(
        _ wording: ConsentWording, to app: App, by actor: AuditEntry.Actor, address: String? = nil, in tx: Transaction
    ) async throws {
        try AppChanges.checkText(wording.version, "wordingVersion", bytesMax: versionBytesMax)
        guard !wording.version.hasPrefix(everybodyPrefix) else {
            throw AppChangeError("wordingVersion", "begins as the names of consent for everybody do: take another")
        }
        try AppChanges.checkText(wording.text, "wordingText", bytesMax: AppChanges.wordingBytesMax)
        guard wording.shownFrom >= ConsentSetting.firstStart else {
            throw AppChangeError("wordingFrom", "must not lie before 2008-07-10, when the App Store opened")
        }
        guard wording.shownFrom <= wording.madeAt else {
            throw AppChangeError(
                "wordingFrom", "is the day on which customers were first shown it, and not in the future")
        }
        guard try await insert(wording, of: app, in: tx) else {
            throw AppChangeError("wordingVersion", "is the name of another text: give a changed text a name of its own")
        }
        try await Audit.write(
            AuditEntry(
                tenant: app.tenant, at: wording.madeAt, actor: actor, address: address, action: "consent.wording-added",
                subject: "\(app.id)", detail: ["version": .text(wording.version)]), in: tx)
    }

    /// Keeps the wording of consent of all, under a name made of its first day; the change of the setting is what is
    /// audited. The same text of the same day again is the same wording.
    static func keep(
        _ text: String, from: Moment, of app: App, by actor: AuditEntry.Actor, at now: Moment, in tx: Transaction
    ) async throws {
        let name = "\(everybodyPrefix)\(from.iso8601.prefix(10))"
        let known = try await tx.rows(
            """
            select version, text
            from tenants.wordings
            where tenant_id = \(app.tenant.rawValue) and app_id = \(app.id.rawValue)
              and (version = \(name) or starts_with(version, \(name + "-")))
            order by version
            limit \(listMax)
            """)
        guard try !known.contains(where: { try $0("text") == text }) else { return }
        let author: PersonID? = if case .person(let person) = actor { person } else { nil }
        for number in (known.count + 1)...(known.count + 3) {
            let wording = ConsentWording(
                version: number == 1 ? name : "\(name)-\(number)", text: text, shownFrom: from, author: author,
                madeAt: now)
            if try await insert(wording, of: app, in: tx) { return }
        }
    }

    /// - Returns: false where another text has that name already.
    private static func insert(_ wording: ConsentWording, of app: App, in tx: Transaction) async throws -> Bool {
        try await tx.execute(
            """
            insert into tenants.wordings (tenant_id, app_id, version, text, shown_from, author, made_at)
            values (\(app.tenant.rawValue), \(app.id.rawValue), \(wording.version), \(wording.text),
              \(wording.shownFrom), \(wording.author?.rawValue), \(wording.madeAt))
            on conflict do nothing
            """) == 1
    }
}

extension ConsentWording {
    package init(_ row: Row) throws {
        let author: UUID? = try row("author")
        self.init(
            version: try row("version"), text: try row("text"), shownFrom: try row("shown_from"),
            author: author.map(PersonID.init), madeAt: try row("made_at"))
    }
}
