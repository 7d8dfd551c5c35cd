import Glibc

/// The sockets that systemd opened for this process (`sd_listen_fds(3)`): `LISTEN_PID` says whom they are for, `LISTEN_FDS`
/// how many there are, from descriptor 3 on.
package enum InheritedSockets {
    private static let first: CInt = 3
    private static let max = 16

    /// The descriptors, once: the variables are taken out of the environment, so that no child believes that they are its own.
    ///
    /// Call it before the process has threads.
    package static func take() -> [CInt] {
        defer { for name in ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"] { unsafe unsetenv(name) } }
        func number(_ name: String) -> Int? { unsafe getenv(name).flatMap { unsafe Int(String(cString: $0)) } }
        return descriptors(pid: number("LISTEN_PID"), count: number("LISTEN_FDS"), own: Int(getpid()))
    }

    /// Pure: those of another process are not ours.
    static func descriptors(pid: Int?, count: Int?, own: Int) -> [CInt] {
        guard let pid, pid == own, let count, (1...max).contains(count) else { return [] }
        return (0..<CInt(count)).map { first + $0 }
    }
}
