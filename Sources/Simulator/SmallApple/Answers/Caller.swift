import HTTP
import Time

/// A call whose token was good, as the endpoints see it.
struct Caller: Sendable {
    let app: RegisteredApp
    let environment: StoreEnvironment
    let parameters: [String: String]
    let query: QueryString
    let body: [UInt8]
    let now: Moment

    func parameter(_ name: String) -> String { parameters[name] ?? "" }
}
