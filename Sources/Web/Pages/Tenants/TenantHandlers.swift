import HTTP
import Tenants

/// Makes, renames, closes and opens tenants, for people who run the installation.
struct TenantHandlers: Sendable {
    let console: Console

    private var desk: Administration { console.administration }

    func show(_ visit: Visit) async throws -> Response { console.page(try await page(visit).html) }

    func add(_ visit: Visit) async throws -> Response {
        let form = try visit.request.form()
        var wanted = TenantsPage.Wanted()
        wanted.slug = text("slug", form)
        wanted.name = text("name", form)
        do {
            try await desk.addTenant(slug: wanted.slug, name: wanted.name, by: visit.administrator)
            return .seeOther(Site.tenants.url)
        } catch let error as TenantStoreError {
            wanted.errors[error.isAboutName ? "name" : "slug"] = Words.sentence("\(error)") + "."
            var page = try await page(visit)
            page.wanted = wanted
            return console.page(page.html, status: .unprocessableContent)
        }
    }

    func rename(_ visit: Visit) async throws -> Response {
        guard case .tenantName(let slug) = visit.site else { return nothing(visit) }
        let name = text("name", try visit.request.form())
        return try await changing(visit) {
            try await desk.renameTenant(slug, to: name, by: visit.administrator)
        }
    }

    func close(_ visit: Visit) async throws -> Response {
        guard case .tenantClosure(let slug) = visit.site else { return nothing(visit) }
        guard text("slug", try visit.request.form()) == slug else {
            return try await refused("To close a tenant, type its slug: \(slug).", visit, .unprocessableContent)
        }
        return try await changing(visit) { try await desk.closeTenant(slug, by: visit.administrator) }
    }

    func reopen(_ visit: Visit) async throws -> Response {
        guard case .tenantReopening(let slug) = visit.site else { return nothing(visit) }
        return try await changing(visit) { try await desk.reopenTenant(slug, by: visit.administrator) }
    }

    func inviteFirstOwner(_ visit: Visit) async throws -> Response {
        guard case .firstOwner(let slug) = visit.site else { return nothing(visit) }
        let email = text("email", try visit.request.form())
        do {
            let (made, tenant) = try await desk.inviteFirstOwner(email, to: slug, by: visit.administrator)
            var page = try await page(visit)
            page.made = made
            page.mailed = await console.mail(made, of: tenant.id, named: tenant.name, by: visit)
            return console.page(page.html, status: .created)
        } catch TenantStoreError.noTenant {
            return nothing(visit)
        } catch let error as MemberError {
            return try await refused(Words.sentence("\(error)") + ".", visit, .conflict)
        }
    }

    // MARK: Parts

    private func page(_ visit: Visit) async throws -> TenantsPage {
        var after = ""
        if case .tenantsAfter(let slug) = visit.site { after = slug }
        let (tenants, next) = try await desk.tenants(after: after)
        return TenantsPage(
            frame: console.frame(visit), tenants: tenants, isFirst: after.isEmpty, next: next,
            origin: console.own.origin)
    }

    private func changing(_ visit: Visit, _ body: () async throws -> Void) async throws -> Response {
        do {
            try await body()
            return .seeOther(Site.tenants.url)
        } catch TenantStoreError.noTenant {
            return nothing(visit)
        } catch let error as TenantStoreError {
            return try await refused(Words.sentence("\(error)") + ".", visit, .unprocessableContent)
        }
    }

    private func refused(_ text: String, _ visit: Visit, _ status: Status) async throws -> Response {
        var page = try await page(visit)
        page.trouble = text
        return console.page(page.html, status: status)
    }

    private func nothing(_ visit: Visit) -> Response { console.door.problem(.notFound, .notFound, for: visit) }

    private func text(_ name: String, _ form: FormBody) -> String {
        String((form.first(name) ?? "").withoutOuterBlanks.prefix(1000))
    }
}
