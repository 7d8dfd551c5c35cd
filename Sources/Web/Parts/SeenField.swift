import Tenants

/// What a form of an app's settings shows, so that one which is older than somebody else's change is noticed.
struct SeenField {
    let app: App
    let form: App.Form

    init(_ app: App, _ form: App.Form) {
        self.app = app
        self.form = form
    }

    var html: HTML { input(.type("hidden"), .name("seen"), .value(app.mark(of: form))) }
}
