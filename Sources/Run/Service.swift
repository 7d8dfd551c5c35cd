import FoundationEssentials
import Journal
import Loop
import Postgres
import Schema
import Tenants

/// The life of a process that serves: checks, start, and an orderly end.
enum Service {
    /// One for each core, four at most.
    static var loopCount: Int { min(max(ProcessInfo.processInfo.activeProcessorCount, 1), 4) }
    /// For requests and jobs that run when the signal comes.
    static let finishWithin = Duration.seconds(20)
    /// After it the process ends whatever still hangs.
    private static let endWithin = Duration.seconds(28)
    /// How long a database that is not up yet is waited for.
    private static let databasePatience = Duration.seconds(60)

    /// - Parameter sockets: descriptors of sockets that systemd keeps open; none: it listens by itself.
    static func run(
        _ parts: Set<Part>, _ configuration: Configuration, sockets: [CInt] = [], journal: Journal
    ) async throws {
        let signals = StopSignals()
        ProcessManners.raiseDescriptorLimit()
        let house = try House(configuration, loops: loopCount, journal: journal)
        guard try await check(house, until: signals) else { return }
        let serving = try Serving(parts, sockets: sockets, in: house)
        let address = try await serving.start()
        journal.info(
            "serving",
            [
                "address": .string("\(address)"),
                "parts": .string(parts.map(\.rawValue).sorted().joined(separator: " ")),
                "version": .string(Version.number), "commit": .init(Version.commit),
            ])
        if parts.contains(.console) { await offerSetUp(house) }
        await signals.wait()
        journal.info("stopping")
        // A socket that systemd keeps refuses nobody: who comes now waits for the next process.
        if sockets.isEmpty, configuration.stopDelay > .zero {
            serving.leave()
            try? await house.loops.all[0].sleep(for: configuration.stopDelay)
        }
        _ = house.loops.all[0].after(endWithin) {
            journal.error("stopping took too long")
            ProcessManners.endAtOnce(1)
        }
        await serving.stop(within: finishWithin)
        journal.info("stopped")
    }

    /// While nobody can sign in: a link, in plain words beside the journal, for whoever starts the service.
    private static func offerSetUp(_ house: House) async {
        do {
            guard let link = try await house.signIn.makeSetUpLink() else { return }
            StandardStreams.complain(
                """
                refund-desk: nobody can sign in yet. This link makes the first owner, once, within 24 hours:
                refund-desk: \(house.setUpURL(link))
                """)
        } catch {
            house.journal.warning("could not make a set-up link", ["error": .init(error)])
        }
    }

    /// The schema must be ours and the roles what row security relies on. False when a signal came first.
    private static func check(_ house: House, until signals: StopSignals) async throws -> Bool {
        let url = house.configuration.databaseURL.reveal()
        let loop = house.loops.all[0]
        let start = ContinuousClock.now
        while true {
            do {
                let state = try await Schema.migrator(on: loop, journal: house.journal).state(url)
                if let trouble = state.trouble { throw Failure(trouble) }
                let troubles = try await RoleCheck.troubles(url, on: loop)
                guard troubles.isEmpty else { throw Failure(troubles.joined(separator: "\n")) }
                return true
            } catch let error as PostgresError where error.isRetryable {
                guard ContinuousClock.now - start < databasePatience else {
                    throw Failure("the database of DATABASE_URL cannot be reached: \(error)")
                }
                house.journal.warning("waiting for the database", ["error": .init(error)])
            }
            if signals.isDue { return false }
            try await loop.sleep(for: .seconds(1))
        }
    }
}
