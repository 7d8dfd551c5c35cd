/// The unguessable address at which one app's notifications arrive.
package struct Inbox: Hashable, Sendable {
    package let app: App
    package let inboxID: Int64

    package init(app: App, inboxID: Int64) {
        self.app = app
        self.inboxID = inboxID
    }
}
