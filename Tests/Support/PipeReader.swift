import Foundation
import Synchronization

/// Reads what a program prints, without waiting for the pipe's end: other programs may have inherited it.
///
/// What a program printed last is in the pipe when it is gone, so that after `finish` nothing is missing.
final class PipeReader: Sendable {
    private let descriptor: CInt
    private let transcript: Transcript
    private let last = Mutex<(@Sendable () -> Void)?>(nil)

    init(_ pipe: Pipe, into transcript: Transcript) {
        self.transcript = transcript
        descriptor = pipe.fileHandleForReading.fileDescriptor
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        Thread.detachNewThread { [self] in
            // The pipe is held here for as long as it is read.
            withExtendedLifetime(pipe) { readToTheEnd() }
        }
    }

    /// Calls `then`, once, when all that a program that is gone has printed was read.
    func finish(_ then: @escaping @Sendable () -> Void) { last.withLock { $0 = then } }

    private func readToTheEnd() {
        var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        while true {
            // Looked at before reading: what is printed after that was not the program's.
            let then = last.withLock { $0 }
            readAll()
            if let then { return then() }
            _ = unsafe poll(&waiting, 1, 20)
            // Closed, and its end not yet told: that is not to be asked without pause.
            if waiting.revents & Int16(POLLHUP) != 0 { Thread.sleep(forTimeInterval: 0.005) }
        }
    }

    private func readAll() {
        var buffer = [UInt8](repeating: 0, count: 65536)
        while case let count = unsafe read(descriptor, &buffer, buffer.count), count > 0 {
            transcript.append(String(decoding: buffer[..<count], as: UTF8.self))
        }
    }
}
