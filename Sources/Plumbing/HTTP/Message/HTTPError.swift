/// Thrown by a handler to end a request with an answer of its choice.
package struct HTTPError: Error, CustomStringConvertible {
    package let status: Status
    /// Shown to the caller.
    package let text: String
    package let headers: HeaderFields

    package init(_ status: Status, _ text: String, headers: HeaderFields = [:]) {
        self.status = status
        self.text = text
        self.headers = headers
    }

    package var description: String { "\(status): \(text)" }
}
