import Crypto
import HTTP
import Time

/// `/backend/{bundleId}/evidence`: the app's own server, asked about a refund request (Standard Webhooks).
struct BackendDoor: Sendable {
    let works: Works

    /// How long it is silent at a time.
    private static let silence: Duration = .seconds(60)
    /// Older questions are refused: somebody may have kept one.
    private static let toleratedAge: Duration = .minutes(5)

    var routes: [Route] { [Route(.post, "/backend/{bundleId}/evidence", bodyMax: 64 * 1024, answer)] }

    private func answer(_ request: Request, _ context: Context) async throws -> Response {
        let bundleID = context.parameter("bundleId")
        guard let backend = works.backends[bundleID] else { return .text("no such app\n", status: .notFound) }
        let isSigned = backend.secret.map { Self.isSigned(request, with: $0, at: works.now) }
        func said(_ response: Response) -> Response {
            works.backends.note(
                BackendBook.Asked(
                    at: works.now, bundleID: bundleID, isSigned: isSigned, id: request.headers["webhook-id"],
                    body: String(decoding: request.body, as: UTF8.self), status: response.status.code))
            return response
        }
        switch backend.mode {
        case .silent:
            _ = said(.status(.serviceUnavailable))
            try? await Task.sleep(for: Self.silence)
            return .status(.serviceUnavailable)
        case .fail: return said(.status(Status(backend.status)))
        case .answer: break
        }
        guard isSigned != false else { return said(.text("the signature is wrong\n", status: .unauthorized)) }
        guard let question = try? JSONReader.read(request.body).object, let product = question["productId"]?.string
        else {
            return said(.text("this is no question\n", status: .badRequest))
        }
        if let scripted = backend.answers[product] ?? backend.answers["*"] { return said(.json(scripted.bytes)) }
        return said(.json(knowledge(question).bytes))
    }

    /// What this app's server would know: for one purchase always the same.
    private func knowledge(_ question: JSONObject) -> JSON {
        let id = question["transactionId"]?.string ?? ""
        let environment = question["environment"]?.string.flatMap(StoreEnvironment.init(rawValue:)) ?? .production
        guard let transaction = works.shelves.transaction(id, in: environment) else { return .object([:]) }
        var chance = works.chance.stream("backend", id)
        let now = works.now
        let bought = min(transaction.payload["purchaseDate"]?.int ?? now.milliseconds, now.milliseconds - 60_000)
        var answer: JSONObject = [:]
        let consent = chance.pick([("yes", 84), ("no", 8), ("unknown", 8)])
        if consent != "unknown" {
            answer["consent"] = .object([
                "consented": .bool(consent == "yes"), "recordedAt": .int(bought), "wordingVersion": "2026-01",
            ])
        }
        let delivery = chance.pick([("DELIVERED", 90), ("UNDELIVERED_SERVER_OUTAGE", 6), ("UNDELIVERED_OTHER", 4)])
        answer["deliveryStatus"] = .string(delivery)
        if delivery == "DELIVERED", !transaction.isAutoRenewable {
            let share = chance.pick([(0, 25), (chance.pick([8_500, 33_333, 45_200, 80_000]), 45), (100_000, 30)])
            answer["consumptionPercentage"] = .int(Int64(share))
        }
        answer["sampleContentProvided"] = .bool(chance.happens(0.5))
        answer["observedAt"] = .int(now.milliseconds - 1000)
        if chance.happens(0.3) {
            answer["note"] = .string(
                chance.pick([
                    ("Wrote to support before asking Apple.", 1), ("First purchase of this customer.", 1),
                    ("Played on the evening of the purchase.", 1),
                ]))
        }
        return .object(answer)
    }

    /// Any of the signatures is enough.
    static func isSigned(_ request: Request, with secret: String, at now: Moment) -> Bool {
        guard let id = request.headers["webhook-id"], let timestamp = request.headers["webhook-timestamp"],
            let seconds = Int64(timestamp), abs(seconds - now.seconds) <= toleratedAge.components.seconds,
            let given = request.headers["webhook-signature"], secret.hasPrefix("whsec_"),
            let key = Base64.decode(Array(secret.utf8.dropFirst(6)))
        else { return false }
        let message = Array("\(id).\(timestamp).".utf8) + request.body
        let right = "v1," + Base64.encode(Digest.hmacSHA256(key: key, message: message))
        return given.split(separator: " ").contains { $0 == right }
    }
}
