import Refunds
import Tenants
import Time

/// For people who run the installation: which tenants there are. No case, no customer.
struct TenantsPage {
    let frame: Frame
    let tenants: [TenantLine]
    var isFirst = true
    /// The slug after which the next page begins.
    var next: String?
    /// The desk's own address.
    let origin: String
    /// Made just now.
    var made: NewInvitation?
    /// What came of mailing it.
    var mailed = InvitationPost.Outcome.noServer
    /// Why nothing was done.
    var trouble: String?
    var wanted = Wanted()

    /// What was typed for a new tenant, where it was not taken.
    struct Wanted {
        var slug = ""
        var name = ""
        /// Names of fields, and what is wrong with them.
        var errors: [String: String] = [:]
    }

    var html: HTML {
        Layout(frame, title: "Tenants").console {
            PageHeader("Tenants") { "Companies and teams on this installation. What is theirs is theirs alone to see." }
                .html
            if let trouble { Notice(.bad, "Nothing was changed.", more: trouble).html }
            if let made {
                LinkOnce(invitation: made, mailed: mailed, origin: origin, now: TimeText(made.expiresAt)).html
            }
            if tenants.isEmpty {
                EmptyState(.tenants, isFirst ? "No tenant yet" : "No more tenants") {
                    if isFirst { p { "Make the first one below." } }
                }.html
            } else {
                for line in tenants { panel(line) }
            }
            pager
            add
        }
    }

    /// By slug, not by age.
    private var pager: HTML {
        if isFirst && next == nil { return .empty }
        return nav(.class("pager"), .ariaLabel("Pages")) {
            if !isFirst { a(.class("button"), .href(.tenants), .rel("first")) { "← First" } }
            if let next { a(.class("button"), .href(.tenantsAfter(next)), .rel("next")) { "Next →" } }
        }
    }

    private func panel(_ line: TenantLine) -> HTML {
        let slug = line.tenant.slug
        return section(.class("panel"), .ariaLabelledBy("tenant-\(slug)")) {
            div(.class("panel-head")) {
                h2(.id("tenant-\(slug)")) { line.tenant.name }
                if line.closedAt != nil {
                    Badge(text: "Closed", tone: .plain).html
                } else if !line.hasOwner {
                    Badge(text: "No owner", tone: .attention).html
                } else {
                    Badge(text: "In use", tone: .good).html
                }
            }
            Facts([
                ("Slug", span(.class("mono")) { slug }),
                ("Since", TimeText(line.createdAt).shortHTML),
                ("Closed", line.closedAt.map { TimeText($0).shortHTML }),
                ("Apps", HTML(text: "\(line.apps)")),
                ("Members", HTML(text: "\(line.members)")),
            ]).html
            if line.closedAt != nil {
                form(.class("row-form"), .post, .action(.tenantReopening(ofTenant: slug))) {
                    button(.class("button"), .type("submit"), .ariaLabel("Open \(slug) again")) { "Open again" }
                }
            } else {
                if !line.hasOwner { firstOwner(slug) }
                details {
                    summary { "Rename or close" }
                    rename(line.tenant)
                    close(slug)
                }
            }
        }
    }

    private func firstOwner(_ slug: String) -> HTML {
        form(.class("row-form"), .post, .action(.firstOwner(ofTenant: slug))) {
            label(.class("unseen"), .for("first-owner-\(slug)")) { "E-mail address of the first owner of \(slug)" }
            input(
                .class("input"), .id("first-owner-\(slug)"), .name("email"), .type("email"), .required, .maxlength(254),
                .autocomplete("off"),
                .placeholder("E-mail address"))
            button(.class("button"), .type("submit")) { "Invite the first owner" }
        }
    }

    private func rename(_ tenant: Tenant) -> HTML {
        form(.class("row-form"), .post, .action(.tenantName(ofTenant: tenant.slug))) {
            label(.class("unseen"), .for("name-\(tenant.slug)")) { "Name of \(tenant.slug)" }
            input(
                .class("input"), .id("name-\(tenant.slug)"), .name("name"), .type("text"), .value(tenant.name),
                .required, .maxlength(200),
                .autocomplete("off"))
            button(.class("button"), .type("submit")) { "Rename" }
        }
    }

    @HTMLBuilder private func close(_ slug: String) -> HTML {
        p(.class("quiet")) {
            "Closing shuts its pages, its API tokens and its notification URLs, which then answer 404. What has arrived is still worked on, nothing is deleted, and it can be opened again."
        }
        form(.class("row-form"), .post, .action(.tenantClosure(ofTenant: slug))) {
            label(.class("unseen"), .for("close-\(slug)")) { "Type \(slug) to close it" }
            input(
                .class("input"), .id("close-\(slug)"), .name("slug"), .type("text"), .required, .maxlength(63),
                .autocomplete("off"),
                .noSpellcheck, .placeholder("Type \(slug)"))
            button(.class("button"), .type("submit")) { "Close" }
        }
    }

    private var add: HTML {
        section(.class("panel"), .ariaLabelledBy("new-tenant")) {
            h2(.id("new-tenant")) { "New tenant" }
            form(.class("stack form-narrow"), .post, .action(.tenants)) {
                Field(
                    "Name", name: "name", help: "What people read.", error: wanted.errors["name"], .type("text"),
                    .value(wanted.name), .autocomplete("off"), .required, .maxlength(200)
                ).html
                Field(
                    "Slug", name: "slug", help: "What stands in addresses: small letters, digits, hyphens. Stays.",
                    error: wanted.errors["slug"], .type("text"), .value(wanted.slug), .autocomplete("off"),
                    .noSpellcheck, .required, .maxlength(63)
                ).html
                button(.class("button button-main"), .type("submit")) { "Make a tenant" }
            }
        }
    }
}
