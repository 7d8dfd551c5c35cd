/// The rules by which something becomes an incident. Names never change: dedup keys, runbooks and dashboards hold them.
package enum IncidentRule: String, Sendable, CaseIterable {
    case repliesFailing = "replies-failing"
    case deadlineAtRisk = "deadline-at-risk"
    case deadlineMissed = "deadline-missed"
    case credentialsRefused = "credentials-refused"
    case keyAbsent = "key-absent"
    case sealedUnreadable = "sealed-unreadable"
    case commerceAddendumRefused = "commerce-addendum-refused"
    case commerceFailing = "commerce-failing"
    case notificationsRefused = "notifications-refused"
    case appleSilent = "apple-silent"
    case historyGap = "history-gap"
    case queueOld = "queue-old"
    case workerStuck = "worker-stuck"
    case databaseSlow = "database-slow"
    case databaseUnreachable = "database-unreachable"
    case databaseFull = "database-full"
    case clockOff = "clock-off"
    case revocationUnreachable = "revocation-unreachable"
    case diskFull = "disk-full"
    case certificateEnding = "certificate-ending"
    case masterKeyMissing = "master-key-missing"
    case relayFailing = "relay-failing"
    case callbackFailing = "callback-failing"
    case consentMissing = "consent-missing"
    case consentRescinded = "consent-rescinded"
    case reasonDrift = "reason-drift"
    case channelFailing = "channel-failing"
    case noChannel = "no-channel"

    /// Quiet hours and snoozing never hold it back: a deadline does not wait for the morning.
    package var isDeadline: Bool { self == .deadlineAtRisk || self == .deadlineMissed }

    /// Told as part of another open incident that explains it.
    package var isFoldable: Bool { isDeadline || self == .repliesFailing }

    /// About the installation, which belongs to no tenant.
    package var isOfInstallation: Bool {
        HouseRules.looked.contains(self) || self == .databaseUnreachable || self == .channelFailing
    }

    /// Explains why replies do not go out.
    package var isCauseOfDelay: Bool {
        switch self {
        case .repliesFailing, .credentialsRefused, .keyAbsent, .sealedUnreadable, .queueOld, .workerStuck,
            .databaseUnreachable, .databaseFull, .clockOff, .masterKeyMissing:
            true
        default: false
        }
    }

    /// What the list of rules says about it.
    package var words: String {
        switch self {
        case .repliesFailing: "Calls of Send Consumption Information fail again and again."
        case .deadlineAtRisk: "A refund request has no answer yet, and its twelve hours end soon."
        case .deadlineMissed: "A refund request ended without our answer."
        case .credentialsRefused: "Apple refuses the key that signs, and no other key is accepted."
        case .keyAbsent: "An app has no key that could sign."
        case .sealedUnreadable: "A sealed key or address does not open."
        case .commerceAddendumRefused:
            "Apple refuses Advanced Commerce calls, perhaps for want of the addendum; the queue is stopped."
        case .commerceFailing: "Refunds and revocations that were asked for fail."
        case .notificationsRefused: "More notifications than usual are refused: forged, for another app, or version 1."
        case .appleSilent: "An app's notifications stopped, and a TEST notification does not arrive either."
        case .historyGap: "Apple's notification history lists what never arrived here."
        case .queueOld: "Work waits much longer than it should."
        case .workerStuck: "Work was claimed and not finished in its time."
        case .databaseSlow: "The database answers slowly."
        case .databaseUnreachable: "The database does not answer."
        case .databaseFull: "The database takes no more data, or soon will not."
        case .clockOff: "Our clock and Apple's disagree."
        case .revocationUnreachable: "Whether certificates are revoked cannot be looked up."
        case .diskFull: "A disk of this machine is nearly full."
        case .certificateEnding: "The certificate of the public address ends soon, or is not right."
        case .masterKeyMissing: "There is no master key: no key can be opened."
        case .relayFailing: "An app's other receiver does not take its notifications."
        case .callbackFailing: "An app's server does not answer when it is asked about refund requests."
        case .consentMissing: "Most refund requests stay unanswered because nobody told of the customers' consent."
        case .consentRescinded:
            "Apple told that a parent withdrew consent: replies about what was bought are stopped until a person decides."
        case .reasonDrift: "Customers give one reason far more often than before."
        case .channelFailing: "A channel does not take our messages."
        case .noChannel: "There is no channel: nobody would be told."
        }
    }
}
