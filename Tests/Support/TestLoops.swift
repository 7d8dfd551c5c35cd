package import Journal
package import Loop

/// The loops that tests share: a loop is a thread that ends with the process.
package enum TestLoops {
    package static let counters = Counters()
    /// For what is tested.
    package static let shared: EventLoops = {
        // Hundreds of connections with both their ends in one process: the usual 1,024 are too few.
        ProcessManners.raiseDescriptorLimit()
        return EventLoops.forTests
    }()
    /// For the test's own side of a connection.
    package static let client = EventLoop.start(name: "test-client", journal: .silent, counters: counters)
}
