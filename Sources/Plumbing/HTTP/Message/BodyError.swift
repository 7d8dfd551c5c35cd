/// A body is not what its reader expects.
package struct BodyError: Error, Hashable, CustomStringConvertible {
    package enum Reason: Sendable, Hashable {
        /// Another media type than the one expected: 415.
        case wrongType
        /// Not well-formed: 400.
        case malformed
        /// More parts, or larger ones, than the reader takes: 413.
        case tooLarge
    }
    package let reason: Reason
    package let text: String

    package init(reason: Reason, text: String) {
        self.reason = reason
        self.text = text
    }

    package var status: Status {
        switch reason {
        case .wrongType: .unsupportedMediaType
        case .malformed: .badRequest
        case .tooLarge: .contentTooLarge
        }
    }
    package var description: String { text }
}
