package import FoundationEssentials
package import HTTP
package import Refunds

/// What a person may say about an incident.
package enum IncidentAct: String, Sendable, Hashable, CaseIterable {
    case acknowledge, snooze, note
}

/// Every address of the console. It prints them and reads them back; no other file writes one.
///
/// Addresses outlive pages: links in mails of years ago keep working, so a case of this enum may
/// change its look but not its path.
package enum Site: Hashable, Sendable {
    case home
    /// `next` is where the person wanted to go; only an address of this enum is believed.
    case signIn(next: String?)
    /// The page behind a one-time link. Looking at it changes nothing; its form uses it up.
    case signInLink(token: String)
    /// Ends the session; answers to POST alone.
    case signOut
    case password
    /// The step after the password.
    case secondFactor(next: String?)
    /// Gives a challenge for a passkey, as JSON; answers to POST alone, as all of these do.
    case passkeyChallenge
    case passkeySignIn
    /// The first start's page: makes the first owner and the first tenant.
    case firstStart(token: String)
    /// One's own account.
    case account
    case accountName
    case generators
    case generator(UUID)
    case passkeyOffer
    case passkeys
    case recoveryCodes
    case factorRemoval(UUID)
    case sessionEnd(UUID)
    case otherSessionsEnd
    /// The page behind an invitation. Looking at it changes nothing; its form uses it up.
    case invitation(token: String)
    /// For people who run the installation: tenants, and no case.
    case tenants
    /// The tenants whose slugs come after this one.
    case tenantsAfter(String)
    case tenantName(ofTenant: String)
    case tenantClosure(ofTenant: String)
    case tenantReopening(ofTenant: String)
    case firstOwner(ofTenant: String)
    case overview(String)
    case cases(String, CaseListQuery)
    case refundCase(String, UUID)
    /// Takes what somebody writes about a case; answers to POST alone, as the next two do.
    case caseNote(String, UUID)
    /// Gives a case to somebody, or to nobody.
    case caseAssignment(String, UUID)
    /// Takes whose purchase it is, and that it is not; answers to POST alone.
    case caseCustomer(String, UUID)
    /// A case's evidence in one file: that it was taken is written down, so looking is not enough.
    case caseBundle(String, UUID)
    /// What waits for a person.
    case held(String, CaseListQuery.Assigned? = nil)
    /// Takes what a person decides about a case that waits; answers to POST alone.
    case heldAnswer(String, UUID)
    case notifications(String, NotificationListQuery)
    case notification(String, UUID)
    case quarantine(String, RefusalListQuery)
    case apps(String)
    /// Where apps are added: one, several, or a rehearsal.
    case newApp(String)
    /// Everything an app needs before its first case, on one page; `done` names the step whose form was just taken.
    case setup(String, bundleID: String, done: SetupPart?)
    /// The parts of that page that change by themselves.
    case setupState(String, bundleID: String)
    /// Takes the form of one step; answers to POST alone.
    case setupPart(String, bundleID: String, SetupPart)
    /// What an app's requests are answered; its forms are sent to the same address.
    case policy(String, bundleID: String, PolicyShown)
    /// How an app's evidence comes; its forms are sent to the same address.
    case evidence(String, bundleID: String, EvidenceShown)
    /// What an app's customers agreed to; its forms are sent to the same address.
    case consent(String, bundleID: String, ConsentShown)
    /// The same as a file.
    case consentExport(String, bundleID: String, CSVForm)
    /// The time before an app was added; its forms are sent to the same address.
    case pastImport(String, bundleID: String)
    /// Looks up the order number of a receipt; its form is sent to the same address.
    case orders(String)
    /// The part of that page that changes by itself: one replay.
    case policyState(String, bundleID: String, UUID)
    /// Customers of an app with an answer of their own; one of them may stand in the form already. Its forms are sent to
    /// the same address.
    case customers(String, bundleID: String, customer: String?)
    /// What a sale of an app's products costs beyond the price; its forms are sent to the same address.
    case productCosts(String, bundleID: String)
    /// What was asked for, what Apple was told, and what Apple did.
    case outcomes(String, OutcomeListQuery)
    case outcomesExport(String, OutcomeListQuery, OutcomeTable, CSVForm)
    /// What stands between an app and Advanced Commerce; `done` names the form that was just taken.
    case commerceAccess(String, bundleID: String, done: CommerceAccessDone?)
    /// Takes one of that page's forms; answers to POST alone.
    case commerceAccessPart(String, bundleID: String, CommerceAccessPart)
    /// Refunds that were asked for, beside what was sold.
    case register(String, RegisterListQuery)
    case registerExport(String, RegisterListQuery, RegisterTable, CSVForm)
    case caseExport(String, CaseListQuery, CSVForm)
    case people(String)
    case memberRole(String, UUID)
    case memberRemoval(String, UUID)
    case invitations(String)
    case invitationRenewal(String, UUID)
    case invitationWithdrawal(String, UUID)
    case tokens(String)
    case tokenRemoval(String, UUID)
    case audit(String, AuditListQuery)
    case auditExport(String, AuditListQuery, CSVForm)
    case checks(String)
    /// What somebody must look at now.
    case alerts(String)
    /// What to do about a kind of incident: the same for everybody who is signed in.
    case runbook(String)
    case alertHistory(String, before: IncidentCursor?)
    case incident(String, UUID)
    /// What somebody says about an incident; answers to POST alone.
    case incidentAct(String, UUID, IncidentAct)
    case channels(String)
    case channel(String, UUID)
    /// The parts of that page that change by themselves.
    case channelState(String, UUID)
    case channelTest(String, UUID)
    case channelRemoval(String, UUID)
    /// The page behind the link in a mail. Looking at it changes nothing; its form uses it up.
    case channelConfirmation(token: String)
    /// What we ask Apple for; forms that make a request are sent to the same address.
    case commerceRequests(String, CommerceListQuery)
    /// The form of a request, for the purchase that the address names; without one, the look-up of a purchase.
    case newCommerceRequest(String, PurchaseQuery)
    /// Asks Apple for a purchase that is not held here; answers to POST alone, as the next one does.
    case purchaseLookUp(String)
    case commercePreview(String)
    case commerceRequest(String, UUID)
    /// The parts of that page that change by themselves.
    case commerceRequestState(String, UUID)
    case commerceSubmission(String, UUID)
    case commerceApproval(String, UUID)
    case commerceWithdrawal(String, UUID)

    /// The path as the router matches it.
    package enum Pattern: String, CaseIterable, Sendable {
        case home = "/"
        case signIn = "/sign-in"
        case signInLink = "/sign-in/link/{token}"
        case signOut = "/sign-out"
        case password = "/password"
        case secondFactor = "/sign-in/second-factor"
        case passkeyChallenge = "/sign-in/passkey/challenge"
        case passkeySignIn = "/sign-in/passkey"
        case firstStart = "/set-up/{token}"
        case account = "/account"
        case accountName = "/account/name"
        case generators = "/account/generators"
        case generator = "/account/generators/{id}"
        case passkeyOffer = "/account/passkeys/offer"
        case passkeys = "/account/passkeys"
        case recoveryCodes = "/account/recovery-codes"
        case factorRemoval = "/account/factors/{id}/removal"
        case sessionEnd = "/account/sessions/{id}/end"
        case otherSessionsEnd = "/account/sessions/others/end"
        case invitation = "/invitations/{token}"
        case tenants = "/tenants"
        case tenantName = "/tenants/{tenant}/name"
        case tenantClosure = "/tenants/{tenant}/closure"
        case tenantReopening = "/tenants/{tenant}/reopening"
        case firstOwner = "/tenants/{tenant}/first-owner"
        case overview = "/t/{slug}"
        case cases = "/t/{slug}/cases"
        case refundCase = "/t/{slug}/cases/{id}"
        case caseNote = "/t/{slug}/cases/{id}/notes"
        case caseAssignment = "/t/{slug}/cases/{id}/assignment"
        case caseCustomer = "/t/{slug}/cases/{id}/customer"
        case caseBundle = "/t/{slug}/cases/{id}/bundle"
        case held = "/t/{slug}/held"
        case heldAnswer = "/t/{slug}/cases/{id}/answer"
        case notifications = "/t/{slug}/notifications"
        case notification = "/t/{slug}/notifications/{id}"
        case quarantine = "/t/{slug}/quarantine"
        case apps = "/t/{slug}/apps"
        case newApp = "/t/{slug}/apps/new"
        case setup = "/t/{slug}/apps/{bundleId}/setup"
        case setupState = "/t/{slug}/apps/{bundleId}/setup/state"
        case setupPart = "/t/{slug}/apps/{bundleId}/setup/{part}"
        case policy = "/t/{slug}/apps/{bundleId}/policy"
        case evidence = "/t/{slug}/apps/{bundleId}/evidence"
        case consent = "/t/{slug}/apps/{bundleId}/consent"
        case consentExport = "/t/{slug}/apps/{bundleId}/consent.csv"
        case pastImport = "/t/{slug}/apps/{bundleId}/import"
        case orders = "/t/{slug}/orders"
        case policyState = "/t/{slug}/apps/{bundleId}/policy/state"
        case customers = "/t/{slug}/apps/{bundleId}/customers"
        case productCosts = "/t/{slug}/apps/{bundleId}/costs"
        case outcomes = "/t/{slug}/outcomes"
        case outcomesExport = "/t/{slug}/outcomes.csv"
        case commerceAccess = "/t/{slug}/apps/{bundleId}/advanced-commerce"
        case commerceAccessPart = "/t/{slug}/apps/{bundleId}/advanced-commerce/{part}"
        case register = "/t/{slug}/register"
        case registerExport = "/t/{slug}/register.csv"
        case caseExport = "/t/{slug}/cases.csv"
        case people = "/t/{slug}/people"
        case memberRole = "/t/{slug}/people/{id}/role"
        case memberRemoval = "/t/{slug}/people/{id}/removal"
        case invitations = "/t/{slug}/invitations"
        case invitationRenewal = "/t/{slug}/invitations/{id}/renewal"
        case invitationWithdrawal = "/t/{slug}/invitations/{id}/withdrawal"
        case tokens = "/t/{slug}/tokens"
        case tokenRemoval = "/t/{slug}/tokens/{id}/removal"
        case audit = "/t/{slug}/audit"
        case auditExport = "/t/{slug}/audit.csv"
        case checks = "/t/{slug}/checks"
        case alerts = "/t/{slug}/alerts"
        case runbook = "/runbooks/{rule}"
        case alertHistory = "/t/{slug}/alerts/history"
        case incident = "/t/{slug}/alerts/{id}"
        case incidentAct = "/t/{slug}/alerts/{id}/{act}"
        case channels = "/t/{slug}/channels"
        case channel = "/t/{slug}/channels/{id}"
        case channelState = "/t/{slug}/channels/{id}/state"
        case channelTest = "/t/{slug}/channels/{id}/test"
        case channelRemoval = "/t/{slug}/channels/{id}/removal"
        case channelConfirmation = "/channels/confirmation/{token}"
        case commerceRequests = "/t/{slug}/commerce-requests"
        case newCommerceRequest = "/t/{slug}/commerce-requests/new"
        case purchaseLookUp = "/t/{slug}/commerce-requests/look-up"
        case commercePreview = "/t/{slug}/commerce-requests/preview"
        case commerceRequest = "/t/{slug}/commerce-requests/{id}"
        case commerceRequestState = "/t/{slug}/commerce-requests/{id}/state"
        case commerceSubmission = "/t/{slug}/commerce-requests/{id}/submission"
        case commerceApproval = "/t/{slug}/commerce-requests/{id}/approval"
        case commerceWithdrawal = "/t/{slug}/commerce-requests/{id}/withdrawal"
    }

    package var pattern: Pattern {
        switch self {
        case .home: .home
        case .signIn: .signIn
        case .signInLink: .signInLink
        case .signOut: .signOut
        case .password: .password
        case .secondFactor: .secondFactor
        case .passkeyChallenge: .passkeyChallenge
        case .passkeySignIn: .passkeySignIn
        case .firstStart: .firstStart
        case .account: .account
        case .accountName: .accountName
        case .generators: .generators
        case .generator: .generator
        case .passkeyOffer: .passkeyOffer
        case .passkeys: .passkeys
        case .recoveryCodes: .recoveryCodes
        case .factorRemoval: .factorRemoval
        case .sessionEnd: .sessionEnd
        case .otherSessionsEnd: .otherSessionsEnd
        case .invitation: .invitation
        case .tenants, .tenantsAfter: .tenants
        case .tenantName: .tenantName
        case .tenantClosure: .tenantClosure
        case .tenantReopening: .tenantReopening
        case .firstOwner: .firstOwner
        case .overview: .overview
        case .cases: .cases
        case .refundCase: .refundCase
        case .caseNote: .caseNote
        case .caseAssignment: .caseAssignment
        case .caseCustomer: .caseCustomer
        case .caseBundle: .caseBundle
        case .held: .held
        case .heldAnswer: .heldAnswer
        case .notifications: .notifications
        case .notification: .notification
        case .quarantine: .quarantine
        case .apps: .apps
        case .newApp: .newApp
        case .setup: .setup
        case .setupState: .setupState
        case .setupPart: .setupPart
        case .policy: .policy
        case .evidence: .evidence
        case .consent: .consent
        case .consentExport: .consentExport
        case .pastImport: .pastImport
        case .orders: .orders
        case .policyState: .policyState
        case .customers: .customers
        case .productCosts: .productCosts
        case .outcomes: .outcomes
        case .outcomesExport: .outcomesExport
        case .commerceAccess: .commerceAccess
        case .commerceAccessPart: .commerceAccessPart
        case .register: .register
        case .registerExport: .registerExport
        case .caseExport: .caseExport
        case .people: .people
        case .memberRole: .memberRole
        case .memberRemoval: .memberRemoval
        case .invitations: .invitations
        case .invitationRenewal: .invitationRenewal
        case .invitationWithdrawal: .invitationWithdrawal
        case .tokens: .tokens
        case .tokenRemoval: .tokenRemoval
        case .audit: .audit
        case .auditExport: .auditExport
        case .checks: .checks
        case .alerts: .alerts
        case .runbook: .runbook
        case .alertHistory: .alertHistory
        case .incident: .incident
        case .incidentAct: .incidentAct
        case .channels: .channels
        case .channel: .channel
        case .channelState: .channelState
        case .channelTest: .channelTest
        case .channelRemoval: .channelRemoval
        case .channelConfirmation: .channelConfirmation
        case .commerceRequests: .commerceRequests
        case .newCommerceRequest: .newCommerceRequest
        case .purchaseLookUp: .purchaseLookUp
        case .commercePreview: .commercePreview
        case .commerceRequest: .commerceRequest
        case .commerceRequestState: .commerceRequestState
        case .commerceSubmission: .commerceSubmission
        case .commerceApproval: .commerceApproval
        case .commerceWithdrawal: .commerceWithdrawal
        }
    }

    /// Path and query, ready for an attribute or a `Location` field.
    package var url: String {
        var path = ""
        for part in pattern.rawValue.dropFirst().split(separator: "/") {
            path += "/" + (part.hasPrefix("{") ? URLText.encode(value(of: part)) : String(part))
        }
        return (path.isEmpty ? "/" : path) + URLText.query(fields)
    }

    private func value(of placeholder: Substring) -> String {
        switch (self, placeholder) {
        case (.signInLink(let token), _), (.firstStart(let token), _): token
        case (.generator(let id), _), (.factorRemoval(let id), _), (.sessionEnd(let id), _): id.text
        case (.setup(_, let bundleID, _), "{bundleId}"), (.setupState(_, let bundleID), "{bundleId}"),
            (.setupPart(_, let bundleID, _), "{bundleId}"), (.commerceAccess(_, let bundleID, _), "{bundleId}"),
            (.commerceAccessPart(_, let bundleID, _), "{bundleId}"), (.policy(_, let bundleID, _), "{bundleId}"),
            (.evidence(_, let bundleID, _), "{bundleId}"),
            (.consent(_, let bundleID, _), "{bundleId}"), (.consentExport(_, let bundleID, _), "{bundleId}"),
            (.pastImport(_, let bundleID), "{bundleId}"),
            (.policyState(_, let bundleID, _), "{bundleId}"), (.customers(_, let bundleID, _), "{bundleId}"),
            (.productCosts(_, let bundleID), "{bundleId}"):
            bundleID
        case (.setupPart(_, _, let part), "{part}"): part.rawValue
        case (.commerceAccessPart(_, _, let part), "{part}"): part.rawValue
        case (.invitation(let token), _), (.channelConfirmation(let token), _): token
        case (.tenantName(let tenant), _), (.tenantClosure(let tenant), _), (.tenantReopening(let tenant), _),
            (.firstOwner(let tenant), _):
            tenant
        case (.memberRole(_, let id), "{id}"), (.memberRemoval(_, let id), "{id}"),
            (.invitationRenewal(_, let id), "{id}"), (.invitationWithdrawal(_, let id), "{id}"),
            (.tokenRemoval(_, let id), "{id}"):
            id.text
        case (.runbook(let rule), _): rule
        case (.incidentAct(_, _, let act), "{act}"): act.rawValue
        case (.incident(_, let id), "{id}"), (.incidentAct(_, let id, _), "{id}"), (.channel(_, let id), "{id}"),
            (.channelState(_, let id), "{id}"), (.channelTest(_, let id), "{id}"), (.channelRemoval(_, let id), "{id}"):
            id.text
        case (.caseNote(_, let id), "{id}"), (.caseAssignment(_, let id), "{id}"), (.caseBundle(_, let id), "{id}"),
            (.caseCustomer(_, let id), "{id}"):
            id.text
        case (.refundCase(_, let id), "{id}"), (.heldAnswer(_, let id), "{id}"), (.notification(_, let id), "{id}"):
            id.text
        case (.commerceRequest(_, let id), "{id}"), (.commerceRequestState(_, let id), "{id}"),
            (.commerceSubmission(_, let id), "{id}"), (.commerceApproval(_, let id), "{id}"),
            (.commerceWithdrawal(_, let id), "{id}"):
            id.text
        default: slug ?? ""
        }
    }

    /// The tenant it belongs to.
    package var slug: String? {
        switch self {
        case .overview(let slug), .cases(let slug, _), .refundCase(let slug, _), .notifications(let slug, _),
            .notification(let slug, _), .quarantine(let slug, _), .apps(let slug),
            .evidence(let slug, _, _), .held(let slug, _), .heldAnswer(let slug, _), .caseNote(let slug, _),
            .caseAssignment(let slug, _), .caseCustomer(let slug, _),
            .caseBundle(let slug, _), .policy(let slug, _, _),
            .consent(let slug, _, _), .consentExport(let slug, _, _), .pastImport(let slug, _), .orders(let slug),
            .policyState(let slug, _, _), .customers(let slug, _, _), .productCosts(let slug, _),
            .outcomes(let slug, _), .outcomesExport(let slug, _, _, _),
            .newApp(let slug), .setup(let slug, _, _), .setupState(let slug, _), .setupPart(let slug, _, _):
            slug
        case .caseExport(let slug, _, _), .people(let slug), .memberRole(let slug, _), .memberRemoval(let slug, _),
            .invitations(let slug), .invitationRenewal(let slug, _), .invitationWithdrawal(let slug, _),
            .tokens(let slug), .tokenRemoval(let slug, _), .audit(let slug, _), .auditExport(let slug, _, _),
            .checks(let slug), .alerts(let slug), .alertHistory(let slug, _), .incident(let slug, _),
            .incidentAct(let slug, _, _), .channels(let slug), .channel(let slug, _), .channelState(let slug, _),
            .channelTest(let slug, _),
            .channelRemoval(let slug, _), .commerceAccess(let slug, _, _), .commerceAccessPart(let slug, _, _),
            .register(let slug, _), .registerExport(let slug, _, _, _):
            slug
        case .commerceRequests(let slug, _), .newCommerceRequest(let slug, _), .purchaseLookUp(let slug),
            .commercePreview(let slug), .commerceRequest(let slug, _), .commerceRequestState(let slug, _),
            .commerceSubmission(let slug, _), .commerceApproval(let slug, _), .commerceWithdrawal(let slug, _):
            slug
        default: nil
        }
    }

    private var fields: [(String, String?)] {
        switch self {
        case .signIn(let next), .secondFactor(let next): [("next", next)]
        case .cases(_, let query): query.fields
        case .held(_, let assigned): [("assigned", assigned?.rawValue)]
        case .notifications(_, let query): query.fields
        case .quarantine(_, let query): query.fields
        case .setup(_, _, let done): [("done", done?.rawValue)]
        case .tenantsAfter(let slug): [("after", slug)]
        case .commerceAccess(_, _, let done): done?.fields ?? []
        case .policy(_, _, let shown): shown.fields
        case .evidence(_, _, let shown): shown.fields
        case .consent(_, _, let shown): shown.fields
        case .consentExport(_, _, let form): form.fields
        case .policyState(_, _, let id): [("replay", id.text)]
        case .customers(_, _, let customer): [("customer", customer)]
        case .outcomes(_, let query): query.fields
        case .outcomesExport(_, let query, let table, let form): query.fields + table.fields + form.fields
        case .register(_, let query): query.fields
        case .registerExport(_, let query, let table, let form): query.fields + table.fields + form.fields
        case .caseExport(_, let query, let form): query.fields + form.fields
        case .audit(_, let query): query.fields
        case .auditExport(_, let query, let form): query.fields + form.fields
        case .alertHistory(_, let before): [("before", before?.text)]
        case .commerceRequests(_, let query): query.fields
        case .newCommerceRequest(_, let query): query.fields
        default: []
        }
    }

    /// The address that a path with its query names; nil for any other text, whole addresses of other
    /// hosts among them.
    package init?(url: String) {
        guard url.utf8.first == UInt8(ascii: "/"), !url.hasPrefix("//"), !url.hasPrefix("/\\"), url.utf8.count <= 2048,
            let request = try? Request(method: .get, target: url)
        else { return nil }
        self.init(request)
    }

    /// The address that was asked for.
    package init?(_ request: Request) { self.init(segments: request.segments, query: request.query) }
}

extension QueryString {
    /// Nil where it is absent or empty: an empty choice in a form means "any".
    ///
    /// A NUL cannot stand in the database's texts, so nothing there can have such a value.
    func value(_ name: String) -> String? { first(name).flatMap { $0.isEmpty || $0.contains("\0") ? nil : $0 } }
}
