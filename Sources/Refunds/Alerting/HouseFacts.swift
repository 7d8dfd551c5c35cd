package import Time

/// What the rules about the installation look at: the machine, the database and this process.
package struct HouseFacts: Sendable {
    package var hasMasterKey = true
    /// Since when the revocation responder has not answered; nil while it does, or is not asked.
    package var revocationSilentSince: Moment?
    /// Free and whole bytes of file systems that this process writes to or reads from, by path.
    package var disks: [Disk] = []
    /// When the certificate of the public address ends; nil where there is none to look at.
    package var certificateEnds: Moment?
    /// What is wrong with it now.
    package var certificateFault: String?

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

    package init() {}
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
