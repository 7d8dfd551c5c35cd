import HTTP
import Time

/// The apps' own servers through the control API.
struct BackendControl: Sendable {
    let works: Works

    func routes(_ route: ControlRoom.MakeRoute) -> [Route] {
        [
            route(.put, "/control/backends/{bundleId}", put),
            route(.get, "/control/backends/{bundleId}", asked),
            route(.delete, "/control/backends/{bundleId}") { _, context in
                works.backends[context.parameter("bundleId")] = nil
                return .status(.noContent)
            },
        ]
    }

    private func put(_ request: Request, _ context: Context) async throws -> Response {
        let body = try ControlBody(request, allowed: ["mode", "status", "secret", "answers"])
        var backend = works.backends[context.parameter("bundleId")] ?? BackendBook.Backend()
        if let name = try body.string("mode") {
            guard let mode = BackendBook.Mode(rawValue: name) else {
                throw HTTPError(.badRequest, "mode is answer, silent or fail\n")
            }
            backend.mode = mode
        }
        if let status = try body.int("status", 200...599) { backend.status = Int(status) }
        if let secret = try body.string("secret") { backend.secret = secret.isEmpty ? nil : secret }
        if let answers = try body.object("answers") {
            backend.answers = [:]
            for member in answers.members { backend.answers[member.name] = member.value }
        }
        works.backends[context.parameter("bundleId")] = backend
        return try await asked(request, context)
    }

    private func asked(_ request: Request, _ context: Context) async throws -> Response {
        let bundleID = context.parameter("bundleId")
        guard let backend = works.backends[bundleID] else { return .text("no such backend\n", status: .notFound) }
        let asked = works.backends.asked(of: bundleID).map { asked -> JSON in
            [
                "at": .int(asked.at.milliseconds), "signed": asked.isSigned.map(JSON.bool) ?? .null,
                "id": asked.id.map(JSON.string) ?? .null, "body": .string(asked.body),
                "status": .int(Int64(asked.status)),
            ]
        }
        let answer: JSON = [
            "path": .string("/backend/\(bundleID)/evidence"), "mode": .string(backend.mode.rawValue),
            "checksSignatures": .bool(backend.secret != nil), "asked": .array(asked),
        ]
        return .json(answer.bytes)
    }
}
