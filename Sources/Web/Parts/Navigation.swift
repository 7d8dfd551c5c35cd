import Tenants

/// The column at the side; on narrow screens the bar at the top.
struct Navigation {
    /// Where no tenant is chosen: more stand on the page that lists them.
    private static let desksMax = 12

    let frame: Frame

    var html: HTML {
        header(.class("side")) {
            a(.class("brand"), .href(.home)) {
                Icon.desk.html
                span { "Refund Desk" }
            }
            if let tenant = frame.tenant {
                tenantSwitch(tenant)
                nav(.class("places"), .ariaLabel("Places of \(tenant.name)")) {
                    ul(.class("places-list")) {
                        for place in Frame.Place.allCases { item(place, in: tenant) }
                    }
                }
            } else if let visitor = frame.visitor, visitor.isInstallation || !visitor.tenants.isEmpty {
                nav(.class("places"), .ariaLabel("Your desks")) {
                    ul(.class("places-list")) {
                        if visitor.isInstallation {
                            li { placeLink(.tenants, .tenants, "Tenants", isCurrent: frame.here?.pattern == .tenants) }
                            li {
                                placeLink(
                                    .alerts(Membership.installation.slug), .alerts, "Alerts",
                                    isCurrent: frame.place == .alerts)
                            }
                        }
                        for tenant in visitor.tenants.prefix(Self.desksMax) {
                            li { placeLink(.overview(tenant.slug), .overview, tenant.name, isCurrent: false) }
                        }
                    }
                }
            }
            if let visitor = frame.visitor { account(visitor) }
        }
    }

    /// Nothing for a place that the role may not see.
    private func item(_ place: Frame.Place, in tenant: Membership) -> HTML {
        let slug = tenant.slug
        let (site, icon, name): (Site, Icon, String) =
            switch place {
            case .overview: (.overview(slug), .overview, "Overview")
            case .cases: (.cases(slug, CaseListQuery()), .cases, "Cases")
            case .held: (.held(slug), .held, "Waiting for you")
            case .outcomes: (.outcomes(slug, OutcomeListQuery()), .outcomes, "Outcomes")
            case .commerce: (.commerceRequests(slug, CommerceListQuery()), .commerce, "Requests to Apple")
            case .register: (.register(slug, RegisterListQuery()), .register, "Register")
            case .notifications: (.notifications(slug, NotificationListQuery()), .notifications, "Notifications")
            case .quarantine: (.quarantine(slug, RefusalListQuery()), .quarantine, "Quarantine")
            case .apps: (.apps(slug), .apps, "Apps")
            case .alerts: (.alerts(slug), .alerts, "Alerts")
            case .people: (.people(slug), .person, "People")
            case .tokens: (.tokens(slug), .key, "API tokens")
            case .audit: (.audit(slug, AuditListQuery()), .audit, "Audit log")
            case .checks: (.checks(slug), .checks, "Checks")
            }
        guard Access.allows(tenant.role, site) else { return .empty }
        return li { placeLink(site, icon, name, isCurrent: frame.place == place) }
    }

    private func placeLink(_ site: Site, _ icon: Icon, _ name: String, isCurrent: Bool) -> HTML {
        if isCurrent {
            a(.class("place"), .href(site), .ariaCurrent(frame.here == site ? "page" : "true")) {
                icon.html
                span { name }
            }
        } else {
            a(.class("place"), .href(site)) {
                icon.html
                span { name }
            }
        }
    }

    private func tenantSwitch(_ tenant: Membership) -> HTML {
        let others = frame.visitor?.tenants.filter { $0.slug != tenant.slug } ?? []
        if others.isEmpty { return p(.class("tenant-name")) { tenant.name } }
        return details(.class("tenant-switch"), .nicety("menu")) {
            summary(.ariaLabel("Tenant: \(tenant.name). Change")) { tenant.name }
            ul(.class("menu")) {
                for other in others {
                    li { a(.class("menu-item"), .href(.overview(other.slug))) { other.name } }
                }
            }
        }
    }

    private func account(_ visitor: Frame.Visitor) -> HTML {
        details(.class("account"), .nicety("menu")) {
            summary(.ariaLabel("Account of \(visitor.email)")) {
                Icon.person.html
                span(.class("account-name")) { visitor.email }
            }
            div(.class("menu")) {
                if let tenant = frame.tenant {
                    p(.class("menu-note")) { "\(Words.sentence(tenant.role.rawValue)) of \(tenant.name)" }
                } else if visitor.isInstallation {
                    p(.class("menu-note")) { "Runs this installation" }
                }
                a(.class("menu-item"), .href(.account)) { "Your account" }
                form(.post, .action(.signOut)) {
                    button(.type("submit"), .class("menu-item")) { "Sign out" }
                }
            }
        }
    }
}
