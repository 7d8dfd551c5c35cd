import FoundationEssentials
import Refunds
import Tenants
import Time

/// Who may do what in a tenant, and who was invited.
struct PeoplePage {
    let frame: Frame
    let slug: String
    /// Who looks, and what they are.
    let me: PersonID
    let role: Role
    let members: [MemberLine]
    let invitations: [InvitationLine]
    /// The desk's own address.
    let origin: String
    /// Whether links are mailed.
    var hasMail = false
    let now: Moment
    /// Made or renewed just now.
    var made: NewInvitation?
    /// What came of mailing it.
    var mailed = InvitationPost.Outcome.noServer
    /// Why nothing was done.
    var trouble: String?
    var invited = Invited()

    /// What was typed, where it was not taken.
    struct Invited {
        var email = ""
        var role: Role?
        var error: String?
    }

    var html: HTML {
        Layout(frame, title: "People").console {
            PageHeader("People") { "Who signs in here, and what they may do." }.html
            if let trouble { Notice(.bad, "Nothing was changed.", more: trouble).html }
            if let made {
                LinkOnce(invitation: made, mailed: mailed, origin: origin, now: TimeText(made.expiresAt)).html
            }
            list
            if !invitations.isEmpty { open }
            invite
        }
    }

    private var list: HTML {
        DataTable(
            caption: "Members, owners first",
            columns: [
                .init("Person") { line in
                    strong { line.name ?? line.person.email }
                    if line.name != nil { span(.class("subtext")) { line.person.email } }
                    if line.person.id == me { span(.class("subtext")) { "you" } }
                },
                .init("Role") { line in role(of: line) },
                .init("Second factor") { line in
                    Badge(text: line.hasSecondFactor ? "Yes" : "No", tone: line.hasSecondFactor ? .good : .attention)
                        .html
                },
                .init("Last seen") { line in
                    if let seen = line.seenAt {
                        TimeText(seen).relativeHTML(to: now)
                    } else {
                        span(.class("quiet")) { "not lately" }
                    }
                },
                .init("Remove") { line in removal(of: line) },
            ], rows: members
        ).html
    }

    private func mayChange(_ line: MemberLine) -> Bool {
        MemberRules.mayChange(line.role, as: role) && !isLastOwner(line)
    }

    private func isLastOwner(_ line: MemberLine) -> Bool {
        line.role == .owner && members.count { $0.role == .owner } == 1
    }

    private func role(of line: MemberLine) -> HTML {
        guard mayChange(line) else {
            return span(.title(isLastOwner(line) ? "A tenant keeps one owner" : "")) { line.role.label }
        }
        return form(.class("row-form"), .post, .action(.memberRole(slug, line.person.id.rawValue))) {
            let id = "role-\(line.person.id.rawValue.uuidString.lowercased())"
            label(.class("unseen"), .for(id)) { "Role of \(line.person.email)" }
            select([.class("input"), .id(id), .name("role")]) {
                for role in MemberRules.grantable(by: role) {
                    option([.value(role.rawValue)] + (role == line.role ? [.selected] : [])) { role.label }
                }
            }
            button(.class("button"), .type("submit"), .ariaLabel("Change the role of \(line.person.email)")) {
                "Change"
            }
        }
    }

    private func removal(of line: MemberLine) -> HTML {
        guard mayChange(line) else { return span(.class("quiet")) { "–" } }
        return form(.post, .action(.memberRemoval(slug, line.person.id.rawValue))) {
            button(.class("button"), .type("submit"), .ariaLabel("Remove \(line.person.email)")) {
                line.person.id == me ? "Leave" : "Remove"
            }
        }
    }

    private var open: HTML {
        section(.class("panel"), .ariaLabelledBy("invitations")) {
            h2(.id("invitations")) { "Open invitations" }
            DataTable(
                caption: "Open invitations, newest first",
                columns: [
                    .init("Address") { line in
                        strong { line.email }
                        if let by = line.invitedBy { span(.class("subtext")) { "invited by \(by)" } }
                    },
                    .init("Role") { line in span { line.role.label } },
                    .init("Ends") { line in
                        if line.expiresAt <= now {
                            Badge(text: "Ended", tone: .attention).html
                        } else {
                            TimeText(line.expiresAt).relativeHTML(to: now)
                        }
                    },
                    .init("Link") { line in actions(on: line) },
                ], rows: invitations
            ).html
        }
    }

    private func actions(on line: InvitationLine) -> HTML {
        guard MemberRules.mayChange(line.role, as: role) else { return span(.class("quiet")) { "–" } }
        return div(.class("row-form")) {
            form(.post, .action(.invitationRenewal(slug, line.id))) {
                button(.class("button"), .type("submit"), .ariaLabel("New link for \(line.email)")) { "New link" }
            }
            form(.post, .action(.invitationWithdrawal(slug, line.id))) {
                button(.class("button"), .type("submit"), .ariaLabel("Withdraw the invitation of \(line.email)")) {
                    "Withdraw"
                }
            }
        }
    }

    private var invite: HTML {
        section(.class("panel"), .ariaLabelledBy("invite")) {
            h2(.id("invite")) { "Invite somebody" }
            p(.class("quiet")) {
                hasMail
                    ? "They are mailed a link, good once and for seven days. You see it too, once, in case it does not arrive."
                    : "You get a link, good once and for seven days, and give it to them yourself: this installation has no mail server."
            }
            form(.class("stack form-narrow"), .post, .action(.invitations(slug))) {
                Field(
                    "E-mail address", name: "email", error: invited.error, .type("email"), .value(invited.email),
                    .autocomplete("off"), .required, .maxlength(254)
                ).html
                Field(
                    "Role", name: "role",
                    choices: MemberRules.grantable(by: role).map { ($0.rawValue, "\($0.label): \($0.meaning)") },
                    selected: (invited.role ?? .support).rawValue
                ).html
                button(.class("button button-main"), .type("submit")) { "Make an invitation" }
            }
        }
    }
}
