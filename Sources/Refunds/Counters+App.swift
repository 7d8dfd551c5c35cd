import Journal
import Tenants

extension Counters {
    /// Counts what happened to an app; a rehearsal's is in no total.
    func count(_ name: String, _ labels: Labels, by amount: Int = 1, of app: App, help: String) {
        if !app.isRehearsal { add(name, Double(amount), labels, help: help) }
    }
}
