package import FoundationEssentials
package import HTTP
import Refunds

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
    case tenantName(ofTenant: String)
    case tenantClosure(ofTenant: String)
    case tenantReopening(ofTenant: String)
    case firstOwner(ofTenant: String)
    case overview(String)
    case cases(String, CaseListQuery)
    case refundCase(String, UUID)
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
        case notifications = "/t/{slug}/notifications"
        case notification = "/t/{slug}/notifications/{id}"
        case quarantine = "/t/{slug}/quarantine"
        case apps = "/t/{slug}/apps"
        case newApp = "/t/{slug}/apps/new"
        case setup = "/t/{slug}/apps/{bundleId}/setup"
        case setupState = "/t/{slug}/apps/{bundleId}/setup/state"
        case setupPart = "/t/{slug}/apps/{bundleId}/setup/{part}"
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
        case .tenants: .tenants
        case .tenantName: .tenantName
        case .tenantClosure: .tenantClosure
        case .tenantReopening: .tenantReopening
        case .firstOwner: .firstOwner
        case .overview: .overview
        case .cases: .cases
        case .refundCase: .refundCase
        case .notifications: .notifications
        case .notification: .notification
        case .quarantine: .quarantine
        case .apps: .apps
        case .newApp: .newApp
        case .setup: .setup
        case .setupState: .setupState
        case .setupPart: .setupPart
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
            (.setupPart(_, let bundleID, _), "{bundleId}"):
            bundleID
        case (.setupPart(_, _, let part), "{part}"): part.rawValue
        case (.invitation(let token), _): token
        case (.tenantName(let tenant), _), (.tenantClosure(let tenant), _), (.tenantReopening(let tenant), _),
            (.firstOwner(let tenant), _):
            tenant
        case (.memberRole(_, let id), "{id}"), (.memberRemoval(_, let id), "{id}"),
            (.invitationRenewal(_, let id), "{id}"), (.invitationWithdrawal(_, let id), "{id}"),
            (.tokenRemoval(_, let id), "{id}"):
            id.text
        case (.refundCase(_, let id), "{id}"), (.notification(_, let id), "{id}"): id.text
        default: slug ?? ""
        }
    }

    /// The tenant it belongs to.
    package var slug: String? {
        switch self {
        case .overview(let slug), .cases(let slug, _), .refundCase(let slug, _), .notifications(let slug, _),
            .notification(let slug, _), .quarantine(let slug, _), .apps(let slug),
            .newApp(let slug), .setup(let slug, _, _), .setupState(let slug, _), .setupPart(let slug, _, _):
            slug
        case .caseExport(let slug, _, _), .people(let slug), .memberRole(let slug, _), .memberRemoval(let slug, _),
            .invitations(let slug), .invitationRenewal(let slug, _), .invitationWithdrawal(let slug, _),
            .tokens(let slug), .tokenRemoval(let slug, _), .audit(let slug, _), .auditExport(let slug, _, _),
            .checks(let slug):
            slug
        default: nil
        }
    }

    private var fields: [(String, String?)] {
        switch self {
        case .signIn(let next), .secondFactor(let next): [("next", next)]
        case .cases(_, let query): query.fields
        case .notifications(_, let query): query.fields
        case .quarantine(_, let query): query.fields
        case .setup(_, _, let done): [("done", done?.rawValue)]
        case .caseExport(_, let query, let form): query.fields + form.fields
        case .audit(_, let query): query.fields
        case .auditExport(_, let query, let form): query.fields + form.fields
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

    private init?(segments: [String], query: QueryString) {
        // A final slash is the same address.
        let segments = segments.last == "" ? segments.dropLast() : segments[...]
        switch segments.count {
        case 0: self = .home
        case _ where segments[0] == "account": self.init(account: segments.dropFirst())
        case 1 where segments[0] == "sign-in": self = .signIn(next: query.value("next"))
        case 1 where segments[0] == "sign-out": self = .signOut
        case 1 where segments[0] == "password": self = .password
        case 1 where segments[0] == "tenants": self = .tenants
        case 2 where segments[0] == "set-up": self = .firstStart(token: segments[1])
        case 2 where segments[0] == "sign-in" && segments[1] == "second-factor":
            self = .secondFactor(next: query.value("next"))
        case 2 where segments[0] == "sign-in" && segments[1] == "passkey": self = .passkeySignIn
        case 3 where segments[0] == "sign-in" && segments[1] == "passkey" && segments[2] == "challenge":
            self = .passkeyChallenge
        case 2 where segments[0] == "invitations": self = .invitation(token: segments[1])
        case 3 where segments[0] == "tenants":
            switch segments[2] {
            case "name": self = .tenantName(ofTenant: segments[1])
            case "closure": self = .tenantClosure(ofTenant: segments[1])
            case "reopening": self = .tenantReopening(ofTenant: segments[1])
            case "first-owner": self = .firstOwner(ofTenant: segments[1])
            default: return nil
            }
        case 2 where segments[0] == "t": self = .overview(segments[1])
        case 3 where segments[0] == "sign-in" && segments[1] == "link": self = .signInLink(token: segments[2])
        case 3 where segments[0] == "t":
            switch segments[2] {
            case "cases": self = .cases(segments[1], CaseListQuery(query))
            case "notifications": self = .notifications(segments[1], NotificationListQuery(query))
            case "quarantine": self = .quarantine(segments[1], RefusalListQuery(query))
            case "apps": self = .apps(segments[1])
            case "cases.csv": self = .caseExport(segments[1], CaseListQuery(query), CSVForm(query))
            case "people": self = .people(segments[1])
            case "invitations": self = .invitations(segments[1])
            case "tokens": self = .tokens(segments[1])
            case "audit": self = .audit(segments[1], AuditListQuery(query))
            case "audit.csv": self = .auditExport(segments[1], AuditListQuery(query), CSVForm(query))
            case "checks": self = .checks(segments[1])
            default: return nil
            }
        case 5 where segments[0] == "t" && ["people", "invitations", "tokens"].contains(segments[2]):
            guard let id = UUID(uuidString: segments[3]) else { return nil }
            switch (segments[2], segments[4]) {
            case ("people", "role"): self = .memberRole(segments[1], id)
            case ("people", "removal"): self = .memberRemoval(segments[1], id)
            case ("invitations", "renewal"): self = .invitationRenewal(segments[1], id)
            case ("invitations", "withdrawal"): self = .invitationWithdrawal(segments[1], id)
            case ("tokens", "removal"): self = .tokenRemoval(segments[1], id)
            default: return nil
            }
        case 4 where segments[0] == "t" && segments[2] == "apps" && segments[3] == "new": self = .newApp(segments[1])
        case 5 where segments[0] == "t" && segments[2] == "apps" && segments[4] == "setup":
            self = .setup(
                segments[1], bundleID: segments[3], done: query.value("done").flatMap(SetupPart.init(rawValue:)))
        case 6 where segments[0] == "t" && segments[2] == "apps" && segments[4] == "setup":
            if segments[5] == "state" {
                self = .setupState(segments[1], bundleID: segments[3])
            } else if let part = SetupPart(rawValue: segments[5]) {
                self = .setupPart(segments[1], bundleID: segments[3], part)
            } else {
                return nil
            }
        case 4 where segments[0] == "t":
            guard let id = UUID(uuidString: segments[3]) else { return nil }
            switch segments[2] {
            case "cases": self = .refundCase(segments[1], id)
            case "notifications": self = .notification(segments[1], id)
            default: return nil
            }
        default: return nil
        }
    }
}

extension Site {
    /// What stands behind `/account`.
    private init?(account parts: ArraySlice<String>) {
        let parts = Array(parts)
        switch parts.count {
        case 0: self = .account
        case 1 where parts[0] == "name": self = .accountName
        case 1 where parts[0] == "generators": self = .generators
        case 1 where parts[0] == "passkeys": self = .passkeys
        case 1 where parts[0] == "recovery-codes": self = .recoveryCodes
        case 2 where parts[0] == "passkeys" && parts[1] == "offer": self = .passkeyOffer
        case 3 where parts[0] == "sessions" && parts[1] == "others" && parts[2] == "end": self = .otherSessionsEnd
        case 2...3:
            guard let id = UUID(uuidString: parts[1]) else { return nil }
            switch (parts[0], parts.dropFirst(2).first) {
            case ("generators", nil): self = .generator(id)
            case ("factors", "removal"): self = .factorRemoval(id)
            case ("sessions", "end"): self = .sessionEnd(id)
            default: return nil
            }
        default: return nil
        }
    }
}

extension QueryString {
    /// Nil where it is absent or empty: an empty choice in a form means "any".
    ///
    /// A NUL cannot stand in the database's texts, so nothing there can have such a value.
    func value(_ name: String) -> String? { first(name).flatMap { $0.isEmpty || $0.contains("\0") ? nil : $0 } }
}
