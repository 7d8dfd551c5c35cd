import Tenants

/// Which app a line of a list is about, with a badge where it is about its Sandbox.
struct AppAndEnvironment {
    /// The tenant's apps, removed ones among them.
    let apps: [App]
    let app: AppID
    var isSandbox = false

    var html: HTML {
        span {
            apps.first { $0.id == app }?.label ?? "removed app"
            if isSandbox {
                " "
                Badge.sandbox.html
            }
        }
    }
}

extension App {
    /// Its name, and whether it is out of use.
    var label: String { isRemoved ? "\(name) (removed)" : name }
}
