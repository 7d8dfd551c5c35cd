/// A request method. Names are case-sensitive: `get` is not GET.
package enum Method: Sendable, Hashable, CustomStringConvertible {
    case get, head, post, put, delete, patch, options
    case other(String)

    package init(_ name: String) {
        switch name {
        case "GET": self = .get
        case "HEAD": self = .head
        case "POST": self = .post
        case "PUT": self = .put
        case "DELETE": self = .delete
        case "PATCH": self = .patch
        case "OPTIONS": self = .options
        default: self = .other(name)
        }
    }

    package var name: String {
        switch self {
        case .get: "GET"
        case .head: "HEAD"
        case .post: "POST"
        case .put: "PUT"
        case .delete: "DELETE"
        case .patch: "PATCH"
        case .options: "OPTIONS"
        case .other(let name): name
        }
    }

    package var description: String { name }
}
