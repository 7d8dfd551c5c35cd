import Refunds
import Time

/// How incidents and channels are called on pages.
enum AlertWords {
    static func tone(_ severity: Severity) -> Tone {
        switch severity {
        case .info: .plain
        case .warning: .attention
        case .error, .critical: .bad
        }
    }

    static func badge(_ severity: Severity) -> Badge {
        Badge(text: Words.sentence(severity.rawValue), tone: tone(severity))
    }

    static let severities: [(value: String, text: String)] = [
        ("critical", "critical alone: money is lost within hours"),
        ("error", "error and worse: replies fail, time is left"),
        ("warning", "warning and worse: everything that wants a look"),
    ]

    /// How long an incident may be put off, in minutes.
    static let snoozes: [(value: String, text: String)] = [
        ("30", "30 minutes"), ("120", "2 hours"), ("480", "8 hours"), ("1440", "a day"),
    ]

    static func event(_ kind: String) -> String {
        switch kind {
        case "opened": "Opened"
        case "raised": "Got worse"
        case "lowered": "Got better"
        case "acknowledged": "Acknowledged"
        case "snoozed": "Snoozed"
        case "noted": "Note"
        case "closed": "Closed by itself: its cause is gone"
        case "reopened": "Came back"
        default: kind
        }
    }

    static func telling(_ event: String) -> String {
        switch event {
        case "trigger": "called"
        case "reminder": "told again"
        case "acknowledged": "told that somebody is at it"
        case "resolved": "told that it is over"
        case "test": "tested"
        case "confirm": "asked to confirm"
        default: event
        }
    }

    static func state(_ state: String) -> Badge {
        switch state {
        case "sent": Badge(text: "Taken", tone: .good)
        case "waiting": Badge(text: "Being sent", tone: .active)
        case "failed": Badge(text: "Not taken", tone: .bad)
        default: Badge(text: "Not sent", tone: .plain)
        }
    }

    static func standing(_ channel: Channel) -> Badge {
        if !channel.isConfirmed { return Badge(text: "Not confirmed", tone: .attention) }
        if channel.isOff { return Badge(text: "Switched off", tone: .bad) }
        if channel.failures > 0 { return Badge(text: "Fails", tone: .bad) }
        return channel.lastSuccessAt == nil
            ? Badge(text: "Never used", tone: .plain) : Badge(text: "Works", tone: .good)
    }

    /// "22:00" of minutes after midnight.
    static func clock(_ minutes: Int) -> String {
        let (hour, minute) = minutes.quotientAndRemainder(dividingBy: 60)
        return (hour < 10 ? "0" : "") + "\(hour):" + (minute < 10 ? "0" : "") + "\(minute)"
    }

    /// Minutes after midnight of "22:00".
    static func minutes(_ text: String) -> Int? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, let hour = Int(parts[0]), let minute = Int(parts[1]), (0..<24).contains(hour),
            (0..<60).contains(minute), parts.allSatisfy({ (1...2).contains($0.count) })
        else { return nil }
        return hour * 60 + minute
    }
}
