import CLinux

/// What of a descriptor is waited for.
package struct Interest: OptionSet, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let read = Interest(rawValue: 1)
    package static let write = Interest(rawValue: 2)

    var epoll: UInt32 {
        var events: UInt32 = 0
        if contains(.read) { events |= EPOLLIN.rawValue }
        if contains(.write) { events |= EPOLLOUT.rawValue }
        return events
    }
}

/// What a descriptor is ready for.
package struct Readiness: OptionSet, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let read = Readiness(rawValue: 1)
    package static let write = Readiness(rawValue: 2)
    /// Both directions are closed, or the connection failed. Told for as long as the watch stands.
    package static let closed = Readiness(rawValue: 4)

    init(epoll events: UInt32) {
        var ready: Readiness = []
        if events & EPOLLIN.rawValue != 0 { ready.insert(.read) }
        if events & EPOLLOUT.rawValue != 0 { ready.insert(.write) }
        if events & (EPOLLERR.rawValue | EPOLLHUP.rawValue) != 0 { ready.insert(.closed) }
        self = ready
    }
}

/// A descriptor under watch. Used on its loop only.
package final class Watch {
    private let loop: EventLoop
    let descriptor: CInt
    package private(set) var interest: Interest
    private(set) var ready: (Readiness) -> Void
    var token: UInt64 = 0
    private var isCancelled = false

    init(loop: EventLoop, descriptor: CInt, interest: Interest, ready: @escaping (Readiness) -> Void) {
        self.loop = loop
        self.descriptor = descriptor
        self.interest = interest
        self.ready = ready
    }

    /// Waits for something else from now on; nothing happens when it is the same.
    package func change(_ interest: Interest) {
        guard !isCancelled, interest != self.interest else { return }
        self.interest = interest
        loop.change(self)
    }

    /// Ends the watch: `ready` is not called again, not even in this turn. Before the descriptor is
    /// closed; a second time is nothing.
    package func cancel() {
        guard !isCancelled else { return }
        isCancelled = true
        loop.remove(self)
        ready = { _ in }
    }
}

/// Watches by number. A token is a slot and its generation, so that an event for a descriptor that
/// was closed and opened again in the same turn reaches nobody.
struct WatchTable {
    static let wakeupToken = UInt64.max

    private var slots: [Watch?] = []
    private var generations: [UInt32] = []
    private var free: [Int] = []

    mutating func add(_ watch: Watch) -> UInt64 {
        let slot: Int
        if let last = free.popLast() {
            slot = last
        } else {
            slot = slots.count
            slots.append(nil)
            generations.append(0)
        }
        slots[slot] = watch
        return UInt64(generations[slot]) << 32 | UInt64(slot)
    }

    subscript(_ token: UInt64) -> Watch? {
        let slot = Int(token & 0xFFFF_FFFF)
        guard slot < slots.count, UInt64(generations[slot]) == token >> 32 else { return nil }
        return slots[slot]
    }

    mutating func remove(_ token: UInt64) {
        let slot = Int(token & 0xFFFF_FFFF)
        guard slot < slots.count, UInt64(generations[slot]) == token >> 32 else { return }
        slots[slot] = nil
        generations[slot] &+= 1
        free.append(slot)
    }
}
