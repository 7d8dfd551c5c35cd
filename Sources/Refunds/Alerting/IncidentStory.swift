package import FoundationEssentials
package import Time

/// An incident with all that happened to it and who was told.
package struct IncidentStory: Sendable, Hashable {
    package struct Event: Sendable, Hashable {
        package let at: Moment
        /// `opened`, `raised`, `lowered`, `acknowledged`, `snoozed`, `noted`, `closed`, `reopened`.
        package let kind: String
        /// What a person wrote, who they were, or a severity.
        package let detail: String
    }

    package struct Telling: Sendable, Hashable {
        package let channel: UUID
        package let channelName: String
        package let kind: ChannelKind?
        /// `trigger`, `reminder`, `acknowledged`, `resolved`, `test`.
        package let event: String
        /// `waiting`, `sent`, `failed`, `dropped`.
        package let state: String
        package let madeAt: Moment
        package let endedAt: Moment?
        package let attempts: Int
        /// The service's own words.
        package let answer: String?
    }

    package let incident: Incident
    package let events: [Event]
    package let tellings: [Telling]
}

/// Where a list of incidents goes on.
package struct IncidentCursor: Sendable, Hashable {
    package let openedAt: Moment
    package let id: UUID

    package init(openedAt: Moment, id: UUID) {
        self.openedAt = openedAt
        self.id = id
    }

    /// `1780000000000.<uuid>`, for an address; nil for anything else.
    package init?(text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let moment = Int64(parts[0]), moment >= 0, moment < 253_402_300_800_000,
            let id = UUID(uuidString: String(parts[1]))
        else { return nil }
        self.init(openedAt: Moment(milliseconds: moment), id: id)
    }

    package var text: String { "\(openedAt.milliseconds).\(id.text)" }
}

/// What the head of every page says about alerts.
package enum AlertLine: Sendable, Hashable {
    case calm
    /// Something critical is open: its title, and how many there are.
    case critical(title: String, count: Int)
    /// Whatever goes wrong, nobody is told.
    case nobodyIsTold
}
