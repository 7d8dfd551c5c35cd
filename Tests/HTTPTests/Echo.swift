import HTTP
import Journal

/// Routes that say what they were given.
enum Echo {
    static let routes = [
        Route(.get, "/") { _, _ in .text("home") },
        Route(.get, "/hello") { _, _ in .text("hello") },
        Route(.post, "/echo", bodyMax: 1024 * 1024, trailingSlash: true) { request, _ in
            Response(.ok, headers: ["Content-Type": "application/octet-stream"], body: .bytes(request.body))
        },
        Route(.post, "/small", bodyMax: 1000) { request, _ in .text("\(request.body.count)") },
        Route(.put, "/echo") { request, _ in .text("put \(request.body.count)") },
        Route(.get, "/t/{slug}/cases/{id}") { _, context in
            .text("\(context.parameter("slug"))|\(context.parameter("id"))|\(context.route)")
        },
        Route(.get, "/t/{slug}/cases/new") { _, context in .text("new of \(context.parameter("slug"))") },
        Route(.get, "/query") { request, _ in
            .text("\(request.query.all("a"))\(request.query.first("b") ?? "-")\(request.query.isValid)")
        },
        Route(.get, "/who") { _, context in
            .text("\(context.client.address) \(context.client.isSecure ? "secure" : "plain")")
        },
        Route(.get, "/empty") { _, _ in .status(.noContent) },
        Route(.get, "/see") { _, _ in .seeOther("/hello\r\nX-Injected: yes") },
        Route(.get, "/on-purpose") { _, _ in throw HTTPError(.conflict, "not now", headers: ["Retry-After": "7"]) },
        Route(.get, "/by-accident") { _, _ in throw BodyError(reason: .malformed, text: "the secret of the house") },
        Route(.get, "/stream") { _, _ in
            let counter = Counter()
            return Response(
                .ok,
                body: .stream {
                    let number = counter.next()
                    return number <= 3 ? Array("piece \(number)\n".utf8) : nil
                })
        },
        Route(.get, "/broken-stream") { _, _ in
            let counter = Counter()
            return Response(
                .ok,
                body: .stream {
                    if counter.next() > 1 { throw HTTPError(.internalServerError, "gone") }
                    return Array("half".utf8)
                })
        },
        Route(.post, "/n/{inbox}", trailingSlash: true, sensitive: true) { request, context in
            .text("\(context.parameter("inbox")) \(request.body.count)")
        },
    ]
}
