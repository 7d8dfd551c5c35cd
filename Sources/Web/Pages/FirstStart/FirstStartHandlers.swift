import HTTP
import Tenants

/// The first start's link.
struct FirstStartHandlers: Sendable {
    let console: Console

    func show(_ request: Request, _ context: Context) async throws -> Response {
        let token = context.parameter("token")
        guard try await console.signIn.isSetUpLink(token) else { return ended }
        return console.page(FirstStartPage(frame: console.strangersFrame, token: token).html)
    }

    func use(_ request: Request, _ context: Context) async throws -> Response {
        let token = context.parameter("token")
        let form = try request.form()
        let text = { (name: String) in (form.first(name) ?? "").withoutOuterBlanks }
        var page = FirstStartPage(frame: console.strangersFrame, token: token)
        page.entered = .init(email: text("email"), name: text("name"), tenant: text("tenant"), slug: text("slug"))
        let slug = page.entered.slug.isEmpty ? Self.slug(page.entered.tenant) : page.entered.slug
        let wanted = SetUp(
            email: page.entered.email, name: page.entered.name, password: Array((form.first("password") ?? "").utf8),
            tenantSlug: slug, tenantName: page.entered.tenant)
        var status = Status.unprocessableContent
        do {
            return console.entered(
                try await console.signIn.setUp(wanted, link: token, from: console.door.arrival(request, context)),
                next: nil)
        } catch SignInError.linkEnded {
            return ended
        } catch SignInError.busy {
            page.isBusy = true
            status = .serviceUnavailable
        } catch SignInError.badPassword(let trouble) {
            page.errors["password"] = "\(trouble)"
        } catch let error as SignInError {
            page.errors["name"] = Words.sentence("\(error)") + "."
        } catch let error as PersonStoreError {
            page.errors["email"] = Words.sentence("\(error)") + "."
        } catch let error as TenantStoreError {
            page.errors[error.isAboutName ? "tenant" : "slug"] = Words.sentence("\(error)") + "."
        }
        return console.page(page.html, status: status)
    }

    private var ended: Response {
        console.page(FirstStartEndedPage(frame: console.strangersFrame).html, status: .notFound)
    }

    /// `Acme Games, Inc.` → `acme-games-inc`
    static func slug(_ name: String) -> String {
        let parts = name.lowercased().unicodeScalars.split { !("a"..."z").contains($0) && !("0"..."9").contains($0) }
        return String(parts.map { String(String.UnicodeScalarView($0)) }.joined(separator: "-").prefix(63))
    }
}
