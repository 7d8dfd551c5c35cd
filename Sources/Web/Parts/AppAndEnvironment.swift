import Tenants

/// Which app a line of a list is about, with a badge where it is about its Sandbox or a rehearsal.
struct AppAndEnvironment {
    /// The tenant's apps, removed ones among them.
    let apps: [App]
    let app: AppID
    var isSandbox = false

    var html: HTML {
        let known = apps.first { $0.id == app }
        return span {
            known?.label ?? "removed app"
            if let badge = Badge.environment(isRehearsal: known?.isRehearsal ?? false, isSandbox: isSandbox) {
                " "
                badge.html
            }
        }
    }
}

/// The choice of environments above a list, and what it means.
enum EnvironmentChoice {
    static let production = "Production"
    static let sandbox = "Sandbox"
    /// Whatever a simulator calls them, for people a rehearsal is neither of Apple's environments.
    static let rehearsal = "Rehearsal"

    /// With "Rehearsal" where there is such an app.
    static func field(_ apps: [App], selected: String?) -> Field {
        let hasRehearsal = selected == rehearsal || apps.contains(where: \.isRehearsal)
        let names = [production, sandbox] + (hasRehearsal ? [rehearsal] : [])
        return Field(
            "Environment", name: "environment",
            choices: [("", hasRehearsal ? "All" : "Both")] + names.map { ($0, $0) }, selected: selected)
    }

    /// The name itself; nil for one that means nothing.
    static func checked(_ text: String) -> String? { [production, sandbox, rehearsal].contains(text) ? text : nil }

    /// Which of Apple's environments is meant; nil: both.
    static func isSandbox(_ environment: String?) -> Bool? {
        environment == sandbox ? true : environment == production ? false : nil
    }
}

extension App {
    /// Its name, and whether it is out of use.
    var label: String { isRemoved ? "\(name) (removed)" : name }

    /// Whether a list that is narrowed to this app and this environment holds lines of it.
    func isListed(app: String?, environment: String? = nil) -> Bool {
        guard app == nil || bundleID == app else { return false }
        return environment == nil || isRehearsal == (environment == EnvironmentChoice.rehearsal)
    }
}
