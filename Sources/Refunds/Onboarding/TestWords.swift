import AppStore
package import Time

/// What became of a TEST notification, in words.
package struct TestWords: Sendable, Hashable {
    package let state: ReadinessItem.State
    /// One sentence that stands alone.
    package let summary: String
    /// What to do; nil where nothing is to be done.
    package let advice: String?

    package init(state: ReadinessItem.State, summary: String, advice: String? = nil) {
        self.state = state
        self.summary = summary
        self.advice = advice
    }

    /// - Parameter isRehearsal: asked of a simulator, whose two environments are one for people.
    package init(_ test: TestNotification, at now: Moment, isRehearsal: Bool = false) {
        let environment = isRehearsal ? "rehearsal" : test.environment
        let asked = isRehearsal ? "The simulator" : "Apple"
        switch test.state {
        case .arrived:
            let took = test.took.map { " \(Self.time($0)) after it was asked for" } ?? ""
            self.init(state: .done, summary: "The \(environment) test notification arrived\(took).")
        case .asked:
            self.init(
                state: .todo,
                summary:
                    "\(asked) was asked for a \(environment) test notification \(Self.time(now - test.askedAt)) ago.",
                advice: test.sendAttemptResult == SendAttemptResult.success.rawValue
                    ? Self.deliveredElsewhere(isRehearsal) : nil)
        case .refused: self = isRehearsal ? Self.refusedInRehearsal(test) : Self.refused(test, environment)
        case .notArrived: self = Self.notArrived(test, environment, isRehearsal: isRehearsal)
        }
    }

    private static func deliveredElsewhere(_ isRehearsal: Bool) -> String {
        isRehearsal
            ? "The simulator delivered it and was answered with success, but not by this address. Compare the URL it was given with the one shown here, to the last character."
            : "Apple delivered it and was answered with success, but not by this address. The URL in App Store Connect belongs to another server: compare it with the one shown here, to the last character."
    }

    /// The same of a simulator, which knows no App Store Connect.
    private static func refusedInRehearsal(_ test: TestNotification) -> TestWords {
        if test.appleCode == ServerAPIError.serverNotificationURLNotFound.rawValue {
            return TestWords(
                state: .trouble, summary: "The simulator has no notification URL for this app.",
                advice: "Register the app there again, with the URL shown here.")
        }
        switch test.status {
        case 401:
            return TestWords(
                state: .trouble, summary: "The simulator refused the key, so it sent no test notification.",
                advice: "Try the key first; it says what is left to check.")
        case 429:
            return TestWords(
                state: .todo, summary: "The simulator allows one test notification a second, as Apple does.",
                advice: "Wait a moment and send another one.")
        case nil:
            return TestWords(
                state: .trouble, summary: "The simulator could not be reached to ask for a test notification.",
                advice: test.detail.isEmpty ? nil : test.detail)
        case let status?:
            return TestWords(
                state: .trouble,
                summary:
                    "The simulator did not take the request for a test notification (\(status)\(test.appleCode.map { ", code \($0)" } ?? "")).",
                advice: test.detail.isEmpty ? "Try again." : test.detail)
        }
    }

    private static func refused(_ test: TestNotification, _ environment: String) -> TestWords {
        if test.appleCode == ServerAPIError.serverNotificationURLNotFound.rawValue {
            return TestWords(
                state: .trouble, summary: "Apple has no notification URL for \(environment).",
                advice:
                    "In App Store Connect open the app, App Information, App Store Server Notifications, enter the URL shown here for \(environment), choose version 2, and save."
            )
        }
        switch test.status {
        case 401:
            return TestWords(
                state: .trouble, summary: "Apple refused the key, so it sent no \(environment) test notification.",
                advice: "Try the key first; it says what is left to check.")
        case 429:
            return TestWords(
                state: .todo, summary: "Apple allows one test notification a second, and fewer in Sandbox.",
                advice: "Wait a moment and send another one.")
        case nil:
            return TestWords(
                state: .trouble, summary: "Apple could not be reached to ask for a \(environment) test notification.",
                advice: test.detail.isEmpty ? nil : test.detail)
        case let status?:
            return TestWords(
                state: .trouble,
                summary:
                    "Apple did not take the request for a \(environment) test notification (\(status)\(test.appleCode.map { ", code \($0)" } ?? "")).",
                advice: test.detail.isEmpty ? "Try again in a few minutes." : test.detail)
        }
    }

    private static func notArrived(
        _ test: TestNotification, _ environment: String, isRehearsal: Bool
    ) -> TestWords {
        let asked = isRehearsal ? "The simulator" : "Apple"
        guard let raw = test.sendAttemptResult else {
            return TestWords(
                state: .trouble,
                summary:
                    "The \(environment) test notification did not arrive, and \(isRehearsal ? "the simulator" : asked) reports no attempt to send it.",
                advice: test.detail.isEmpty ? "Send another one." : "\(test.detail) Send another one.")
        }
        let later =
            test.isSandbox && !isRehearsal ? " Apple tries once in Sandbox: send another test after the repair." : ""
        let summary = "\(asked) could not deliver the \(environment) test notification: "
        guard let known = SendAttemptResult(rawValue: raw) else {
            return TestWords(
                state: .trouble, summary: summary + "it reports \(raw).",
                advice: "This result is newer than this program: look it up in Apple's documentation." + later)
        }
        if known == .success {
            return TestWords(
                state: .trouble, summary: "The \(environment) test notification went to another server.",
                advice: deliveredElsewhere(isRehearsal))
        }
        let (what, advice) = words(known)
        return TestWords(state: .trouble, summary: summary + what, advice: advice + later)
    }

    /// For each of Apple's results what happened, and what to do. `success` has words of its own.
    static func words(_ result: SendAttemptResult) -> (what: String, advice: String) {
        switch result {
        case .success: ("it was delivered.", deliveredElsewhere(false))
        case .timedOut:
            (
                "the server did not answer in time.",
                "Check that the address leads here without a detour, and that nothing in front of this desk holds requests back."
            )
        case .tlsIssue:
            (
                "no safe connection could be made.",
                "The certificate must be valid, for this name, complete with its intermediates, and issued by a well-known authority; TLS 1.2 or newer must be on."
            )
        case .circularRedirect:
            (
                "the address redirects in a circle.",
                "Enter the final address: a notification must be answered where it is posted, without a redirect."
            )
        case .noResponse:
            (
                "no answer came from the address.",
                "Check that the name resolves on the public Internet and that the firewall lets Apple's network 17.0.0.0/8 in."
            )
        case .socketIssue:
            (
                "no connection could be made, or it broke.",
                "Check that the port is open to Apple's network 17.0.0.0/8 and that the server is running."
            )
        case .unsupportedCharset:
            (
                "the answer was in a character set that Apple does not read.",
                "Something in front of this desk answers in its place: this desk's answers have no text."
            )
        case .invalidResponse:
            (
                "the answer was no proper HTTP.",
                "Something in front of this desk answers in its place, or the port speaks another protocol."
            )
        case .prematureClose:
            (
                "the connection was closed before the answer was complete.",
                "Check the proxy in front of this desk: its time-outs, and whether it was restarting."
            )
        case .unsuccessfulHTTPResponseCode:
            (
                "the server answered with an error.",
                "If the address is right, look at the refused deliveries of this app; else the request does not reach this desk: compare the URL, to the last character."
            )
        case .other:
            ("Apple names no cause.", "Send another one; if it stays so, look at what stands in front of this desk.")
        }
    }

    private static func time(_ duration: Duration) -> String {
        let milliseconds = max(0, duration.wholeMilliseconds)
        return milliseconds < 1000 ? "less than a second" : ProbeVerdict.span(duration)
    }
}
