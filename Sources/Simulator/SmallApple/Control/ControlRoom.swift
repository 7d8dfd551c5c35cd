import Crypto
import HTTP
import Time

/// The control API under `/control`: where people and tests tell the small Apple what to do.
///
/// It is open to whoever can reach loopback, and closed to web pages: a request that names another host or
/// comes with an `Origin` is refused.
struct ControlRoom: Sendable {
    let works: Works
    let office: PostOffice
    let reviewer: Reviewer
    let traffic: Traffic
    let clerk: CommerceClerk

    static let bodyMax = 512 * 1024

    var routes: [Route] {
        [
            route(.get, "/control") { _, _ in .text(Help.control) },
            route(.get, "/control/status") { _, _ in .json(status.bytes) },
            route(.put, "/control/manners", setManners),
            route(.get, "/control/apps") { _, _ in .json(JSON.array(works.shelves.apps.map(\.json)).bytes) },
            route(.put, "/control/apps/{bundleId}", putApp),
            route(.delete, "/control/apps/{bundleId}", withdrawApp),
            route(.post, "/control/keys", makeKey),
            route(.delete, "/control/keys/{keyId}") { _, context in
                works.keys.revoke(context.parameter("keyId"))
                return .status(.noContent)
            },
        ] + StoreControl(works: works).routes(route)
            + PostControl(works: works, office: office, reviewer: reviewer).routes(route)
            + WatchControl(works: works, traffic: traffic).routes(route)
            + CommerceControl(works: works, office: office, clerk: clerk).routes(route)
            + BackendControl(works: works).routes(route)
    }

    typealias MakeRoute = (HTTP.Method, String, @escaping Handler) -> Route

    private func route(_ method: HTTP.Method, _ pattern: String, _ handler: @escaping Handler) -> Route {
        Route(method, pattern, bodyMax: Self.bodyMax) { request, context in
            guard Self.isFromThisMachine(request) else {
                return .text("the control API answers this machine's own programs only\n", status: .forbidden)
            }
            do {
                return try await handler(request, context)
            } catch let fault as OrderFault {
                return .text("\(fault)\n", status: .unprocessableContent)
            }
        }
    }

    /// A page in a browser could otherwise reach loopback through a name that points there.
    static func isFromThisMachine(_ request: Request) -> Bool {
        guard request.headers["Origin"] == nil, let host = request.headers["Host"] else { return false }
        let name = host.hasPrefix("[") ? String(host.prefix { $0 != "]" }) + "]" : String(host.prefix { $0 != ":" })
        return ["localhost", "[::1]"].contains(name)
            || (name.hasPrefix("127.") && name.utf8.allSatisfy { $0 != 0x2D && ($0 < 0x41) })
    }

    // MARK: Status and manners

    private var status: JSON {
        [
            "seed": .string(String(works.chance.seed)), "now": .int(works.now.milliseconds),
            "clockOffsetSeconds": .int(works.clockOffset.wholeMilliseconds / 1000),
            "rateWindowSeconds": .int(works.limits.window.wholeMilliseconds / 1000), "manners": works.manners.json,
            "pace": works.pace.json, "callsReceived": .int(works.ledger.received),
            "rootSHA256": .string(Hex.encode(works.authority.root.sha256)),
        ]
    }

    private func setManners(_ request: Request, _ context: Context) async throws -> Response {
        let paceNames = [
            "decisionMilliseconds", "patienceMilliseconds", "retryHourMilliseconds", "senderPatienceMilliseconds",
        ]
        let body = try ControlBody(
            request,
            allowed: Set(
                Manners.switches.map(\.name) + paceNames + ["calm", "clockOffsetSeconds", "rateWindowSeconds"]))
        var manners = works.manners
        if let calm = try body.bool("calm") { manners = calm ? .calm : .asEver }
        for (name, path) in Manners.switches {
            if let isOn = try body.bool(name) { manners[keyPath: path] = isOn }
        }
        var pace = works.pace
        if let time = try body.int("decisionMilliseconds", 0...86_400_000) { pace.decision = time...time }
        if let time = try body.int("patienceMilliseconds", 0...86_400_000) { pace.patience = time }
        if let time = try body.int("retryHourMilliseconds", 1...3_600_000) { pace.retryHour = time }
        if let time = try body.int("senderPatienceMilliseconds", 1...60_000) { pace.senderPatience = time }
        if let offset = try body.int("clockOffsetSeconds", -31_536_000...31_536_000) {
            works.clockOffset = .seconds(offset)
        }
        if let window = try body.int("rateWindowSeconds", 1...3600) { works.limits.window = .seconds(window) }
        works.manners = manners
        works.pace = pace
        return .json(status.bytes)
    }

    // MARK: Apps and keys

    private func putApp(_ request: Request, _ context: Context) async throws -> Response {
        let body = try ControlBody(
            request,
            allowed: [
                "appAppleId", "issuerId", "keyId", "publicKey", "notificationURLs", "notificationURL",
                "notificationVersion", "notificationVersions", "released", "onSale",
            ])
        let bundleID = context.parameter("bundleId")
        let old = works.shelves.app(bundleID)
        guard let appAppleID = try body.int("appAppleId", 1...Int64.max) ?? old?.appAppleID else {
            throw HTTPError(.badRequest, "appAppleId is missing\n")
        }
        var urls = old?.notificationURLs ?? [:]
        if let url = try body.string("notificationURL") {
            for environment in StoreEnvironment.allCases { urls[environment] = url }
        }
        for member in try body.object("notificationURLs")?.members ?? [] {
            guard let environment = StoreEnvironment(rawValue: member.name),
                member.value == .null || member.value.string != nil
            else {
                throw HTTPError(
                    .badRequest, "notificationURLs has the members Production and Sandbox, each a URL or null\n")
            }
            urls[environment] = member.value.string
        }
        var versions = old?.notificationVersions ?? [:]
        if let version = try body.int("notificationVersion", 1...2) {
            for environment in StoreEnvironment.allCases { versions[environment] = Int(version) }
        }
        for member in try body.object("notificationVersions")?.members ?? [] {
            guard let environment = StoreEnvironment(rawValue: member.name), let version = member.value.int,
                (1...2).contains(version)
            else {
                throw HTTPError(
                    .badRequest, "notificationVersions has the members Production and Sandbox, each 1 or 2\n")
            }
            versions[environment] = Int(version)
        }
        let issuerID = try body.string("issuerId") ?? old?.issuerID ?? Chance.anyUUID()
        var app = RegisteredApp(
            bundleID: bundleID, appAppleID: appAppleID, issuerID: issuerID, notificationURLs: urls,
            isReleased: try body.bool("onSale") ?? body.bool("released") ?? old?.isReleased ?? true)
        app.notificationVersions = versions
        if let text = try body.string("publicKey") {
            do throws(PublicKeyText.Fault) {
                works.keys.put(try PublicKeyText.read(text), keyID: try key(body), issuerID: issuerID)
            } catch {
                throw HTTPError(.badRequest, "publicKey: \(error)\n")
            }
        }
        works.shelves.put(app)
        return .json(app.json.bytes, status: old == nil ? .created : .ok)
    }

    private func key(_ body: ControlBody) throws(PublicKeyText.Fault) -> String {
        do throws(HTTPError) {
            return try body.required("keyId")
        } catch {
            throw PublicKeyText.Fault(description: "keyId is missing")
        }
    }

    private func withdrawApp(_ request: Request, _ context: Context) async throws -> Response {
        guard var app = works.shelves.app(context.parameter("bundleId")) else {
            return .text("no such app\n", status: .notFound)
        }
        app.isWithdrawn = true
        works.shelves.put(app)
        return .status(.noContent)
    }

    /// A key as App Store Connect would make it; the private half is shown here and never again.
    private func makeKey(_ request: Request, _ context: Context) async throws -> Response {
        let body = try ControlBody(request, allowed: ["issuerId"])
        let key = try NewSigningKey.make(issuerID: try body.string("issuerId"))
        works.keys.put(key.publicKey, keyID: key.keyID, issuerID: key.issuerID)
        let answer: JSON = [
            "keyId": .string(key.keyID), "issuerId": .string(key.issuerID), "privateKey": .string(key.p8),
            "fingerprint": .string(key.publicKey.fingerprint),
        ]
        return .json(answer.bytes, status: .created)
    }
}

extension Manners {
    var json: JSON { .object(JSONObject(Self.switches.map { ($0.name, .bool(self[keyPath: $0.path])) })) }
}

extension Pace {
    var json: JSON {
        [
            "decisionMilliseconds": [.int(decision.lowerBound), .int(decision.upperBound)],
            "patienceMilliseconds": .int(patience), "retryHourMilliseconds": .int(retryHour),
            "senderPatienceMilliseconds": .int(senderPatience),
        ]
    }
}

extension RegisteredApp {
    var json: JSON {
        [
            "bundleId": .string(bundleID), "appAppleId": .int(appAppleID), "issuerId": .string(issuerID),
            "notificationURLs": .object(JSONObject(notificationURLs.map { ($0.key.rawValue, .string($0.value)) })),
            "notificationVersions": .object(
                JSONObject(StoreEnvironment.allCases.map { ($0.rawValue, .int(Int64(notificationVersion($0)))) })),
            "released": .bool(isReleased), "withdrawn": .bool(isWithdrawn),
        ]
    }
}
