/// Finds the route of a request: a tree of path parts, so that the number of routes costs nothing.
package struct Router: Sendable {
    /// What a path and a method lead to.
    enum Match {
        case found(Route, parameters: [String: String])
        /// The path exists, the method does not: with what would be allowed.
        case wrongMethod(allow: String, pattern: String, isSensitive: Bool)
        case nothing
    }

    private struct Node: Sendable {
        var literals: [String: Int] = [:]
        var parameter: Int?
        var routes: [Route] = []
    }

    private var nodes = [Node()]
    private var sensitiveFirstParts: Set<String> = []

    /// Answers what no route matches.
    package var notFound: Handler = { _, _ in .text("not found\n", status: .notFound) }
    /// Answers a path with a method it does not have; `Allow` is added.
    package var methodNotAllowed: Handler = { _, _ in .text("method not allowed\n", status: .methodNotAllowed) }

    /// Answers what no handler answers: a body too large, a path that cannot be decoded, a handler that threw.
    package typealias Refused = @Sendable (_ status: Status, _ text: String, _ path: String?) -> Response
    /// The path is nil where it could not be read. The answer's body is bytes.
    package var refused: Refused = { status, text, _ in .text(text + "\n", status: status) }

    /// Two routes of one method and one shape of path are a fault of ours.
    package init(_ routes: [Route]) {
        for route in routes { add(route) }
    }

    private mutating func add(_ route: Route) {
        var index = 0
        for part in route.parts {
            let next: Int?
            switch part {
            case .literal(let text): next = nodes[index].literals[text]
            case .parameter: next = nodes[index].parameter
            }
            if let next {
                index = next
                continue
            }
            nodes.append(Node())
            switch part {
            case .literal(let text): nodes[index].literals[text] = nodes.count - 1
            case .parameter: nodes[index].parameter = nodes.count - 1
            }
            index = nodes.count - 1
        }
        precondition(
            !nodes[index].routes.contains { $0.method == route.method },
            "\(route.method) \(route.pattern) is there twice")
        nodes[index].routes.append(route)
        if route.sensitive, case .literal(let first) = route.parts.first { sensitiveFirstParts.insert(first) }
    }

    /// The route for a path in parts. Literal parts win over parameters; HEAD is served by GET.
    func match(_ method: Method, _ segments: [String]) -> Match {
        var hasFinalSlash = false
        var parts = segments[...]
        if parts.last?.isEmpty == true {
            hasFinalSlash = true
            parts = parts.dropLast()
        }
        guard let node = find(parts, from: 0) else { return .nothing }
        let routes = nodes[node].routes
        let found =
            routes.first { $0.method == method } ?? (method == .head ? routes.first { $0.method == .get } : nil)
        if let found, !hasFinalSlash || found.trailingSlash {
            return .found(found, parameters: parameters(of: found, parts))
        }
        let allowed = routes.filter { !hasFinalSlash || $0.trailingSlash }
        guard let any = allowed.first, found == nil else { return .nothing }
        return .wrongMethod(
            allow: allow(allowed.map(\.method)), pattern: any.pattern, isSensitive: allowed.contains(where: \.sensitive)
        )
    }

    /// Whether paths that begin like this one may hold a secret, even where no route matches.
    func isSensitive(_ segments: [String]) -> Bool {
        segments.first.map(sensitiveFirstParts.contains) ?? false
    }

    private func find(_ parts: ArraySlice<String>, from node: Int) -> Int? {
        guard let part = parts.first else { return nodes[node].routes.isEmpty ? nil : node }
        if let next = nodes[node].literals[part], let found = find(parts.dropFirst(), from: next) { return found }
        guard !part.isEmpty, let next = nodes[node].parameter else { return nil }
        return find(parts.dropFirst(), from: next)
    }

    private func parameters(of route: Route, _ parts: ArraySlice<String>) -> [String: String] {
        var parameters: [String: String] = [:]
        for (part, value) in zip(route.parts, parts) {
            if case .parameter(let name) = part { parameters[name] = value }
        }
        return parameters
    }

    private func allow(_ methods: some Sequence<Method>) -> String {
        var names = Set(methods.map(\.name))
        if names.contains("GET") { names.insert("HEAD") }
        return names.sorted().joined(separator: ", ")
    }
}
