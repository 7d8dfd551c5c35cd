/// How many connections a process may hold, and how long somebody waits for one.
package struct PoolLimits: Sendable {
    /// Connections of each role on each loop.
    package var tenant: Int
    package var intake: Int
    package var queue: Int
    package var house: Int
    /// How long a caller waits for a connection before it is told `.unavailable`.
    package var wait: Duration
    /// Callers that may wait in one pool; the next one is told `.unavailable` at once.
    package var waitersMax: Int
    /// A connection that nobody needed for so long is closed, except one of each pool.
    package var idle: Duration
    /// How long a connection may take to be made, name resolution and sign-in included.
    package var connect: Duration

    package init(
        tenant: Int = 8, intake: Int = 2, queue: Int = 2, house: Int = 2, wait: Duration = .seconds(5),
        waitersMax: Int = 4096, idle: Duration = .seconds(60), connect: Duration = .seconds(5)
    ) {
        self.tenant = tenant
        self.intake = intake
        self.queue = queue
        self.house = house
        self.wait = wait
        self.waitersMax = waitersMax
        self.idle = idle
        self.connect = connect
    }

    func size(of role: Role) -> Int {
        switch role {
        case .tenant: tenant
        case .intake: intake
        case .queue: queue
        case .house: house
        }
    }
}
