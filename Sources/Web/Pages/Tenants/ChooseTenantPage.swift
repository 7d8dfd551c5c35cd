import Tenants

/// For somebody who is a member of nothing, or of more than one tenant.
struct ChooseTenantPage {
    let frame: Frame

    var html: HTML {
        let tenants = frame.visitor?.tenants ?? []
        return Layout(frame, title: "Your desks").console {
            PageHeader("Your desks").html
            if tenants.isEmpty {
                EmptyState(.tenants, "You are not a member of any tenant here") {
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
