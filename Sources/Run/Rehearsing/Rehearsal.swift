import FoundationEssentials
import Loop
import Postgres
import Refunds
import Tenants
import Time

/// Leads through the steps, watches the database for what arrives, and judges it.
///
/// What is told on the way goes to standard error; the verdicts are the command's answer.
final class Rehearsal {
    private static let look = Duration.seconds(1)
    private static let countdown = Duration.seconds(30)
    /// Apple's clock and ours may differ a little.
    private static let slack = Duration.minutes(1)

    private let house: House
    private let app: App
    private let stage: RehearsalStage?
    private let patience: Duration
    private let records: Records
    /// Cases that were there before, or that a step was judged by.
    private var used: Set<UUID> = []

    /// - Parameter stage: nil: a person stands at a device.
    init(house: House, app: App, stage: RehearsalStage?, patience: Duration) {
        self.house = house
        self.app = app
        self.stage = stage
        self.patience = patience
        records = Records(database: house.database)
    }

    func run() async throws -> [RehearsalVerdict] {
        tell(
            stage.map { "Rehearsing \(app.bundleID) with the simulator at \($0.address)." }
                ?? "Rehearsing \(app.bundleID) in Apple's Sandbox. Nothing here costs anything; mails are not sent there."
        )
        var verdicts = [try await ready()]
        guard verdicts[0].isPassed else { return verdicts }
        used = Set(try await recent(since: house.clock.now - Self.slack).map(\.id))
        for step in RehearsalStep.allCases where step != .ready { verdicts.append(try await play(step)) }
        return verdicts
    }

    // MARK: Before anything

    private func ready() async throws -> RehearsalVerdict {
        let begun = house.clock.now
        var faults: [String] = []
        if !app.isRehearsal, !app.environments.contains(.sandbox) {
            faults.append("the app is set up without the Sandbox environment")
        }
        let key = try await house.database.transaction(app.tenant.scope, isolation: .readOnly) { tx in
            try await house.vault.signingKey(of: app.tenant, for: app.id, isSandbox: true, in: tx)
        }
        if key == nil { faults.append("no signing key serves it (refund-desk key add)") }
        var others = try await serving()
        // One that was started just now has not told yet.
        for _ in 0..<5 where others.isEmpty {
            try await house.loops.all[0].sleep(for: Self.look)
            others = try await serving()
        }
        if others.isEmpty { faults.append("nothing serves: start refund-desk serve") }
        if stage == nil, app.consent == .perCustomer {
            tell("Consent is kept for each customer: report it for the one who buys before the last step.")
        }
        let text = faults.isEmpty ? "\(others.count) serving, key \(key?.keyID ?? "")" : faults.joined(separator: "; ")
        return verdict(.ready, faults.isEmpty, text, since: begun)
    }

    private func serving() async throws -> [String] {
        try await ProcessList.others(
            than: house.process, within: ProcessList.silentAfter, at: house.clock.now, in: house.database
        ).map(\.host)
    }

    // MARK: A step

    private func play(_ step: RehearsalStep) async throws -> RehearsalVerdict {
        let begun = house.clock.now
        let number = RehearsalStep.allCases.firstIndex(of: step) ?? 0
        tell("\nStep \(number) of \(RehearsalStep.allCases.count - 1): \(step.title)")
        var ours: String?
        if let stage {
            do { ours = try await stage.play(step, of: app) } catch let fault as RehearsalStage.Fault {
                return verdict(step, false, fault.text, since: begun)
            }
        } else {
            for line in step.instructions { tell("  - \(line)") }
            tell("  Waiting for Apple; Ctrl-C ends the rehearsal.")
        }
        var told: [UUID: [String]] = [:]
        var counted: Moment?
        while house.clock.now - begun < patience {
            for line in try await recent(since: begun - Self.slack)
            where !used.contains(line.id) && ours ?? line.transactionID == line.transactionID {
                guard let story = try await records.story(of: app.tenant, case: line.id) else { continue }
                let events = Self.events(story)
                for event in events.dropFirst(told[line.id]?.count ?? 0) { tell("  \(event)") }
                told[line.id] = events
                if let judged = step.judge(story) {
                    used.insert(line.id)
                    return verdict(step, judged.isPassed, judged.text, since: begun)
                }
                if let round = story.rounds.first, round.state == .open || round.state == .held,
                    counted.map({ house.clock.now - $0 >= Self.countdown }) ?? true
                {
                    counted = house.clock.now
                    tell("  \(Self.left(round.deadline - house.clock.now)) left to answer")
                }
            }
            try await house.loops.all[0].sleep(for: Self.look)
        }
        let found = told.isEmpty ? "nothing arrived" : "it did not come to its end"
        // A case that was begun is this step's and no later one's.
        used.formUnion(told.keys)
        return verdict(step, false, "\(found) within \(patience.wholeMilliseconds / 60_000) minutes", since: begun)
    }

    /// Cases of the app's Sandbox whose newest request, or first news, is not older.
    private func recent(since: Moment) async throws -> [CaseLine] {
        var filter = CaseFilter()
        filter.isSandbox = true
        filter.from = since
        return try await records.cases(of: app.tenant, apps: [app.id], filter: filter, limit: 100).cases
    }

    /// What happened so far, a line each; lines are only added.
    private static func events(_ story: CaseStory) -> [String] {
        story.timeline.compactMap { entry in
            switch entry.event {
            case .requested(let round):
                "\(entry.at.iso8601) CONSUMPTION_REQUEST for \(story.line.productID), \(round.reason ?? "no reason given")"
            case .sent(let attempt, _) where attempt.endedAt != nil:
                "\(entry.at.iso8601) our answer: \(attempt.status.map { "\($0)" } ?? attempt.error ?? "no answer")"
            case .apple(let fact) where fact.kind != .seen: "\(entry.at.iso8601) \(fact.kind.rawValue)"
            default: nil
            }
        }
    }

    private static func left(_ duration: Duration) -> String {
        let seconds = max(0, duration.wholeMilliseconds / 1000)
        return "\(seconds / 60):\(seconds % 60 < 10 ? "0" : "")\(seconds % 60)"
    }

    private func verdict(_ step: RehearsalStep, _ isPassed: Bool, _ text: String, since: Moment) -> RehearsalVerdict {
        tell("  \(isPassed ? "ok" : "FAIL"): \(text)")
        return RehearsalVerdict(
            step: step, isPassed: isPassed, text: text, seconds: (house.clock.now - since).wholeMilliseconds / 1000)
    }

    private func tell(_ text: String) { StandardStreams.complain(text) }
}
