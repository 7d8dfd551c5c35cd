import Journal
import Tenants

extension Counters {
    /// Counts one thing of an app; a rehearsal's is in no total.
    func count(_ name: String, _ labels: Labels, of app: App, help: String) {
        if !app.isRehearsal { add(name, 1, labels, help: help) }
    }
}
