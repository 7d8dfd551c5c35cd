package import Loop

/// Whether the login of `DATABASE_URL` and the four roles are what row security relies on.
package enum RoleCheck {
    /// What is wrong, in words for the operator; empty when all is well. Changes nothing.
    ///
    /// - Throws: `.unavailable` when the database cannot be reached.
    package static func troubles(_ url: String, on loop: EventLoop) async throws(PostgresError) -> [String] {
        let connection = try await Connection.open(
            ConnectionSettings(url), role: nil, within: .seconds(10), on: loop, helpers: ConnectionHelpers())
        do throws(PostgresError) {
            let troubles = try await troubles(connection)
            await connection.close()
            return troubles
        } catch {
            await connection.close()
            throw error
        }
    }

    private static func troubles(_ connection: Connection) async throws(PostgresError) -> [String] {
        var troubles: [String] = []
        let mayTake = await mayTake(connection)
        for role in Role.allCases {
            let name = role.rawValue
            let row = try await connection.single(
                .house,
                """
                select current_user::text as login, r.rolsuper as super, r.rolbypassrls as bypass, r.rolcreaterole as creates,
                       \(mayTake(name)) as taken,
                       (select count(*) from pg_class c join pg_namespace n on n.oid = c.relnamespace
                        where c.relowner = r.oid and c.relkind in ('r', 'p') and n.nspname in ('tenants', 'refunds', 'queue', 'desk')) as owned
                from pg_roles r where r.rolname = \(name)
                """, within: .seconds(10)
            ).rows.first
            guard let row else {
                troubles.append("the role \(name) does not exist: run \"refund-desk migrate\"")
                continue
            }
            let login: String = try row("login")
            if try row("super") { troubles.append("the role \(name) is a superuser and sees every tenant's rows") }
            if try row("bypass") {
                troubles.append("the role \(name) bypasses row security and sees every tenant's rows")
            }
            if try row("creates") {
                troubles.append("the role \(name) may make roles, and so may become more than it is")
            }
            let owned: Int = try row("owned")
            if owned > 0 {
                troubles.append("the role \(name) owns \(owned) of our tables and may switch row security off")
            }
            if try !row("taken") {
                troubles.append("the login \(login) may not become \(name): grant \(name) to \(login)")
            }
        }
        return troubles
    }

    /// Whether the login may `set role`. Since PostgreSQL 16 being a member is not enough.
    private static func mayTake(_ connection: Connection) async -> (String) -> SQL {
        let isNewer = await connection.serverVersion >= 160_000
        return { role in
            isNewer ? "pg_has_role(current_user, \(role), 'SET')" : "pg_has_role(current_user, \(role), 'MEMBER')"
        }
    }

    /// Before the first migration, so that it does not fail half-way in terms of PostgreSQL.
    ///
    /// - Throws: `.misuse` with the statements that an administrator of the server must run.
    static func mayMakeRoles(_ connection: Connection) async throws(PostgresError) {
        let mayTake = await mayTake(connection)
        // Since PostgreSQL 16 who may make roles may not give itself one that somebody else made.
        let mayGrantAny = await connection.serverVersion < 160_000
        var statements: [String] = []
        var login = ""
        for role in Role.allCases {
            let name = role.rawValue
            let row = try await connection.single(
                .house,
                """
                select current_user::text as login, rolsuper or rolcreaterole as makes,
                       rolsuper or rolcreaterole and \(mayGrantAny) or exists
                         (select from pg_auth_members m join pg_roles r on r.oid = m.roleid
                          where r.rolname = \(name) and m.admin_option and pg_has_role(m.member, 'USAGE')) as grants,
                       exists (select from pg_roles where rolname = \(name)) as exists
                from pg_roles where rolname = current_user
                """, within: .seconds(10)
            ).rows[0]
            login = try row("login")
            let (makes, grants, exists): (Bool, Bool, Bool) = (
                try row("makes"), try row("grants"), try row("exists")
            )
            if exists ? grants : makes { continue }
            let isTaken: Bool =
                exists
                ? try await connection.single(.house, "select \(mayTake(name)) as it", within: .seconds(10)).rows[0](
                    "it")
                : false
            if !exists { statements.append("create role \(name) nologin;") }
            if !isTaken { statements.append("grant \(name) to \"\(login)\";") }
        }
        guard !statements.isEmpty else { return }
        throw PostgresError(
            .misuse,
            """
            the login \(login) may not make the roles that keep tenants apart. Let an administrator of the server run, once:
            \(statements.joined(separator: "\n"))
            """)
    }
}
