import Crypto
import HTTP
import Time

/// The ledger, the script and the traffic through the control API.
struct WatchControl: Sendable {
    let works: Works
    let traffic: Traffic

    func routes(_ route: ControlRoom.MakeRoute) -> [Route] {
        [
            route(.get, "/control/calls", calls),
            route(.delete, "/control/calls") { _, _ in
                works.ledger.forget()
                return .status(.noContent)
            },
            route(.post, "/control/answers", script), route(.get, "/control/answers", scripted),
            route(.delete, "/control/answers") { _, _ in
                for environment in StoreEnvironment.allCases { works.script.clear(environment) }
                return .status(.noContent)
            },
            route(.post, "/control/traffic", startTraffic),
            route(.get, "/control/traffic") { _, _ in .json(report.bytes) },
            route(.delete, "/control/traffic") { _, _ in
                traffic.stop()
                return .json(report.bytes)
            },
        ]
    }

    // MARK: Ledger

    private func calls(_ request: Request, _ context: Context) async throws -> Response {
        let after = request.query.first("after").flatMap { Int($0) } ?? 0
        let limit = max(1, min(10_000, request.query.first("limit").flatMap { Int($0) } ?? 1000))
        let environment = request.query.first("environment")
        let part = request.query.first("path")
        let wanted = works.ledger.calls.filter { call in
            call.number > after && (environment == nil || call.environment.rawValue == environment)
                && (part.map { call.path.contains($0) } ?? true)
        }
        let page = wanted.prefix(limit)
        return .json(
            JSON.object([
                "received": .int(works.ledger.received), "hasMore": .bool(wanted.count > page.count),
                "calls": .array(page.map(\.json)),
            ]).bytes)
    }

    // MARK: Script

    private func script(_ request: Request, _ context: Context) async throws -> Response {
        let body = try ControlBody(request, allowed: ["environment", "answers"])
        var answers: [ScriptedAnswer] = []
        for value in try body.array("answers") ?? [] { answers.append(try answer(value)) }
        guard !answers.isEmpty else { throw HTTPError(.badRequest, "answers is missing or empty\n") }
        let environments = body.value("environment") == nil ? StoreEnvironment.allCases : [try body.environment()]
        for environment in environments { works.script.add(answers, in: environment) }
        return .json(waiting.bytes, status: .created)
    }

    private func answer(_ value: JSON) throws(HTTPError) -> ScriptedAnswer {
        let body = try ControlBody(
            value,
            allowed: [
                "status", "headers", "body", "delayMilliseconds", "ending", "times", "method", "pathContains",
                "errorCode", "worked",
            ])
        var answer = ScriptedAnswer()
        if let code = try body.int("errorCode", 4_000_000...5_999_999) { answer = .error(code) }
        if let status = try body.int("status", 200...599) { answer.status = Int(status) }
        answer.isWorked = try body.bool("worked") ?? false
        for member in try body.object("headers")?.members ?? [] {
            guard let text = member.value.string, !member.name.isEmpty, member.name.utf8.allSatisfy(isTokenByte) else {
                throw HTTPError(.badRequest, "headers has names with texts\n")
            }
            answer.headers.append((member.name, text))
        }
        switch body.value("body") {
        case nil: break
        case .string(let text): answer.body = Array(text.utf8)
        case let value?: answer.body = value.bytes
        }
        answer.delay = .milliseconds(try body.int("delayMilliseconds", 0...300_000) ?? 0)
        if let name = try body.string("ending") {
            guard let ending = ScriptedAnswer.Ending(rawValue: name) else {
                throw HTTPError(.badRequest, "ending is send, reset or hang\n")
            }
            answer.ending = ending
        }
        // 0 stands for "every call from now on".
        let times = try body.int("times", 0...1_000_000) ?? 1
        answer.times = times == 0 ? nil : Int(times)
        answer.method = try body.string("method")
        answer.pathContains = try body.string("pathContains")
        return answer
    }

    private func isTokenByte(_ byte: UInt8) -> Bool {
        byte == 0x2D || byte == 0x5F || Character(Unicode.Scalar(byte)).isLetter && byte < 0x80
            || (0x30...0x39).contains(byte)
    }

    private func scripted(_ request: Request, _ context: Context) async throws -> Response { .json(waiting.bytes) }

    private var waiting: JSON {
        .object(
            JSONObject(
                StoreEnvironment.allCases.map { environment in
                    (
                        environment.rawValue,
                        .array(
                            works.script.waiting(in: environment).map { answer in
                                var members: JSONObject = ["ending": .string(answer.ending.rawValue)]
                                members["status"] = answer.status.map { .int($0) }
                                members["times"] = .int(answer.times ?? 0)
                                members["method"] = .optional(answer.method)
                                members["pathContains"] = .optional(answer.pathContains)
                                return .object(members)
                            })
                    )
                }))
    }

    // MARK: Traffic

    private func startTraffic(_ request: Request, _ context: Context) async throws -> Response {
        let body = try ControlBody(
            request, allowed: ["perMinute", "bundleIds", "sandboxPercent", "count", "onlyRequests", "backend"])
        var plan = TrafficPlan()
        plan.perMinute = Int(try body.int("perMinute", 1...60_000) ?? Int64(plan.perMinute))
        for value in try body.array("bundleIds") ?? [] {
            guard let id = value.string, works.shelves.app(id) != nil else {
                throw HTTPError(.badRequest, "bundleIds lists registered apps\n")
            }
            plan.bundleIDs.append(id)
        }
        if let percent = try body.int("sandboxPercent", 0...100) { plan.sandboxShare = Double(percent) / 100 }
        plan.count = try body.int("count", 1...1_000_000).map { Int($0) }
        plan.onlyRequests = try body.bool("onlyRequests") ?? false
        if let value = body.value("backend") {
            let backend = try ControlBody(value, allowed: ["url", "token"])
            plan.backend = AppBackend(url: try backend.required("url"), token: try backend.required("token"))
        }
        traffic.start(plan)
        return .json(report.bytes, status: .created)
    }

    private var report: JSON {
        let report = traffic.report
        return [
            "running": .bool(report.isRunning), "perMinute": .int(report.plan.perMinute),
            "happenings": .int(report.happenings), "requests": .int(report.requests), "failures": .int(report.failures),
        ]
    }
}
