import FoundationEssentials
import HTTP
import Refunds

/// Reading addresses back: the other half of `Site`.
extension Site {
    init?(segments: [String], query: QueryString) {
        // A final slash is the same address.
        let segments = segments.last == "" ? segments.dropLast() : segments[...]
        switch segments.count {
        case 0: self = .home
        case _ where segments[0] == "account": self.init(account: segments.dropFirst())
        case 1 where segments[0] == "sign-in": self = .signIn(next: query.value("next"))
        case 1 where segments[0] == "sign-out": self = .signOut
        case 1 where segments[0] == "password": self = .password
        case 1 where segments[0] == "tenants":
            self = query.value("after").map { .tenantsAfter($0) } ?? .tenants
        case 2 where segments[0] == "runbooks": self = .runbook(segments[1])
        case 2 where segments[0] == "set-up": self = .firstStart(token: segments[1])
        case 2 where segments[0] == "sign-in" && segments[1] == "second-factor":
            self = .secondFactor(next: query.value("next"))
        case 2 where segments[0] == "sign-in" && segments[1] == "passkey": self = .passkeySignIn
        case 3 where segments[0] == "sign-in" && segments[1] == "passkey" && segments[2] == "challenge":
            self = .passkeyChallenge
        case 2 where segments[0] == "invitations": self = .invitation(token: segments[1])
        case 3 where segments[0] == "channels" && segments[1] == "confirmation":
            self = .channelConfirmation(token: segments[2])
        case 3 where segments[0] == "tenants":
            switch segments[2] {
            case "name": self = .tenantName(ofTenant: segments[1])
            case "closure": self = .tenantClosure(ofTenant: segments[1])
            case "reopening": self = .tenantReopening(ofTenant: segments[1])
            case "first-owner": self = .firstOwner(ofTenant: segments[1])
            default: return nil
            }
        case 2 where segments[0] == "t": self = .overview(segments[1])
        case 3...5 where segments[0] == "t" && segments[2] == "commerce-requests":
            self.init(commerce: segments.dropFirst(3), of: segments[1], query)
        case 3 where segments[0] == "sign-in" && segments[1] == "link": self = .signInLink(token: segments[2])
        case 3 where segments[0] == "t":
            switch segments[2] {
            case "cases": self = .cases(segments[1], CaseListQuery(query))
            case "held": self = .held(segments[1], query.value("assigned").flatMap(CaseListQuery.Assigned.init))
            case "orders": self = .orders(segments[1])
            case "notifications": self = .notifications(segments[1], NotificationListQuery(query))
            case "quarantine": self = .quarantine(segments[1], RefusalListQuery(query))
            case "apps": self = .apps(segments[1])
            case "register": self = .register(segments[1], RegisterListQuery(query))
            case "register.csv":
                self = .registerExport(segments[1], RegisterListQuery(query), RegisterTable(query), CSVForm(query))
            case "outcomes": self = .outcomes(segments[1], OutcomeListQuery(query))
            case "outcomes.csv":
                self = .outcomesExport(segments[1], OutcomeListQuery(query), OutcomeTable(query), CSVForm(query))
            case "cases.csv": self = .caseExport(segments[1], CaseListQuery(query), CSVForm(query))
            case "people": self = .people(segments[1])
            case "invitations": self = .invitations(segments[1])
            case "tokens": self = .tokens(segments[1])
            case "audit": self = .audit(segments[1], AuditListQuery(query))
            case "audit.csv": self = .auditExport(segments[1], AuditListQuery(query), CSVForm(query))
            case "checks": self = .checks(segments[1])
            case "alerts": self = .alerts(segments[1])
            case "channels": self = .channels(segments[1])
            default: return nil
            }
        case 5
        where segments[0] == "t" && ["people", "invitations", "tokens", "alerts", "channels"].contains(segments[2]):
            guard let id = UUID(uuidString: segments[3]) else { return nil }
            switch (segments[2], segments[4]) {
            case ("people", "role"): self = .memberRole(segments[1], id)
            case ("people", "removal"): self = .memberRemoval(segments[1], id)
            case ("invitations", "renewal"): self = .invitationRenewal(segments[1], id)
            case ("invitations", "withdrawal"): self = .invitationWithdrawal(segments[1], id)
            case ("tokens", "removal"): self = .tokenRemoval(segments[1], id)
            case ("channels", "state"): self = .channelState(segments[1], id)
            case ("channels", "test"): self = .channelTest(segments[1], id)
            case ("channels", "removal"): self = .channelRemoval(segments[1], id)
            case ("alerts", let name):
                guard let act = IncidentAct(rawValue: name) else { return nil }
                self = .incidentAct(segments[1], id, act)
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
        case 4 where segments[0] == "t" && segments[2] == "alerts" && segments[3] == "history":
            self = .alertHistory(segments[1], before: query.value("before").flatMap(IncidentCursor.init(text:)))
        case 5 where segments[0] == "t" && segments[2] == "apps" && segments[4] == "policy":
            self = .policy(segments[1], bundleID: segments[3], PolicyShown(query))
        case 5 where segments[0] == "t" && segments[2] == "apps" && segments[4] == "evidence":
            self = .evidence(segments[1], bundleID: segments[3], EvidenceShown(query))
        case 5 where segments[0] == "t" && segments[2] == "apps" && segments[4] == "consent":
            self = .consent(segments[1], bundleID: segments[3], ConsentShown(query))
        case 5 where segments[0] == "t" && segments[2] == "apps" && segments[4] == "consent.csv":
            self = .consentExport(segments[1], bundleID: segments[3], CSVForm(query))
        case 5 where segments[0] == "t" && segments[2] == "apps" && segments[4] == "import":
            self = .pastImport(segments[1], bundleID: segments[3])
        case 6 where segments[0] == "t" && segments[2] == "apps" && segments[4] == "policy" && segments[5] == "state":
            guard let id = query.value("replay").flatMap({ UUID(uuidString: $0) }) else { return nil }
            self = .policyState(segments[1], bundleID: segments[3], id)
        case 5 where segments[0] == "t" && segments[2] == "apps" && segments[4] == "customers":
            self = .customers(segments[1], bundleID: segments[3], customer: query.value("customer"))
        case 5 where segments[0] == "t" && segments[2] == "apps" && segments[4] == "costs":
            self = .productCosts(segments[1], bundleID: segments[3])
        case 5 where segments[0] == "t" && segments[2] == "cases":
            guard let id = UUID(uuidString: segments[3]) else { return nil }
            switch segments[4] {
            case "answer": self = .heldAnswer(segments[1], id)
            case "notes": self = .caseNote(segments[1], id)
            case "assignment": self = .caseAssignment(segments[1], id)
            case "customer": self = .caseCustomer(segments[1], id)
            case "bundle": self = .caseBundle(segments[1], id)
            default: return nil
            }
        case 5 where segments[0] == "t" && segments[2] == "apps" && segments[4] == "advanced-commerce":
            self = .commerceAccess(segments[1], bundleID: segments[3], done: CommerceAccessDone(query))
        case 6 where segments[0] == "t" && segments[2] == "apps" && segments[4] == "advanced-commerce":
            guard let part = CommerceAccessPart(rawValue: segments[5]) else { return nil }
            self = .commerceAccessPart(segments[1], bundleID: segments[3], part)
        case 4 where segments[0] == "t":
            guard let id = UUID(uuidString: segments[3]) else { return nil }
            switch segments[2] {
            case "cases": self = .refundCase(segments[1], id)
            case "notifications": self = .notification(segments[1], id)
            case "alerts": self = .incident(segments[1], id)
            case "channels": self = .channel(segments[1], id)
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

extension Site {
    /// What stands behind `/t/{slug}/commerce-requests`.
    private init?(commerce parts: ArraySlice<String>, of slug: String, _ query: QueryString) {
        guard let first = parts.first else {
            self = .commerceRequests(slug, CommerceListQuery(query))
            return
        }
        let next = parts.dropFirst().first
        switch (first, next) {
        case ("new", nil): self = .newCommerceRequest(slug, PurchaseQuery(query))
        case ("look-up", nil): self = .purchaseLookUp(slug)
        case ("preview", nil): self = .commercePreview(slug)
        default:
            guard let id = UUID(uuidString: first) else { return nil }
            switch next {
            case nil: self = .commerceRequest(slug, id)
            case "state": self = .commerceRequestState(slug, id)
            case "submission": self = .commerceSubmission(slug, id)
            case "approval": self = .commerceApproval(slug, id)
            case "withdrawal": self = .commerceWithdrawal(slug, id)
            default: return nil
            }
        }
    }
}
