import HTTP
import Time

/// Sending notifications through the control API, and signing whatever is wanted.
struct PostControl: Sendable {
    let works: Works
    let office: PostOffice
    let reviewer: Reviewer

    func routes(_ route: ControlRoom.MakeRoute) -> [Route] {
        [
            route(.post, "/control/notifications", send), route(.get, "/control/notifications", list),
            route(.get, "/control/notifications/{notificationUUID}", show), route(.post, "/control/sign", sign),
        ]
    }

    private func send(_ request: Request, _ context: Context) async throws -> Response {
        let body = try ControlBody(
            request,
            allowed: [
                "type", "subtype", "environment", "bundleId", "url", "transactionId", "productType", "reason",
                "transaction", "renewal", "data", "payload", "rawTransaction", "rawPayload", "signedDateOffsetSeconds",
                "notificationUUID", "copies", "send", "decides", "withManners",
            ])
        var order = NotificationOrder(
            try body.string("type") ?? "CONSUMPTION_REQUEST", subtype: try body.string("subtype"),
            environment: try body.environment(), bundleID: try body.required("bundleId"),
            transactionID: try body.string("transactionId"), productType: try body.string("productType"),
            reason: try body.string("reason"))
        order.url = try body.string("url")
        order.transaction = try body.object("transaction") ?? [:]
        order.renewal = try body.object("renewal") ?? [:]
        order.data = try body.object("data") ?? [:]
        order.payload = try body.object("payload") ?? [:]
        order.rawTransaction = body.value("rawTransaction")
        order.rawPayload = body.value("rawPayload")
        order.signedDateOffset = .seconds(try body.int("signedDateOffsetSeconds", -315_360_000...315_360_000) ?? 0)
        order.notificationUUID = try body.string("notificationUUID")
        order.copies = Int(try body.int("copies", 1...1000) ?? 1)
        order.decides = try body.bool("decides")
        let notification: SentNotification
        if try body.bool("send") == false {
            notification = try office.write(order)
        } else if try body.bool("withManners") ?? false {
            notification = try office.release(order)
            reviewer.watch(notification)
        } else {
            notification = try await office.send(order)
            reviewer.watch(notification)
        }
        return .json(notification.json(withPayload: true).bytes, status: .created)
    }

    private func list(_ request: Request, _ context: Context) async throws -> Response {
        let limit = max(1, min(1000, request.query.first("limit").flatMap { Int($0) } ?? 200))
        let newest = works.shelves.notifications.suffix(limit)
        return .json(JSON.object(["notifications": .array(newest.map { $0.json(withPayload: false) })]).bytes)
    }

    private func show(_ request: Request, _ context: Context) async throws -> Response {
        guard let notification = works.shelves.notification(context.parameter("notificationUUID")) else {
            return .text("no such notification\n", status: .notFound)
        }
        return .json(notification.json(withPayload: true).bytes)
    }

    private func sign(_ request: Request, _ context: Context) async throws -> Response {
        let body = try ControlBody(request, allowed: ["payload", "header"])
        guard let payload = body.value("payload") else { throw HTTPError(.badRequest, "payload is missing\n") }
        let jws = try works.authority.sign(payload, header: try body.object("header") ?? [:])
        return .json(JSON.object(["jws": .string(jws)]).bytes)
    }
}

extension SentNotification {
    func json(withPayload: Bool) -> JSON {
        var members: JSONObject = [
            "notificationUUID": .string(uuid), "type": .string(type), "environment": .string(environment.rawValue),
            "bundleId": .string(bundleID), "signedDate": .int(signedAt.milliseconds),
        ]
        members["subtype"] = .optional(subtype)
        members["transactionId"] = .optional(transactionID)
        members["deliveries"] = .array(
            attempts.map { attempt in
                var answer: JSONObject = [
                    "at": .int(attempt.at.milliseconds), "url": .string(attempt.url), "status": .int(attempt.status),
                    "body": .string(attempt.body), "result": .string(attempt.result),
                ]
                answer["error"] = .optional(attempt.error)
                return .object(answer)
            })
        members["remarks"] = .array(mischief.map(JSON.string))
        if withPayload {
            members["payload"] = payload
            members["signedPayload"] = .string(signedPayload)
        }
        return .object(members)
    }
}
