/// An answer that a person or a test has prepared for calls to come.
package struct ScriptedAnswer: Sendable {
    /// What happens to the answer on its way.
    package enum Ending: String, Sendable, CaseIterable {
        /// It is sent.
        case send
        /// The connection is closed instead.
        case reset
        /// Nothing is sent until the caller gives up.
        case hang
    }

    /// Calls that it is meant for; nil members match every call.
    package var method: String?
    package var pathContains: String?
    /// nil: the call is worked on as always, and only its answer is delayed, lost or left out. So an
    /// accepted call whose answer never arrives can be scripted.
    package var status: Int?
    /// With a status: the call is worked on first, and answered so all the same, as by a server that fails at the
    /// end.
    package var isWorked = false
    package var headers: [(name: String, value: String)] = []
    package var body: [UInt8] = []
    package var delay: Duration = .zero
    package var ending: Ending = .send
    /// How many calls it answers; nil: every one from now on.
    package var times: Int? = 1

    package init(
        status: Int? = nil, headers: [(name: String, value: String)] = [], body: [UInt8] = [],
        delay: Duration = .zero, ending: Ending = .send, times: Int? = 1, method: String? = nil,
        pathContains: String? = nil
    ) {
        self.status = status
        self.headers = headers
        self.body = body
        self.delay = delay
        self.ending = ending
        self.times = times
        self.method = method
        self.pathContains = pathContains
    }

    func isMeant(for method: String, _ path: String) -> Bool {
        (self.method == nil || self.method == method) && (pathContains.map { path.contains($0) } ?? true)
    }
}

extension ScriptedAnswer {
    /// An error answer in Apple's form.
    package static func error(_ code: Int64, _ message: String = "Scripted.", times: Int? = 1) -> ScriptedAnswer {
        let error = AppleError(code, message)
        return ScriptedAnswer(
            status: error.status, headers: [("Content-Type", "application/json")], body: error.json.bytes, times: times)
    }

    /// The bare 401 of a token that is not good (apple sheet 8.3).
    package static func unauthenticated(times: Int? = 1, pathContains: String? = nil) -> ScriptedAnswer {
        ScriptedAnswer(
            status: 401, headers: [("Content-Type", "text/plain")], body: Array("Unauthenticated\n".utf8), times: times,
            pathContains: pathContains)
    }
}
