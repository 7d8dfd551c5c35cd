import CLinux
import Glibc

/// A thread of our own: for loops, blocking work and transfers, never from Swift's pool.
package enum Thread {
    private final class Start {
        let name: String
        let body: @Sendable () -> Void
        init(name: String, body: @escaping @Sendable () -> Void) {
            self.name = name
            self.body = body
        }
    }

    /// Runs `body` on a new thread.
    ///
    /// - Parameter name: shown by system tools; 15 bytes of it at most.
    package static func start(name: String, _ body: @escaping @Sendable () -> Void) {
        let start = unsafe Unmanaged.passRetained(Start(name: name, body: body))
        var thread = pthread_t()
        let failed = unsafe pthread_create(
            &thread, nil,
            { argument in
                guard let argument = unsafe argument else { return nil }
                let start = unsafe Unmanaged<Start>.fromOpaque(argument).takeRetainedValue()
                unsafe desk_name_thread(String(decoding: Array(start.name.utf8).prefix(15), as: UTF8.self))
                start.body()
                return nil
            }, start.toOpaque())
        precondition(failed == 0, "no thread could be started: error \(failed)")
        pthread_detach(thread)
    }
}
