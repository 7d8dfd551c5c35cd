import Time

/// What a rule has to say, before any language: which sentence, and what stands in it.
///
/// Kept with its incident as JSON: names are added to and never change. Texts in it are other people's words or names, and stay
/// as they are in each language.
package enum IncidentSentence: Sendable, Hashable, Codable {
    case credentialsRefused(key: String, apps: [String], waiting: WaitingRequests)
    case keyAbsent(app: String, waiting: WaitingRequests)
    case sealedUnreadable(subject: String, isKey: Bool, step: String)
    /// Our clock minus Apple's.
    case clockOff(offsetSeconds: Int64)
    case repliesFailing(app: String, said: String, waiting: WaitingRequests)
    case deadlineAtRisk(app: String, count: Int, leftSeconds: Int64)
    case deadlineMissed(app: String, count: Int)
    case commerceStopped(app: String, said: String, waiting: Int)
    case commerceFailing(app: String, count: Int, newest: String)
    case notificationsRefused(app: String, count: Int, reason: String)
    case versionOneArrives(app: String)
    /// - `why`: why no TEST notification could be asked for; nil where one was, and did not arrive.
    case appleSilent(app: String, sinceMilliseconds: Int64, gapSeconds: Int64, why: String?)
    /// - `said`: what Apple answered.
    case historyUnread(app: String, said: String)
    case historyFetched(app: String, count: Int)
    case relayFailing(app: String, said: String, waiting: Int)
    /// - Parameter without: requests that were answered without what it knows, or were not answered.
    case callbackFailing(app: String, said: String, without: Int)
    case consentMissing(app: String, without: Int, requests: Int)
    case consentRescinded(app: String, count: Int)
    case reasonDrift(app: String, reason: String, place: DriftPlace, count: Int, usual: Double)
    case developerIssues(app: String, place: DriftPlace, count: Int, usual: Double)
    case channelFailing(name: String, kind: String, isOff: Bool, said: String)
    /// Many at once, and what the first of them says.
    case channelsFailing(count: Int, name: String, kind: String, isOff: Bool, said: String)
    case noChannel
    case noChannelWorks
    case queueOld(waitedSeconds: Int64, ready: Int)
    case workerStuck(count: Int)
    case databaseSlow(milliseconds: Int64)
    /// - `detail`: what the database said; may be empty.
    case databaseFull(detail: String)
    case databaseFilling(usedBytes: Int64, sizeBytes: Int64)
    case databaseUnreachable(detail: String)
    case masterKeyMissing(host: String)
    case revocationUnreachable(host: String, sinceMilliseconds: Int64)
    case diskFull(host: String, path: String, freeBytes: Int64, sizeBytes: Int64)
    case certificateRefused(fault: String)
    case certificateEnding(endsMilliseconds: Int64)
}

/// Refund requests that nobody has answered yet.
package struct WaitingRequests: Sendable, Hashable, Codable {
    package let count: Int
    /// Until the first of their deadlines; negative when it is over, nil where none waits.
    package let leftSeconds: Int64?

    package init(count: Int, leftSeconds: Int64?) {
        self.count = count
        self.leftSeconds = leftSeconds
    }
}

/// Where a reason is given more often than before.
package enum DriftPlace: Sendable, Hashable, Codable {
    case product(String)
    /// The build that Apple named with the notification.
    case version(String)
    /// ISO 3166-1, three letters.
    case storefront(String)
    /// All over the app.
    case wholeApp
}

/// Everything that is said of an incident: the sentence of its rule, and those of what it explains.
package struct IncidentWords: Sendable, Hashable, Codable {
    package var sentence: IncidentSentence
    /// Symptoms that stand under it, whose effects are told with its own.
    package var explained: [IncidentSentence] = []
    /// From 2 on it speaks for so many findings of its rule, of which it is the first.
    package var count = 1

    package init(_ sentence: IncidentSentence) { self.sentence = sentence }

    package func said(by wording: any Wording) -> SaidOfIncident {
        var said = wording.said(sentence)
        if count > 1 { said.title += wording.andMore(count - 1) }
        said.effect = ([said.effect] + explained.map { wording.said($0).effect }).filter { !$0.isEmpty }
            .joined(separator: " ")
        return said
    }

    package func said(in language: AlertLanguage, zone: String) -> SaidOfIncident {
        said(by: language.wording(zone: zone))
    }
}

/// Three sentences in one language.
package struct SaidOfIncident: Sendable, Hashable {
    package var title: String
    package var effect: String
    package var firstStep: String

    package init(_ title: String, _ effect: String, _ firstStep: String) {
        self.title = title
        self.effect = effect
        self.firstStep = firstStep
    }
}
