import HTTP
import Refunds
import Tenants
import Time

/// Delivery and use of purchases: one report, or many at once.
struct UsageCalls: Sendable {
    static let batchRowsMax = 1000
    /// A thousand rows with every member take 170 KB.
    static let batchBytesMax = 384 * 1024

    let reports: Reports

    func record(_ call: APICall, _ app: App) async throws -> Response {
        let transaction = try call.identifier(.transaction, "transactionId")
        var members = try Members(try call.body())
        let usage = try usage(&members, of: transaction)
        do {
            return .json(json(try await reports.record(usage, app: app, at: call.now), usage.transactionID).bytes)
        } catch let refusal as UsageStore.Refusal {
            throw Problem.bad("\(refusal)", member: member(refusal))
        }
    }

    /// Rows are independent: each answer says what became of its row.
    func recordBatch(_ call: APICall, _ app: App) async throws -> Response {
        var members = try Members(try call.body())
        let rows = try members.list("usage")
        try members.end()
        guard rows.count <= Self.batchRowsMax else {
            throw Problem.bad("the member \"usage\" has more than \(Self.batchRowsMax) rows", member: "usage")
        }
        var errors = [String?](repeating: nil, count: rows.count)
        var names = [String?](repeating: nil, count: rows.count)
        var batch: [Reports.Usage] = []
        var places: [Int] = []
        for (index, row) in rows.enumerated() {
            do throws(Problem) {
                var members = try Members(row)
                let id = try members.requiredText("transactionId")
                names[index] = id
                batch.append(
                    try usage(&members, of: try Identifier.transaction.check(id, "the member", "transactionId")))
                places.append(index)
            } catch {
                errors[index] = error.detail
            }
        }
        for (place, refusal) in zip(places, try await reports.record(batch, app: app, at: call.now)) {
            errors[place] = refusal.map { "\($0)" }
        }
        let results = rows.indices.map { index in
            JSON.members([
                ("transactionId", names[index].map(JSON.string) ?? .null), ("stored", .bool(errors[index] == nil)),
                ("error", errors[index].map(JSON.string)),
            ])
        }
        return .json(JSON.members([("results", .array(results))]).bytes)
    }

    private func usage(_ members: inout Members, of transaction: String) throws(Problem) -> Reports.Usage {
        let status = try members.text("deliveryStatus")
        if let status, !Reports.deliveryStatuses.contains(status) {
            throw .bad(
                "the member \"deliveryStatus\" is one of \(Reports.deliveryStatuses.joined(separator: ", "))",
                member: "deliveryStatus")
        }
        let share = try members.integer("consumptionPercentage")
        if let share, !(0...100_000).contains(share) {
            throw .bad(
                "the member \"consumptionPercentage\" lies between 0 and 100000", member: "consumptionPercentage")
        }
        let usage = Reports.Usage(
            transactionID: transaction, deliveryStatus: status, consumptionPercentage: share.map { Int($0) },
            sampleContentProvided: try members.flag("sampleContentProvided"),
            credits: try count("credits", &members), items: try count("items", &members),
            observedAt: try members.requiredTime("observedAt"))
        try members.end()
        return usage
    }

    private func count(_ name: String, _ members: inout Members) throws(Problem) -> UsageCount? {
        let (used, granted) = (try members.integer("\(name)Used"), try members.integer("\(name)Granted"))
        switch (used, granted) {
        case (nil, nil): return nil
        case (let used?, let granted?): return UsageCount(used: used, granted: granted)
        case (_, nil):
            throw .bad("the member \"\(name)Granted\" is missing beside \"\(name)Used\"", member: "\(name)Granted")
        case (nil, _):
            throw .bad("the member \"\(name)Used\" is missing beside \"\(name)Granted\"", member: "\(name)Used")
        }
    }

    private func member(_ refusal: UsageStore.Refusal) -> String? {
        switch refusal {
        case .percentageOutOfRange: "consumptionPercentage"
        case .observedInFuture: "observedAt"
        case .countOutOfRange(let name): "\(name)Used"
        case .badTransactionID, .nothingSaid: nil
        }
    }

    private func json(_ state: Reports.UsageState, _ transaction: String) -> JSON {
        .members([
            ("transactionId", .string(transaction)),
            ("deliveryStatus", state.deliveryStatus.map { .string($0.value) }),
            ("consumptionPercentage", state.consumptionPercentage.map { .int($0.value) }),
            ("sampleContentProvided", state.sampleContentProvided.map { .bool($0.value) }),
            ("creditsUsed", state.credits.map { .int(Int($0.value.used)) }),
            ("creditsGranted", state.credits.map { .int(Int($0.value.granted)) }),
            ("itemsUsed", state.items.map { .int(Int($0.value.used)) }),
            ("itemsGranted", state.items.map { .int(Int($0.value.granted)) }),
            (
                "observedAt",
                .members([
                    ("deliveryStatus", state.deliveryStatus.map { .int($0.at.milliseconds) }),
                    ("consumptionPercentage", state.consumptionPercentage.map { .int($0.at.milliseconds) }),
                    ("sampleContentProvided", state.sampleContentProvided.map { .int($0.at.milliseconds) }),
                    ("credits", state.credits.map { .int($0.at.milliseconds) }),
                    ("items", state.items.map { .int($0.at.milliseconds) }),
                ])
            ),
        ])
    }
}
