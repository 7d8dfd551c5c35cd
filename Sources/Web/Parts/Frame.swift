import Refunds
import Tenants

/// What stands around every page: who looks, at which tenant, from which place.
struct Frame: Sendable {
    /// The places of a tenant that the navigation names.
    enum Place: Sendable, CaseIterable {
        case overview, cases, held, outcomes, commerce, register, notifications, quarantine, apps, alerts, people, tokens, audit,
            checks
    }

    struct Visitor: Sendable {
        let email: String
        let tenants: [Membership]
        let isInstallation: Bool
    }

    let assets: AssetLinks
    /// Nil on the pages that strangers see.
    let visitor: Visitor?
    let tenant: Membership?
    var place: Place?
    /// Something critical is open, or nobody can be told.
    var alert = AlertLine.calm
    /// The address of this page, to mark where one is.
    var here: Site?

    /// Owners and admins.
    var canChangeApps: Bool { tenant.map { $0.role >= .admin } ?? false }

    /// Whether who looks may ask Apple for something.
    var canAsk: Bool { tenant.map { Access.allows($0.role, .newCommerceRequest($0.slug, PurchaseQuery())) } ?? false }

    init(assets: AssetLinks, session: Session? = nil, tenant: Membership? = nil, here: Site? = nil) {
        self.assets = assets
        self.tenant = tenant
        self.here = here
        visitor = session.map {
            Visitor(email: $0.email, tenants: $0.memberships, isInstallation: $0.isInstallation)
        }
        place =
            switch here {
            case .overview: .overview
            case .cases, .refundCase, .caseExport, .heldAnswer: .cases
            case .held: .held
            case .notifications, .notification: .notifications
            case .quarantine: .quarantine
            case .register, .registerExport: .register
            case .apps, .newApp, .setup, .setupState, .setupPart, .commerceAccess, .commerceAccessPart, .policy,
                .policyState, .customers, .productCosts:
                .apps
            case .outcomes, .outcomesExport: .outcomes
            case .people, .memberRole, .memberRemoval, .invitations, .invitationRenewal, .invitationWithdrawal: .people
            case .tokens, .tokenRemoval: .tokens
            case .audit, .auditExport: .audit
            case .checks: .checks
            case .alerts, .alertHistory, .incident, .incidentAct, .channels, .channel, .channelState, .channelTest,
                .channelRemoval:
                .alerts
            case .commerceRequests, .newCommerceRequest, .purchaseLookUp, .commercePreview, .commerceRequest,
                .commerceRequestState, .commerceSubmission, .commerceApproval, .commerceWithdrawal:
                .commerce
            default: nil
            }
    }
}

/// Where style sheets, script and icon are found, content hash included.
struct AssetLinks: Sendable {
    let styleSheets: [String]
    let scripts: [String]
    let icon: String?

    static let none = AssetLinks(styleSheets: [], scripts: [], icon: nil)
}
