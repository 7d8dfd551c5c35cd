import AppStore
import FoundationEssentials
import HTTP
import Journal
import Loop
import Postgres
import Refunds
import Synchronization
import Tenants
import Time

/// What a serving process measures of itself, its machine and what it depends on, for the rules about the installation.
final class Instruments: Sendable {
    private let house: House
    private let revocation: RevocationCheck
    private let certificate: PublicCertificate
    private let host = ProcessInfo.processInfo.hostName
    private let volume = Mutex<(facts: DatabaseVolume?, nextAt: Moment)>((nil, Moment(milliseconds: 0)))
    private let others = Mutex<[HouseFacts]>([])

    init(_ house: House, revocation: RevocationCheck, http: HTTPClient) {
        self.house = house
        self.revocation = revocation
        certificate = PublicCertificate(of: house.configuration.publicURL, http: http)
    }

    /// Looks at what takes a call to be known. Call it every half minute; most of the times it calls nobody.
    func measure() async {
        let now = house.clock.now
        revocation.askAgain(at: now)
        await certificate.look(at: now)
        await lookAtVolume(at: now)
    }

    /// Sizes of files are added up for it, so not every time.
    private func lookAtVolume(at now: Moment) async {
        guard let size = house.configuration.databaseBytes, volume.withLock({ $0.nextAt <= now }) else { return }
        do {
            let used = try await DatabaseVolume.used(in: house.database)
            volume.withLock { $0 = (DatabaseVolume(used: used, size: size), now + .minutes(5)) }
        } catch {
            // What was known stays; whether the database answers is looked at elsewhere.
            house.journal.warning("how much room the database takes could not be asked", ["error": .init(error)])
        }
    }

    /// Tells the other processes what this one knows.
    func announce() async throws {
        try await ProcessList.announce(
            house.process, host: host, keyring: house.configuration.keyring, facts: facts.told, at: house.clock.now,
            in: house.database)
    }

    /// Of this process, as it is now.
    var facts: HouseFacts {
        var facts = HouseFacts(host: host)
        facts.hasMasterKey = house.vault.hasMasterKey
        if case .silent(let since) = revocation.responders { facts.revocationSilentSince = since }
        facts.certificateEnds = certificate.ends
        facts.certificateFault = certificate.fault
        facts.databaseFullAt = house.database.fullAt.map { house.clock.now - (ContinuousClock.now - $0) }
        facts.databaseVolume = volume.withLock { $0.facts }
        for path in ["/", "."] {
            guard let space = DiskSpace(of: path), !facts.disks.contains(where: { $0.size == space.size }) else {
                continue
            }
            facts.disks.append(HouseFacts.Disk(path: path, free: space.free, size: space.size))
        }
        return facts
    }

    /// Of every process of the installation, this one first.
    ///
    /// While the database cannot be asked about the others, what they told last stands.
    func all() async -> [HouseFacts] {
        do {
            let told = try await ProcessList.others(than: house.process, at: house.clock.now, in: house.database)
                .compactMap { HouseFacts(host: $0.host, told: $0.facts) }
            others.withLock { $0 = told }
        } catch {
            house.journal.warning("the other processes could not be asked about", ["error": .init(error)])
        }
        return [facts] + others.withLock { $0 }
    }
}
