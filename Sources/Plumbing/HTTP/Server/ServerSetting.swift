import Journal
import Loop
import Time

/// What all connections of a server share.
final class ServerSetting: Sendable {
    let routes: Router
    let limits: Limits
    let trust: ProxyTrust
    let clock: WallClock
    let journal: Journal
    let counters: Counters
    let occupancy = Occupancy()
    let date = DateLine()
    let ids = RequestIDs()

    /// For the bodies of requests that no route takes: read, so that the answer can be read.
    private static let strayBodyMax = 64 * 1024

    init(
        routes: Router, limits: Limits, trust: ProxyTrust, clock: WallClock, journal: Journal, counters: Counters
    ) {
        self.routes = routes
        self.limits = limits
        self.trust = trust
        self.clock = clock
        self.journal = journal
        self.counters = counters
    }

    func match(_ head: RequestHead) -> Matched {
        switch routes.match(head.method, head.segments) {
        case .found(let route, let parameters):
            Matched(
                handler: route.handler, pattern: route.pattern, parameters: parameters, bodyMax: route.bodyMax,
                logPath: route.sensitive ? route.pattern : head.path, hasSecretBody: route.secretBody, allow: nil)
        case .wrongMethod(let allow, let pattern, let isSensitive):
            Matched(
                handler: routes.methodNotAllowed, pattern: pattern, parameters: [:], bodyMax: Self.strayBodyMax,
                logPath: isSensitive ? pattern : head.path, allow: allow)
        case .nothing:
            // A secret with a slip of the pen around it is still a secret.
            Matched(
                handler: routes.notFound, pattern: "-", parameters: [:], bodyMax: Self.strayBodyMax,
                logPath: routes.isSensitive(head.segments) ? "/\(head.segments[0])/…" : head.path, allow: nil)
        }
    }

    /// A trusted proxy may have given the request its id; otherwise it gets one here.
    func requestID(from head: RequestHead, _ direct: ClientInfo) -> String {
        if direct.isBehindTrustedProxy, let given = head.headers["X-Request-Id"], (1...64).contains(given.utf8.count),
            given.utf8.allSatisfy({ $0.isTokenCharacter })
        {
            return given
        }
        return ids.next()
    }

    /// The access log and the counters.
    func note(_ exchange: Exchange, isBrokenOff: Bool = false) {
        let nanoseconds = Int64(clamping: EventLoop.now &- exchange.began)
        let route = exchange.matched.pattern
        counters.add(
            "http_requests_total", 1,
            ["route": route, "method": Self.label(exchange.head.method), "status": String(exchange.status)],
            help: "Requests answered, by route, method and status; status 0 had no answer.")
        counters.observe(
            "http_request_seconds", .nanoseconds(nanoseconds), ["route": route],
            help: "From the first byte to the last of the answer.")
        guard journal.isOn(.info) else { return }
        journal.info(
            isBrokenOff ? "request broken off" : "request",
            [
                "request": .string(exchange.requestID), "method": .string(exchange.head.method.name),
                "path": .string(exchange.matched.logPath), "status": JournalValue(exchange.status),
                "bytes": JournalValue(exchange.bytesOut), "microseconds": JournalValue(nanoseconds / 1000),
                "client": .string(exchange.client.address),
            ])
    }

    func note(_ refusal: Refusal, _ client: ClientInfo, requestID: String) {
        counters.add(
            "http_refused_total", 1, ["status": String(refusal.status.code)],
            help: "Requests refused before a handler saw them.")
        journal.info(
            "request refused",
            [
                "request": .string(requestID), "status": JournalValue(refusal.status.code),
                "reason": .string(refusal.text), "client": .string(client.address),
            ])
    }

    /// Methods are free text: only known ones become labels.
    private static func label(_ method: Method) -> String {
        if case .other = method { "other" } else { method.name }
    }
}
