import HTTP

/// What is wrong with a call, as RFC 9457 writes it.
struct Problem: Error, Equatable {
    let status: Status
    /// For the person who wrote the caller.
    let detail: String
    /// The member or parameter it is about.
    var member: String?
    var headers: [String: String] = [:]

    init(_ status: Status, _ detail: String, member: String? = nil, headers: [String: String] = [:]) {
        self.status = status
        self.detail = detail
        self.member = member
        self.headers = headers
    }

    static func bad(_ detail: String, member: String? = nil) -> Problem {
        Problem(.badRequest, detail, member: member)
    }

    static func notFound(_ detail: String) -> Problem { Problem(.notFound, detail) }

    var response: Response {
        let body = JSON.members([
            ("type", .string("about:blank")), ("title", .string(status.reason)), ("status", .int(status.code)),
            ("detail", .string(detail)), ("member", member.map(JSON.string)),
        ])
        var response = Response(
            status, headers: ["Content-Type": "application/problem+json", "Cache-Control": "no-store"],
            body: .bytes(body.bytes))
        for (name, value) in headers { response.headers.set(name, value) }
        return response
    }
}
