import Tenants

/// For people who run the installation: which tenants there are. No case, no customer.
struct TenantsPage {
    let frame: Frame
    let tenants: [Tenant]

    var html: HTML {
        Layout(frame, title: "Tenants").console {
            PageHeader("Tenants") { "Organisations on this installation. What is theirs is theirs alone to see." }.html
            if tenants.isEmpty {
                EmptyState(.tenants, "No tenant yet") {
                    CodeBlock("refund-desk tenant add example --name \"Example\"", label: "Command").html
                }.html
            } else {
                DataTable(
                    caption: "Tenants by name",
                    columns: [
                        .init("Name") { tenant in strong { tenant.name } },
                        .init("Slug") { tenant in span(.class("mono")) { tenant.slug } },
                    ], rows: tenants
                ).html
            }
        }
    }
}

/// For somebody who is a member of nothing, or of more than one tenant.
struct ChooseTenantPage {
    let frame: Frame

    var html: HTML {
        let tenants = frame.visitor?.tenants ?? []
        return Layout(frame, title: "Your desks").console {
            PageHeader("Your desks").html
            if tenants.isEmpty {
                EmptyState(.tenants, "You are not a member of any organisation here") {
                    p { "Ask an owner of yours to add you: " }
                    CodeBlock(
                        "refund-desk operator add --email … --tenant … --role support", label: "Command"
                    ).html
                }.html
            } else {
                ul(.class("tiles")) {
                    for tenant in tenants {
                        li(.class("tile", .plain)) {
                            a(.class("tile-link"), .href(.overview(tenant.slug))) {
                                span(.class("tile-number")) { tenant.name }
                                span(.class("tile-name")) { Words.sentence(tenant.role.rawValue) }
                            }
                        }
                    }
                }
            }
        }
    }
}
