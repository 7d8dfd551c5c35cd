import FoundationEssentials
package import Time

/// What the rules about the installation look at: one process and the machine that it runs on.
package struct HouseFacts: Sendable, Hashable {
    /// The machine's name.
    package var host: String
    package var hasMasterKey = true
    /// Since when the revocation responder has not answered; nil while it does, or is not asked.
    package var revocationSilentSince: Moment?
    /// Free and whole bytes of file systems that this process writes to or reads from, by path.
    package var disks: [Disk] = []
    /// When the certificate of the public address ends; nil where there is none to look at.
    package var certificateEnds: Moment?
    /// What is wrong with it now.
    package var certificateFault: String?
    /// When the database last refused to keep something for want of room; nil while it never did.
    package var databaseFullAt: Moment?
    /// How full the database's own volume is, as far as the database tells; nil where its size is not set.
    package var databaseVolume: DatabaseVolume?

    package struct Disk: Sendable, Hashable {
        package let path: String
        package let free: Int64
        package let size: Int64

        package init(path: String, free: Int64, size: Int64) {
            self.path = path
            self.free = free
            self.size = size
        }
    }

    package init(host: String) { self.host = host }
}

extension HouseFacts {
    /// How a process tells the others. Names never change; what a newer release adds an older one leaves out.
    private struct Told: Codable {
        struct Disk: Codable {
            let path: String
            let free: Int64
            let size: Int64
        }

        var masterKey: Bool
        var revocationSilentSince: Int64?
        var disks: [Disk]?
        var certificateEnds: Int64?
        var certificateFault: String?
        var databaseFullAt: Int64?
        var databaseVolume: DatabaseVolume?
    }

    /// JSON, a few hundred bytes.
    package var told: String {
        let told = Told(
            masterKey: hasMasterKey, revocationSilentSince: revocationSilentSince?.milliseconds,
            disks: disks.map { Told.Disk(path: $0.path, free: $0.free, size: $0.size) },
            certificateEnds: certificateEnds?.milliseconds, certificateFault: certificateFault,
            databaseFullAt: databaseFullAt?.milliseconds, databaseVolume: databaseVolume)
        return (try? JSONEncoder().encode(told)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }

    /// - Parameter text: of another process; nil for one that tells nothing of the kind.
    package init?(host: String, told text: String) {
        guard let told = try? JSONDecoder().decode(Told.self, from: Data(text.utf8)) else { return nil }
        self.init(host: host)
        hasMasterKey = told.masterKey
        revocationSilentSince = told.revocationSilentSince.map { Moment(milliseconds: $0) }
        disks = (told.disks ?? []).prefix(20).map { Disk(path: $0.path, free: $0.free, size: $0.size) }
        certificateEnds = told.certificateEnds.map { Moment(milliseconds: $0) }
        certificateFault = told.certificateFault.map { Text.kept($0, bytesMax: 200) }
        databaseFullAt = told.databaseFullAt.map { Moment(milliseconds: $0) }
        databaseVolume = told.databaseVolume
    }
}

/// What the database knows about itself and about the work.
struct WorkFacts: Sendable, Hashable {
    /// How long the oldest job that could run has waited.
    var oldestReady: Duration = .zero
    var ready = 0
    /// Jobs whose claim ran out and that nobody took back.
    var stuck = 0
    /// A round trip.
    var latency: Duration = .zero
}
