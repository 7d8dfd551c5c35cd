/// The request line and the header, checked.
struct RequestHead {
    /// How the end of the body is known.
    enum Framing: Equatable {
        case none
        case length(Int)
        case chunked
    }

    let method: Method
    let target: String
    let path: String
    let segments: [String]
    let headers: HeaderFields
    let isVersion10: Bool
    let framing: Framing
    /// What the client wants; the server may still close.
    let keepsAlive: Bool
    let expectsContinue: Bool
}
