import Crypto
package import FoundationEssentials
package import Journal
package import Postgres
package import Time

/// An API token just made, with the only copy of its text.
package struct NewAPIToken: Sendable {
    package let token: APIToken
    /// `rd_` and 43 characters.
    package let text: Redacted<String>
    /// Nil: never.
    package let expiresAt: Moment?
}

/// API tokens: made once, stored as digests, found by them.
package final class APITokens: Sendable {
    static let mark = "rd_"
    private static let prefixCharacters = 9
    static let tokensMax = 200
    /// How long a token is good for where nobody says otherwise: one that was forgotten ends by itself.
    package static let usualLife = Duration.days(365)

    private let database: Database
    private let clock: WallClock

    package init(database: Database, clock: WallClock) {
        self.database = database
        self.clock = clock
    }

    /// The token of an `Authorization: Bearer` value; nil when it is unknown, revoked or has ended.
    package func token(_ bearer: String) async throws -> APIToken? {
        guard bearer.hasPrefix(Self.mark), InboxToken.isWellFormed(String(bearer.dropFirst(Self.mark.count))) else {
            return nil
        }
        let now = clock.now
        let rows = try await database.rows(
            .house,
            """
            select k.tenant_id, k.token_id, k.app_id, k.scopes,
              coalesce(k.expires_at <= \(now), false) as has_ended,
              k.last_used_on is distinct from (\(now)::timestamptz at time zone 'UTC')::date as is_first_today
            from tenants.tokens k
            join tenants.tenants t on t.tenant_id = k.tenant_id
            where k.token_sha256 = \(Digest.sha256(Array(bearer.utf8))) and k.revoked_at is null
              and t.closed_at is null
            limit 1
            """)
        guard let row = rows.first else { return nil }
        let token = try APIToken(row)
        if try row("is_first_today") {
            // The day is enough to find tokens nobody uses; the hour would be a write for every call. That one is
            // tried after its end is noted too: somebody's calls are refused, and the checks say so.
            _ = try await database.rows(
                .house,
                """
                update tenants.tokens set last_used_on = (\(now)::timestamptz at time zone 'UTC')::date
                where tenant_id = \(token.tenant.rawValue) and token_id = \(token.id)
                returning token_id
                """)
        }
        return try row("has_ended") ? nil : token
    }

    /// Makes a token.
    ///
    /// - Parameters:
    ///   - id: of the form that asks, so that the same form sent again makes no second one; nil: a new one.
    ///   - name: for people; may be empty.
    ///   - end: when it ends by itself.
    /// Throws `TokenError`.
    package func add(
        to tenant: TenantID, id: UUID? = nil, app: AppID?, scopes: Set<APIScope>, name: String = "",
        end: TokenEnd = .after(APITokens.usualLife), by actor: AuditEntry.Actor, address: String? = nil,
        in tx: Transaction
    ) async throws -> NewAPIToken {
        guard !scopes.isEmpty else { throw TokenError.noScope }
        var shown = ""
        if !name.withoutOuterBlanks.isEmpty {
            do throws(Name.Trouble) { shown = try Name(name).text } catch { throw TokenError.badName(error) }
        }
        guard try await count(of: tenant, in: tx) < Self.tokensMax else { throw TokenError.tooMany }
        let now = clock.now
        let end = end.moment(from: now)
        if let end, end <= now || end > now + .days(36_500) { throw TokenError.badLife }
        var maker: PersonID?
        if case .person(let id) = actor { maker = id }
        let text = Self.mark + Random.token(bytes: 32)
        let id = id ?? Random.uuid()
        let added = try await tx.execute(
            """
            insert into tenants.tokens
              (tenant_id, token_id, token_sha256, prefix, app_id, scopes, created_at, name, expires_at, created_by)
            values (\(tenant.rawValue), \(id), \(Digest.sha256(Array(text.utf8))),
              \(String(text.prefix(Self.prefixCharacters))), \(app?.rawValue), \(scopes.map(\.rawValue).sorted()), \(now),
              \(shown), \(end), \(maker?.rawValue))
            on conflict (tenant_id, token_id) do nothing
            """)
        guard added == 1 else { throw TokenError.alreadyMade }
        try await Audit.write(
            AuditEntry(
                tenant: tenant, at: now, actor: actor, address: address, action: "token.added",
                subject: "token \(id.uuidString.lowercased())",
                detail: [
                    "scopes": .text(scopes.map(\.rawValue).sorted().joined(separator: " ")),
                    "app": app.map { .number($0.rawValue) } ?? .none,
                    "expires": end.map { .text($0.iso8601) } ?? .none,
                ]),
            in: tx)
        return NewAPIToken(
            token: APIToken(tenant: tenant, id: id, app: app, scopes: scopes), text: Redacted(text), expiresAt: end)
    }

    /// Ends a token. False when the tenant has no such token in use.
    package func remove(
        _ id: UUID, of tenant: TenantID, by actor: AuditEntry.Actor, address: String? = nil, in tx: Transaction
    ) async throws -> Bool {
        let removed = try await tx.execute(
            """
            update tenants.tokens set revoked_at = \(clock.now)
            where tenant_id = \(tenant.rawValue) and token_id = \(id) and revoked_at is null
            """)
        guard removed == 1 else { return false }
        try await Audit.write(
            AuditEntry(
                tenant: tenant, at: clock.now, actor: actor, address: address, action: "token.removed",
                subject: "token \(id.uuidString.lowercased())"),
            in: tx)
        return true
    }

    private func count(of tenant: TenantID, in tx: Transaction) async throws -> Int {
        let row = try await tx.row(
            "select count(*) as n from tenants.tokens where tenant_id = \(tenant.rawValue) and revoked_at is null")
        let n: Int64? = try row?("n")
        return Int(n ?? 0)
    }

    /// A tenant's tokens that are not revoked, newest first; those that have ended are among them.
    package func all(of tenant: TenantID, in tx: Transaction) async throws -> [APITokenSummary] {
        try await tx.rows(
            """
            select tenant_id, token_id, app_id, scopes, prefix, created_at, name, expires_at, created_by,
              to_char(last_used_on, 'YYYY-MM-DD') as last_used_on
            from tenants.tokens
            where tenant_id = \(tenant.rawValue) and revoked_at is null
            order by created_at desc, token_id
            limit \(Self.tokensMax)
            """
        ).map { try APITokenSummary($0) }
    }
}

/// Why a token was not made.
package enum TokenError: Error, Hashable, CustomStringConvertible {
    case noScope
    case badName(Name.Trouble)
    case badLife
    case tooMany
    /// The same form was sent before.
    case alreadyMade

    package var description: String {
        switch self {
        case .noScope: "name at least one scope: \(APIScope.allCases.map(\.rawValue).joined(separator: ", "))"
        case .badName(let trouble): "\(trouble)"
        case .badLife: "a token ends in the future, within a hundred years"
        case .tooMany: "there are \(APITokens.tokensMax) tokens in use; revoke some"
        case .alreadyMade:
            "this form was sent before, and made a token that was shown once; if nobody kept it, revoke it and make another"
        }
    }
}

extension APIToken {
    init(_ row: Row) throws(PostgresError) {
        let app: Int64? = try row("app_id")
        let scopes: [String] = try row("scopes")
        self.init(
            tenant: TenantID(rawValue: try row("tenant_id")), id: try row("token_id"),
            app: app.map(AppID.init(rawValue:)),
            scopes: Set(scopes.compactMap(APIScope.init(rawValue:))))
    }
}
