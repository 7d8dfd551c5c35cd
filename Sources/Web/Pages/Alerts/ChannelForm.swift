import HTTP
import Journal
import Refunds
import Tenants
import Time

/// A channel's form as it was filled in.
struct ChannelForm {
    var kind = ""
    var name = ""
    var target = ""
    var severity = Severity.error.rawValue
    var after = "0"
    var apps: Set<String> = []
    var quietFrom = ""
    var quietTo = ""
    var zone = "UTC"
    var language = AlertLanguage.english.rawValue
    /// Names of fields, and what is wrong with them; the empty name is about the whole.
    var errors: [String: String] = [:]

    init() {}

    init(_ channel: Channel, apps all: [App]) {
        kind = channel.kind.rawValue
        name = channel.name
        target = channel.target ?? ""
        severity = channel.severity.rawValue
        after = "\(channel.after.wholeMilliseconds / 60_000)"
        apps = Set(all.filter { channel.apps.contains($0.id) }.map(\.bundleID))
        quietFrom = channel.quiet.map { AlertWords.clock($0.from) } ?? ""
        quietTo = channel.quiet.map { AlertWords.clock($0.to) } ?? ""
        zone = channel.zone
        language = channel.language.rawValue
    }

    init(_ form: FormBody) {
        func text(_ name: String, _ max: Int) -> String {
            String((form.first(name) ?? "").filter { $0 != "\0" && !$0.isNewline }.prefix(max))
        }
        kind = text("kind", 40)
        name = text("name", 200)
        target = text("target", 4096)
        severity = text("severity", 20)
        after = text("after", 10)
        apps = Set(form.all("app").prefix(1000))
        quietFrom = text("quietFrom", 10)
        quietTo = text("quietTo", 10)
        zone = text("zone", 80)
        language = text("language", 20)
    }

    /// What was asked for; nil where something is wrong, which `errors` then says.
    ///
    /// - Parameter secret: as it was typed; empty: none.
    mutating func change(secret: String, apps all: [App]) -> ChannelChange? {
        guard let severity = Severity(rawValue: severity), severity > .info else {
            errors["severity"] = "Choose one of them."
            return nil
        }
        guard let minutes = Int64(after.isEmpty ? "0" : after), (0...1440).contains(minutes) else {
            errors["after"] = "From 0 to 1440 minutes."
            return nil
        }
        // A form of an older page has no such field: as it was.
        let spoken = AlertLanguage(rawValue: language)
        guard spoken != nil || language.isEmpty else {
            errors["language"] = "Choose one of them."
            return nil
        }
        let chosen = all.filter { apps.contains($0.bundleID) }
        guard chosen.count == apps.count else {
            errors["app"] = "Choose from what is offered."
            return nil
        }
        var quiet: QuietHours?
        if !quietFrom.isEmpty || !quietTo.isEmpty {
            guard let from = AlertWords.minutes(quietFrom), let to = AlertWords.minutes(quietTo),
                let hours = QuietHours(from: from, to: to, zone: zone)
            else {
                errors["quiet"] = "Two different times such as 22:00 and 06:00, and a time zone such as Europe/Berlin."
                return nil
            }
            quiet = hours
        }
        return ChannelChange(
            name: name, target: target.isEmpty ? nil : target, secret: secret.isEmpty ? nil : Redacted(secret),
            severity: severity, apps: Set(chosen.map(\.id)), after: .minutes(minutes), quiet: quiet,
            zone: zone.isEmpty ? "UTC" : zone, language: spoken)
    }
}
