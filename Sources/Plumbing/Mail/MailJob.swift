import Synchronization

/// One mail on its way, as the caller hands it over.
final class MailJob: Sendable {
    /// Why our own side ends it.
    enum Stop: Int, Sendable { case cancelled = 1, shutDown }

    let to: MailAddress
    let bytes: [UInt8]
    let deadline: ContinuousClock.Instant
    private let ended = Atomic(0)

    init(to: MailAddress, bytes: [UInt8], deadline: ContinuousClock.Instant) {
        self.to = to
        self.bytes = bytes
        self.deadline = deadline
    }

    /// From any thread; before the job's turn, or while it runs.
    func end(_ reason: Stop) { ended.store(reason.rawValue, ordering: .releasing) }

    var stop: Stop? { Stop(rawValue: ended.load(ordering: .acquiring)) }
}
