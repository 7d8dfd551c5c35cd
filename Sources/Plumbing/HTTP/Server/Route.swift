/// Answers a request. Runs on the loop of its connection: it must not block.
package typealias Handler = @Sendable (Request, Context) async throws -> Response

/// One method at one pattern of paths.
package struct Route: Sendable {
    package let method: Method
    package let pattern: String
    /// Bytes; a larger body is 413.
    package let bodyMax: Int
    /// A final slash is the same address: no redirect, no 404.
    package let trailingSlash: Bool
    /// The path holds a secret: the access log prints the pattern alone.
    package let sensitive: Bool
    /// The body holds a secret: it is overwritten when the handler has returned, so nothing of it may be
    /// kept or lent to the answer. What the handler made of it, such as the texts of a form, is its own.
    package let secretBody: Bool
    package let handler: Handler
    let parts: [Part]

    /// - Parameter pattern: `/t/{slug}/cases/{id}`: a name in braces takes one whole part that is
    ///   not empty.
    package init(
        _ method: Method, _ pattern: String, bodyMax: Int = 64 * 1024, trailingSlash: Bool = false,
        sensitive: Bool = false, secretBody: Bool = false, _ handler: @escaping Handler
    ) {
        precondition(pattern.hasPrefix("/"), "a pattern begins with a slash")
        self.method = method
        self.pattern = pattern
        self.bodyMax = bodyMax
        self.trailingSlash = trailingSlash
        self.sensitive = sensitive
        self.secretBody = secretBody
        self.handler = handler
        parts = Self.parts(of: pattern)
    }

    enum Part: Equatable {
        case literal(String)
        case parameter(String)
    }

    private static func parts(of pattern: String) -> [Part] {
        pattern.split(separator: "/").map { part in
            part.hasPrefix("{") && part.hasSuffix("}")
                ? .parameter(String(part.dropFirst().dropLast())) : .literal(String(part))
        }
    }
}
