import HTTP
import Journal
import Loop
import Refunds
import Synchronization
import Tenants
import Time

/// What a process with an engine does about alerts by the clock: rounds of the watch, and the heartbeat by which somebody
/// outside notices that nothing beats any more.
final class Watchman: Sendable {
    static let beatEvery = Duration.seconds(60)

    private let house: House
    private let watch: IncidentWatch
    private let http: HTTPClient
    private let isStopped = Mutex(false)

    init(_ house: House, watch: IncidentWatch, http: HTTPClient) {
        self.house = house
        self.watch = watch
        self.http = http
    }

    func start() { house.loops.all[0].run { await self.work() } }

    func stop() { isStopped.withLock { $0 = true } }

    private func work() async {
        let loop = house.loops.all[0]
        var beaten: Moment?
        await beat("/start")
        while !isStopped.withLock({ $0 }) {
            await watch.round()
            let now = house.clock.now
            if beaten.map({ now - $0 >= Self.beatEvery }) ?? true {
                beaten = now
                await beat(watch.isWell(at: now) ? "" : "/fail")
            }
            try? await loop.sleep(for: IncidentWatch.every)
        }
    }

    /// Healthchecks' custom: the address alone is success.
    private func beat(_ end: String) async {
        guard let url = house.configuration.heartbeat else { return }
        do {
            let answer = try await http.send(
                ClientRequest(
                    method: .get, url: url.reveal() + end, responseBytesMax: 16 * 1024, totalTimeout: .seconds(10)))
            guard (200..<300).contains(answer.status) else {
                house.journal.warning("the heartbeat was not taken", ["status": .init(answer.status)])
                return
            }
        } catch {
            house.journal.warning("the heartbeat could not be sent", ["error": .init(error)])
        }
    }
}
