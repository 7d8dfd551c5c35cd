import FoundationEssentials
import HTTP
import Journal
import Loop
import Postgres
import Tenants

/// The rooms of a process that serves, as the house built them; started and stopped in order.
final class Serving: Sendable {
    private let house: House
    private let listener: Listener
    private let caretaker: Caretaker
    private let server: Server

    init(_ parts: Set<Part>, in house: House) throws {
        self.house = house
        let (journal, directory) = (house.journal, house.directory)
        listener = Listener(database: house.database, journal: journal)
        listener.listen(InboxDirectory.channel) { _ in directory.drop() }
        listener.whenConnected { directory.drop() }
        caretaker = Caretaker(house)
        server = Server(
            listen: house.configuration.listen, routes: Router([]), loops: house.loops,
            trustedProxies: house.configuration.trustedProxies, clock: house.clock, journal: journal,
            counters: house.counters)
    }

    func start() async throws -> SocketAddress {
        listener.start()
        caretaker.start()
        return try await server.start()
    }

    func stop(within time: Duration) async {
        await server.stop(within: time)
        await caretaker.stop()
        await listener.stop()
        await house.database.close(within: .seconds(2))
    }
}
