import HTTP
import Refunds
import Tenants
import Time

/// Consent of a customer, or of the buyer of one purchase.
struct ConsentCalls: Sendable {
    enum Of: Sendable { case customer, purchase }

    let reports: Reports

    func show(_ call: APICall, _ app: App, _ of: Of) async throws -> Response {
        do {
            guard let state = try await reports.consent(of: try subject(call, of), app: app) else {
                throw Problem.notFound("nothing was reported about this consent")
            }
            return .json(json(state).bytes)
        } catch let refusal as ConsentLedger.Refusal {
            throw Problem.bad("\(refusal)")
        }
    }

    func record(_ call: APICall, _ app: App, _ of: Of) async throws -> Response {
        let subject = try subject(call, of)
        var members = try Members(try call.body())
        let report = ConsentLedger.Report(
            consented: try members.requiredFlag("consented"), recordedAt: try members.time("recordedAt"),
            wordingVersion: try members.text("wordingVersion"), source: try members.text("source"))
        try members.end()
        // No wording is called so: it would count as one whose text is not kept.
        if report.wordingVersion == "" {
            throw Problem.bad("the member \"wordingVersion\" must not be empty", member: "wordingVersion")
        }
        do {
            let state = try await reports.record(report, of: subject, app: app, at: call.now)
            return .json(json(state).bytes)
        } catch let refusal as ConsentLedger.Refusal {
            let member: String? =
                switch refusal {
                case .recordedInFuture: "recordedAt"
                case .textTooLong(let member): member
                case .badSubject: nil
                }
            throw Problem.bad("\(refusal)", member: member)
        }
    }

    private func subject(_ call: APICall, _ of: Of) throws(Problem) -> ConsentLedger.Subject {
        switch of {
        case .customer: .customer(appAccountToken: try call.identifier(.appAccountToken, "appAccountToken"))
        case .purchase: .purchase(transactionID: try call.identifier(.transaction, "transactionId"))
        }
    }

    private func json(_ state: ConsentLedger.State) -> JSON {
        .members([
            ("consented", .bool(state.consented)), ("recordedAt", .int(state.givenAt.milliseconds)),
            (
                "history",
                .array(
                    state.history.map { change in
                        .members([
                            ("consented", .bool(change.consented)),
                            ("recordedAt", .int(change.givenAt.milliseconds)),
                            ("receivedAt", .int(change.learnedAt.milliseconds)),
                            ("wordingVersion", change.wording.map(JSON.string)),
                            ("wordingKept", change.isWordingKept.map(JSON.bool)),
                            ("source", change.source.map(JSON.string)),
                        ])
                    })
            ),
        ])
    }
}
