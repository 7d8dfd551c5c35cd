package import Tenants
package import Time

/// Notifications come from an environment that the app was set up without.
///
/// They are genuine and asked for an answer, so they are taken and answered like all others: the setting says what
/// is tried and missed, never what is lost. But one of the two is wrong: the setting, or the URL at Apple.
package struct StrayEnvironment: Sendable, Hashable {
    /// What is older was another time.
    private static let remembered = Duration.days(30)

    package let environment: AppEnvironment
    package let lastAt: Moment

    /// Nil where all that arrived lately was to be expected. A rehearsal has no such setting.
    package init?(of app: App, heard: PerEnvironment<Moment>, at now: Moment) {
        guard !app.isRehearsal else { return nil }
        let strays = AppEnvironment.allCases.filter { !app.environments.contains($0) }
        guard let environment = strays.first, let last = heard[isSandbox: environment == .sandbox],
            last > now - Self.remembered
        else { return nil }
        self.environment = environment
        lastAt = last
    }

    /// - Parameter name: of the app.
    package func words(of name: String) -> String {
        "\(name) is set up without \(environment.rawValue), and notifications arrive from there, the last at \(lastAt.iso8601). They are taken and answered all the same."
    }

    package var advice: String {
        switch environment {
        case .production: "If the app is on sale by now, set it to Production and Sandbox."
        case .sandbox:
            "Set the app to Production and Sandbox, or remove the URL for Sandbox in App Store Connect."
        }
    }
}
