import Crypto
package import Journal
package import Mail
package import Tenants
package import Time

/// Mails an invitation's link to whom it is for, once, while the page that made it waits.
///
/// No job of the queue does it: the link's secret part would have to be kept until then, and only its digest ever is.
/// Where it cannot be mailed, whoever invites sees the link all the same and gives it on.
package final class InvitationPost: Sendable {
    /// What came of it, for the page.
    package enum Outcome: Sendable, Hashable {
        case sent
        /// This installation has no mail server.
        case noServer
        /// Not taken, and why.
        case refused(String)
        /// It may have been taken: the server's last word is missing.
        case unclear(String)
    }

    /// A page waits for it, so it is short.
    package static let limits = MailClient.Limits(connect: .seconds(5), total: .seconds(8), waitingMax: 16)
    /// Nobody mails half the world in a tenant's name.
    static let mailsAnHour = 30

    private let mail: MailClient?
    private let bases: ChannelBases
    private let clock: WallClock
    private let budget = CallBudget(callsMax: mailsAnHour, per: .hours(1))

    /// - Parameter mail: with `limits`; nil where no mail server is set.
    package init(mail: MailClient?, bases: ChannelBases, clock: WallClock) {
        self.mail = mail
        self.bases = bases
        self.clock = clock
    }

    /// Whether a mail server is set.
    package var hasMail: Bool { mail != nil }

    /// - Parameters:
    ///   - link: the whole address of the page behind the invitation.
    ///   - tenant: whose invitation it is, by number and name.
    ///   - inviter: the address of who invites.
    package func send(
        _ invitation: NewInvitation, link: Redacted<String>, of tenant: TenantID, named name: String, by inviter: String
    ) async -> Outcome {
        guard let mail else { return .noServer }
        guard let to = MailAddress(invitation.email) else {
            return .refused("the address holds characters that a mail's envelope cannot have")
        }
        if budget.spend(1, of: "\(tenant.rawValue)", at: clock.now) != nil {
            return .refused(
                "\(Self.mailsAnHour) invitations were mailed within an hour, and more wait for the next one")
        }
        let left = "invitation.\(Random.token(bytes: 12))"
        guard let id = MessageID(left, at: bases.publicHost) ?? MessageID(left, at: "refund-desk.invalid") else {
            return .refused("no message ID can be made")
        }
        let message = MailMessage(
            to: to, subject: HeaderText("Invitation to \(name) at Refund Desk"),
            text: text(invitation, link: link, name: name, inviter: inviter), messageID: id)
        do throws(MailError) {
            try await mail.send(message)
            return .sent
        } catch {
            return error.kind == .timeout ? .unclear(error.text) : .refused(error.text)
        }
    }

    private func text(_ invitation: NewInvitation, link: Redacted<String>, name: String, inviter: String) -> String {
        """
        \(inviter) invites you to \(name) as \(invitation.role.rawValue).

        Open this link to look at the invitation and to accept it. It works once, until \(invitation.expiresAt.iso8601):

        \(link.reveal())

        It is for you alone: do not pass it on. If you expected nothing of the kind, do nothing.

        -- \("")
        Refund Desk, \(bases.publicURL)
        """
    }
}
