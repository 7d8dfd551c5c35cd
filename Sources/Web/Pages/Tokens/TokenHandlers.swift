import FoundationEssentials
import HTTP
import Refunds
import Tenants
import Time

/// Shows, makes and revokes API tokens.
struct TokenHandlers: Sendable {
    let console: Console

    func show(_ visit: TenantVisit) async throws -> Response { console.page(try await page(visit).html) }

    func add(_ visit: TenantVisit) async throws -> Response {
        let form = try visit.visit.request.form()
        var wanted = TokensPage.Wanted()
        wanted.name = String((form.first("name") ?? "").prefix(1000))
        wanted.app = form.first("app").flatMap { $0.isEmpty || $0.contains("\0") ? nil : String($0.prefix(255)) }
        let words = form.all("scope")
        let scopes = Set(words.compactMap(APIScope.init(rawValue:)))
        wanted.scopes = Set(scopes.map(\.rawValue))
        // Nothing is chosen in somebody's place: for how long it is good least of all.
        let life = TokenLife(rawValue: form.first("life") ?? "")
        if let life { wanted.life = life } else { wanted.errors["life"] = "Choose from what is offered." }
        if scopes.count != Set(words).count { wanted.errors["scope"] = "Choose from what is offered." }
        if wanted.name.allSatisfy(\.isWhitespace) {
            wanted.errors["name"] = "Say where it is used: without a name nobody dares to revoke it later."
        }
        guard let life, wanted.errors.isEmpty else { return try await refused(wanted, visit) }
        do {
            let made = try await console.administration.addToken(
                to: visit.tenant, id: UUID(uuidString: form.first("once") ?? ""), bundleID: wanted.app, scopes: scopes,
                name: wanted.name, life: life.duration,
                by: visit.administrator)
            var page = try await page(visit)
            page.made = made
            return console.page(page.html, status: .created)
        } catch TokenError.alreadyMade {
            var page = try await page(visit)
            page.trouble = Words.sentence("\(TokenError.alreadyMade).")
            return console.page(page.html, status: .conflict)
        } catch let error as TokenError {
            var field = "scope"
            if case .badName = error { field = "name" }
            wanted.errors[field] = Words.sentence("\(error)") + "."
        } catch TenantStoreError.noApp {
            wanted.errors["scope"] = "There is no such app (any more)."
        }
        return try await refused(wanted, visit)
    }

    func remove(_ visit: TenantVisit) async throws -> Response {
        guard case .tokenRemoval(let slug, let id) = visit.site,
            try await console.administration.removeToken(id, of: visit.tenant, by: visit.administrator)
        else { return console.door.problem(.notFound, .notFound, for: visit) }
        return .seeOther(Site.tokens(slug).url)
    }

    private func refused(_ wanted: TokensPage.Wanted, _ visit: TenantVisit) async throws -> Response {
        var page = try await page(visit)
        page.wanted = wanted
        return console.page(page.html, status: .unprocessableContent)
    }

    private func page(_ visit: TenantVisit) async throws -> TokensPage {
        let (tokens, makers) = try await console.administration.tokens(of: visit.tenant)
        return TokensPage(
            frame: console.frame(visit), slug: visit.slug, tokens: tokens, makers: makers,
            apps: try await console.records.apps(of: visit.tenant), now: console.clock.now)
    }
}
