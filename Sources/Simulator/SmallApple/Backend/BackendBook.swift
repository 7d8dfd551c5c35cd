import Synchronization
import Time

/// The apps' own servers as this program plays them: how each answers, and what each was asked.
final class BackendBook: Sendable {
    enum Mode: String, Sendable, CaseIterable {
        /// With what it knows, or as scripted.
        case answer
        /// Never.
        case silent
        /// With a status and nothing else.
        case fail
    }

    struct Backend: Sendable {
        var mode = Mode.answer
        /// With `fail`.
        var status = 503
        /// `whsec_…`: what comes without its signature is answered 401. Nil: nothing is checked.
        var secret: String?
        /// The answers by product, `*` for any other; what is not scripted is made up.
        var answers: [String: JSON] = [:]
    }

    struct Asked: Sendable {
        let at: Moment
        let bundleID: String
        /// Nil: there is no secret to check with.
        let isSigned: Bool?
        let id: String?
        let body: String
        let status: Int
    }

    private struct State {
        var backends: [String: Backend] = [:]
        var asked: [Asked] = []
    }

    /// Older questions are forgotten.
    static let askedMax = 1000
    private let state = Mutex(State())

    subscript(bundleID: String) -> Backend? {
        get { state.withLock { $0.backends[bundleID] } }
        set { state.withLock { $0.backends[bundleID] = newValue } }
    }

    func note(_ asked: Asked) {
        state.withLock { state in
            state.asked.append(asked)
            if state.asked.count > Self.askedMax { state.asked.removeFirst() }
        }
    }

    func asked(of bundleID: String) -> [Asked] { state.withLock { $0.asked.filter { $0.bundleID == bundleID } } }
}
